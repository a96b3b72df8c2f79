// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SweepDelegate } from "../../src/SweepDelegate.sol";
import { SweepEntry } from "../../src/SweepEntry.sol";
import { SweepGuard } from "../../src/SweepGuard.sol";
import { ISweepDelegate, SweepOrder } from "../../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../../src/interfaces/ISweepEntry.sol";
import { Deployed } from "./Deployed.sol";

/// @notice Deploys the system, and builds, hashes and signs orders for the owner. Hashing uses plain `abi.encode`, so it
///         is independent of the delegate's.
abstract contract SweepTest is Deployed {
    address internal constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    uint256 internal constant TIMELOCK = 1 days;

    address internal immutable admin = makeAddr("guard owner");
    address internal immutable feeRecipient = makeAddr("fee recipient");
    address internal immutable builder = makeAddr("builder");
    address internal immutable relayer = makeAddr("relayer");

    uint256 internal ownerKey;
    address internal owner;

    SweepGuard internal guard;
    SweepDelegate internal delegate;
    SweepEntry internal entry;

    function _deploy(address wrappedNative, address[] memory targets) internal {
        (owner, ownerKey) = makeAddrAndKey("owner");
        guard = new SweepGuard(admin, TIMELOCK, feeRecipient, wrappedNative, "Service", targets);
        delegate = SweepDelegate(payable(guard.delegate()));
        entry = new SweepEntry();
    }

    /// @dev Gives an account the code that a mined authorization gives it.
    function _delegate(address account, address code) internal {
        vm.etch(account, abi.encodePacked(hex"ef0100", code));
    }

    function _structHash(SweepOrder memory order) internal pure returns (bytes32) {
        bytes memory head = abi.encode(
            keccak256(
                "SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
            ),
            order.owner,
            order.tokenIn,
            order.amountIn,
            order.feeAmount,
            order.builder,
            order.builderFee,
            order.tokenOut
        );
        bytes memory tail = abi.encode(
            order.minAmountOut,
            order.destination,
            order.swapTarget,
            keccak256(order.swapCalldata),
            order.deadline,
            order.nonce,
            order.destChainId
        );
        return keccak256(bytes.concat(head, tail));
    }

    function _digest(SweepOrder memory order, string memory name, uint256 chainId, address verifier)
        internal
        pure
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                chainId,
                verifier
            )
        );
        return keccak256(abi.encodePacked(hex"1901", domain, _structHash(order)));
    }

    function _digest(SweepOrder memory order) internal view returns (bytes32) {
        return _digest(order, "Service", block.chainid, order.owner);
    }

    function _sign(SweepOrder memory order, uint256 key) internal view returns (bytes memory) {
        return _signHash(_digest(order), key);
    }

    function _signHash(bytes32 hash, uint256 key) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, hash);
        return abi.encodePacked(r, s, v);
    }

    function _execute(SweepOrder memory order, bytes memory signature) internal returns (uint256) {
        vm.prank(relayer);
        return ISweepDelegate(order.owner).execute(order, signature);
    }

    function _executeSigned(SweepOrder memory order) internal returns (uint256) {
        return _execute(order, _sign(order, ownerKey));
    }

    function _item(SweepOrder memory order, bytes memory signature, uint64 gasLimit)
        internal
        pure
        returns (ISweepEntry.Item memory)
    {
        return ISweepEntry.Item(order.owner, gasLimit, abi.encodeCall(ISweepDelegate.execute, (order, signature)));
    }

    function _items(SweepOrder memory order, bytes memory signature)
        internal
        pure
        returns (ISweepEntry.Item[] memory items)
    {
        items = new ISweepEntry.Item[](1);
        items[0] = _item(order, signature, 400_000);
    }
}
