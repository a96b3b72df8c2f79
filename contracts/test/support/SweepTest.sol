// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../../src/interfaces/ISweepEntry.sol";
import { ISweepGuard } from "../../src/interfaces/ISweepGuard.sol";
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

    /// @dev Guard of the first generation, if the chain has one.
    address internal priorGuard;
    ISweepGuard internal guard;
    ISweepDelegate internal delegate;
    ISweepEntry internal entry;

    function _deploy(address wrappedNative, address[] memory routers, address[] memory bridges) internal {
        (owner, ownerKey) = makeAddrAndKey("owner");
        guard = _guard(admin, TIMELOCK, feeRecipient, wrappedNative, "Service", priorGuard, routers, bridges);
        delegate = ISweepDelegate(guard.delegate());
        entry = _entry(address(delegate));
    }

    /// @dev Deploys an entry for accounts of a delegate.
    function _entry(address delegate_) internal returns (ISweepEntry) {
        return ISweepEntry(_create(abi.encodePacked(_released("SweepEntry"), abi.encode(delegate_))));
    }

    /// @dev Deploys a guard. The arguments are those of its constructor.
    function _guard(
        address guardOwner,
        uint256 timelock,
        address fees,
        address wrappedNative,
        string memory name,
        address prior,
        address[] memory routers,
        address[] memory bridges
    ) internal returns (ISweepGuard) {
        bytes memory arguments = abi.encode(guardOwner, timelock, fees, wrappedNative, name, prior, routers, bridges);
        return ISweepGuard(_create(abi.encodePacked(_released("SweepGuard"), arguments)));
    }

    function _none() internal pure returns (address[] memory) {
        return new address[](0);
    }

    function _one(address only) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = only;
    }

    /// @dev The nonce with this index, in the guard's range.
    function _nonce(uint256 index) internal view returns (uint256) {
        return _nonceOf(address(guard), index);
    }

    function _nonceOf(address of_, uint256 index) internal pure returns (uint256) {
        return uint256(uint128(uint160(of_))) << 128 | index;
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

    string private constant ORDER_TYPE =
        "SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)";
    string private constant LEG_TYPE = "SweepLeg(uint256 chainId,SweepOrder order)";

    function _legHash(SweepOrder memory order, uint256 chainId) internal pure returns (bytes32) {
        bytes32 typeHash = keccak256(bytes.concat(bytes(LEG_TYPE), bytes(ORDER_TYPE)));
        return keccak256(abi.encode(typeHash, chainId, _structHash(order)));
    }

    function _batchDigest(bytes32[] memory legHashes, string memory name, address verifier)
        internal
        pure
        returns (bytes32)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                verifier
            )
        );
        bytes32 typeHash = keccak256(bytes.concat("SweepBatch(SweepLeg[] legs)", bytes(LEG_TYPE), bytes(ORDER_TYPE)));
        bytes32 batch = keccak256(abi.encode(typeHash, keccak256(abi.encodePacked(legHashes))));
        return keccak256(abi.encodePacked(hex"1901", domain, batch));
    }

    function _legHashes(SweepOrder[] memory orders) internal view returns (bytes32[] memory hashes) {
        hashes = new bytes32[](orders.length);
        for (uint256 i; i < orders.length; ++i) {
            hashes[i] = _legHash(orders[i], block.chainid);
        }
    }

    /// @dev The owner's signature of a batch, in the form of EIP-2098.
    function _signBatch(bytes32[] memory legHashes) internal view returns (bytes memory) {
        (bytes32 r, bytes32 vs) = vm.signCompact(ownerKey, _batchDigest(legHashes, "Service", owner));
        return abi.encodePacked(r, vs);
    }

    function _limits(uint256 count, uint256 limit) internal pure returns (uint256[] memory limits) {
        limits = new uint256[](count);
        for (uint256 i; i < count; ++i) {
            limits[i] = limit;
        }
    }

    function _digest(SweepOrder memory order) internal view returns (bytes32) {
        return _digest(order, "Service", block.chainid, order.owner);
    }

    function _sign(SweepOrder memory order, uint256 key) internal view returns (bytes memory) {
        return _signHash(_digest(order), key);
    }

    /// @dev In the form of EIP-2098, which relayers send.
    function _signCompact(SweepOrder memory order, uint256 key) internal view returns (bytes memory) {
        (bytes32 r, bytes32 vs) = vm.signCompact(key, _digest(order));
        return abi.encodePacked(r, vs);
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
