// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ECDSA } from "solady/utils/ECDSA.sol";
import { EfficientHashLib } from "solady/utils/EfficientHashLib.sol";
import { LibString } from "solady/utils/LibString.sol";
import { SafeTransferLib } from "solady/utils/SafeTransferLib.sol";

import { ISweepDelegate, SweepOrder } from "./interfaces/ISweepDelegate.sol";
import { ISweepGuard } from "./interfaces/ISweepGuard.sol";
import { IWrappedNative } from "./interfaces/IWrappedNative.sol";

/// @title  Sweep delegate
/// @notice Code to which an externally owned account delegates (EIP-7702) so that a signed order can sweep a token
///         out of it without an approval and without gas of its own.
/// @dev    Runs as the owner's account: `address(this)` is the owner. It has no storage, no administrator, no initialiser
///         and no upgrade; the guard holds all state. It moves nothing without an order that the account's key signed.
contract SweepDelegate is ISweepDelegate {
    using SafeTransferLib for address;

    /// @dev EIP-712 encoding of a {SweepOrder}, one word per field with the hash in place of the bytes, and the digest.
    struct Signed {
        bytes32 typeHash;
        address owner;
        address tokenIn;
        uint256 amountIn;
        uint256 feeAmount;
        address builder;
        uint256 builderFee;
        address tokenOut;
        uint256 minAmountOut;
        address destination;
        address swapTarget;
        bytes32 swapCalldataHash;
        uint256 deadline;
        uint256 nonce;
        uint256 destChainId;
        bytes32 orderHash;
    }

    /// @dev Stands for the chain's native currency in `tokenIn` and `tokenOut`.
    address private constant _NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    bytes32 private constant _ORDER_TYPEHASH = keccak256(
        "SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
    );
    bytes32 private constant _DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant _VERSION_HASH = keccak256("1");

    /// @inheritdoc ISweepDelegate
    address public immutable guard;
    /// @inheritdoc ISweepDelegate
    address public immutable feeRecipient;
    /// @inheritdoc ISweepDelegate
    address public immutable wrappedNative;

    /// @dev Domain name, packed with its length. It is a word, since immutables hold nothing longer and the account's
    ///      storage must not be used.
    bytes32 private immutable _name;
    bytes32 private immutable _nameHash;

    /// @notice The EIP-712 domain name is empty or longer than 31 bytes.
    error BadDomainName();

    /// @notice Deployed by its guard, which is the caller.
    /// @param  feeRecipient_  Recipient of protocol fees.
    /// @param  wrappedNative_ Token into which native input is wrapped; zero if the chain has none.
    /// @param  domainName     EIP-712 domain name of orders.
    constructor(address feeRecipient_, address wrappedNative_, string memory domainName) {
        guard = msg.sender;
        feeRecipient = feeRecipient_;
        wrappedNative = wrappedNative_;
        _name = LibString.packOne(domainName);
        _nameHash = keccak256(bytes(domainName));
        if (_name == 0) revert BadDomainName();
    }

    /// @notice Receives plain transfers of native currency, as the account did before it had code.
    receive() external payable { }

    /// @inheritdoc ISweepDelegate
    function execute(SweepOrder calldata order, bytes calldata signature) external returns (uint256 amountOut) {
        (Signed memory signed, bytes calldata swapCalldata) = _authorize(order, signature);
        _verify(signed);
        amountOut = _process(signed, swapCalldata);
    }

    /// @inheritdoc ISweepDelegate
    function cancel(uint256 nonce) external {
        if (msg.sender != address(this)) revert Unauthorized();
        ISweepGuard(guard).cancel(nonce);
    }

    /// @inheritdoc ISweepDelegate
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        return _isSigned(hash, signature) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    /// @inheritdoc ISweepDelegate
    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (0x0f, LibString.unpackOne(_name), "1", block.chainid, address(this), 0, new uint256[](0));
    }

    /// @notice Accepts safe transfers of ERC-721 tokens.
    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC721Received.selector;
    }

    /// @notice Accepts safe transfers of ERC-1155 tokens.
    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external pure returns (bytes4) {
        return this.onERC1155Received.selector;
    }

    /// @notice Accepts safe batch transfers of ERC-1155 tokens.
    function onERC1155BatchReceived(address, address, uint256[] calldata, uint256[] calldata, bytes calldata)
        external
        pure
        returns (bytes4)
    {
        return this.onERC1155BatchReceived.selector;
    }

    /// @notice ERC-165: true for ERC-165 itself, ERC-1271 and the receiver interfaces of ERC-721 and ERC-1155.
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x1626ba7e || id == 0x150b7a02 || id == 0x4e2312e0;
    }

    /// @dev Checks that the order belongs to this account and that the account's key signed it.
    function _authorize(SweepOrder calldata order, bytes calldata signature)
        private
        view
        returns (Signed memory signed, bytes calldata swapCalldata)
    {
        swapCalldata = order.swapCalldata;
        _encode(order, swapCalldata, signed);
        if (signed.owner != address(this)) revert OwnerMismatch();
        signed.orderHash = _digest(signed);
        if (!_isAuthorized(signed.orderHash, signature)) revert BadSignature();
    }

    /// @dev Checks the order's deadline, fees, target and output.
    function _verify(Signed memory order) private view {
        if (block.timestamp > order.deadline) revert Expired();

        uint256 fee = order.feeAmount;
        uint256 builderFee = order.builderFee;
        uint256 amountIn = order.amountIn;
        if (fee >= amountIn) revert FeesExceedInput();
        unchecked {
            if (builderFee >= amountIn - fee) revert FeesExceedInput();
        }
        if (builderFee != 0) {
            if (order.builder == address(0)) revert BuilderFeeWithoutBuilder();
        }

        address tokenIn = order.tokenIn;
        address tokenOut = order.tokenOut;
        address target = order.swapTarget;
        address token = tokenIn == _NATIVE ? wrappedNative : tokenIn;
        if (target == token) revert BadSwapTarget();
        if (target == tokenOut) revert BadSwapTarget();
        if (target == address(this)) revert BadSwapTarget();
        if (order.destChainId == block.chainid) {
            if (order.minAmountOut == 0) revert ZeroMinOut();
            if (tokenOut == token) revert SameToken();
            if (tokenOut == tokenIn) revert SameToken();
        }
    }

    /// @dev Runs the order between the guard's `enter` and `exit`. Balances are measured while the lock is held, so that
    ///      no other sweep delivers to the same destination in between.
    function _process(Signed memory order, bytes calldata swapCalldata) private returns (uint256 amountOut) {
        _enter(order.swapTarget, order.nonce);
        uint256 outBefore = _output(order);
        _spend(order, swapCalldata);
        uint256 outAfter = _output(order);
        unchecked {
            if (outAfter > outBefore) amountOut = outAfter - outBefore;
        }
        // An order that leaves the chain has no output here, so every minimum except zero fails.
        if (amountOut < order.minAmountOut) revert InsufficientOutput();
        _exit(order, amountOut);
    }

    /// @dev Pays the fees, approves exactly the rest for the target and calls it. Afterwards no more than `amountIn` has
    ///      left the account, and no allowance remains.
    function _spend(Signed memory order, bytes calldata swapCalldata) private {
        address token = order.tokenIn;
        address target = order.swapTarget;
        uint256 rest = order.amountIn;
        uint256 floor;
        if (token != _NATIVE) {
            floor = token.balanceOf(address(this));
            unchecked {
                floor = floor > rest ? floor - rest : 0;
            }
        } else {
            // The order spends only what is wrapped here; the earlier wrapped balance must stay.
            token = wrappedNative;
            floor = token.balanceOf(address(this));
            IWrappedNative(token).deposit{ value: rest }();
        }
        unchecked {
            // No underflow: `_verify` refuses fees that are not less than the amount.
            uint256 fee = order.feeAmount;
            if (fee != 0) token.safeTransfer(feeRecipient, fee);
            rest -= fee;
            fee = order.builderFee;
            if (fee != 0) token.safeTransfer(order.builder, fee);
            rest -= fee;
        }
        token.safeApproveWithRetry(target, rest);
        _call(target, swapCalldata);
        if (_allowance(token, target) != 0) token.safeApprove(target, 0);
        if (token.balanceOf(address(this)) < floor) revert InputOverspent();
    }

    /// @dev Balance of the output token at the destination; always zero for an order that leaves the chain.
    function _output(Signed memory order) private view returns (uint256) {
        if (order.destChainId != block.chainid) return 0;
        address token = order.tokenOut;
        return token == _NATIVE ? order.destination.balance : token.balanceOf(order.destination);
    }

    /// @dev Encodes an order by EIP-712. The head of its calldata already has one word per field, in order. Only the
    ///      offset of the bytes is replaced, by their hash.
    function _encode(SweepOrder calldata order, bytes calldata swapCalldata, Signed memory signed) private pure {
        bytes32 typeHash = _ORDER_TYPEHASH;
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, swapCalldata.offset, swapCalldata.length)
            mstore(signed, typeHash)
            calldatacopy(add(signed, 0x20), order, 0x1c0)
            mstore(add(signed, 0x160), keccak256(m, swapCalldata.length))
            // The words were copied without checks, so an address may have dirty upper bits.
            let bits := or(mload(add(signed, 0x20)), mload(add(signed, 0x40))) // owner, tokenIn
            bits := or(bits, or(mload(add(signed, 0xa0)), mload(add(signed, 0xe0)))) // builder, tokenOut
            bits := or(bits, or(mload(add(signed, 0x120)), mload(add(signed, 0x140)))) // destination, swapTarget
            if shr(160, bits) { revert(0, 0) }
        }
    }

    /// @dev EIP-712 digest. The verifying contract is the account, so a signature is invalid at any other account.
    function _digest(Signed memory order) private view returns (bytes32 digest) {
        bytes32 domain = EfficientHashLib.hash(
            _DOMAIN_TYPEHASH, _nameHash, _VERSION_HASH, bytes32(block.chainid), bytes32(uint256(uint160(address(this))))
        );
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, hex"1901")
            mstore(add(m, 0x02), domain)
            mstore(add(m, 0x22), keccak256(order, 0x1e0))
            digest := keccak256(m, 0x42)
        }
    }

    /// @dev Returns true when the order with this digest may run: its owner signed it. Only the rehearsal of an order that
    ///      nobody has signed yet overrides this; it is never deployed.
    function _isAuthorized(bytes32 orderHash, bytes calldata signature) internal view virtual returns (bool) {
        return _isSigned(orderHash, signature);
    }

    /// @dev Returns true when the account's key signed `hash`. A failed recovery yields the zero address, which no account
    ///      has.
    function _isSigned(bytes32 hash, bytes calldata signature) internal view returns (bool) {
        return ECDSA.tryRecoverCalldata(hash, signature) == address(this);
    }

    /// @dev Opens the sweep at the guard. The guard's errors pass through unchanged.
    function _enter(address target, uint256 nonce) private {
        address to = guard;
        bytes32 selector = ISweepGuard.enter.selector;
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, selector)
            mstore(add(m, 0x04), target)
            mstore(add(m, 0x24), nonce)
            if iszero(call(gas(), to, 0, m, 0x44, 0, 0)) {
                returndatacopy(m, 0, returndatasize())
                revert(m, returndatasize())
            }
        }
    }

    /// @dev Closes the sweep at the guard, which logs it. The report repeats the order's words in their sequence, with the
    ///      amount received in place of the minimum output.
    function _exit(Signed memory order, uint256 amountOut) private {
        address to = guard;
        address builder = order.builder;
        bytes32 orderHash = order.orderHash;
        bytes32 selector = ISweepGuard.exit.selector;
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, selector)
            mstore(add(m, 0x04), orderHash)
            mstore(add(m, 0x24), builder)
            mcopy(add(m, 0x44), add(order, 0x40), 0x60) // tokenIn, amountIn, feeAmount
            mcopy(add(m, 0xa4), add(order, 0xc0), 0xa0) // builderFee, tokenOut, minAmountOut, destination, swapTarget
            mstore(add(m, 0xe4), amountOut)
            mcopy(add(m, 0x144), add(order, 0x1a0), 0x40) // nonce, destChainId
            if iszero(call(gas(), to, 0, m, 0x184, 0, 0)) {
                returndatacopy(m, 0, returndatasize())
                revert(m, returndatasize())
            }
        }
    }

    /// @dev Calls the target as the account. Keeps only the first 256 bytes of its revert data, so that a target cannot
    ///      make the report of its failure expensive.
    function _call(address target, bytes calldata data) private {
        bytes32 selector = SwapFailed.selector;
        assembly ("memory-safe") {
            let m := mload(0x40)
            calldatacopy(m, data.offset, data.length)
            if iszero(call(gas(), target, 0, m, data.length, 0, 0)) {
                let size := returndatasize()
                if gt(size, 0x100) { size := 0x100 }
                mstore(m, selector)
                mstore(add(m, 0x04), 0x20)
                mstore(add(m, 0x24), size)
                returndatacopy(add(m, 0x44), 0, size)
                mstore(add(add(m, 0x44), size), 0)
                revert(m, add(0x44, and(add(size, 0x1f), not(0x1f))))
            }
        }
    }

    /// @dev Remaining allowance of `spender`. Not zero when the token does not answer, so that the caller clears it.
    function _allowance(address token, address spender) private view returns (uint256 amount) {
        bytes32 selector = 0xdd62ed3e00000000000000000000000000000000000000000000000000000000;
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, selector)
            mstore(add(m, 0x04), address())
            mstore(add(m, 0x24), spender)
            let ok := staticcall(gas(), token, m, 0x44, 0x00, 0x20)
            amount := or(mload(0x00), iszero(and(ok, gt(returndatasize(), 0x1f))))
        }
    }
}
