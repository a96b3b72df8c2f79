// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ECDSA } from "solady/utils/ECDSA.sol";
import { FixedPointMathLib } from "solady/utils/FixedPointMathLib.sol";
import { LibString } from "solady/utils/LibString.sol";
import { SafeTransferLib } from "solady/utils/SafeTransferLib.sol";

import {
    AMOUNT_IN,
    BUILDER,
    BUILDER_FEE,
    DEADLINE,
    DESTINATION,
    DEST_CHAIN_ID,
    EncodedOrder,
    FEE_AMOUNT,
    HEAD_SIZE,
    HEAD_SWAP_CALLDATA,
    MIN_AMOUNT_OUT,
    NONCE,
    ORDER_HASH,
    OWNER,
    OrderHashes,
    SWAP_TARGET,
    TOKEN_IN,
    TOKEN_OUT
} from "./OrderHashes.sol";
import { ISweepDelegate, SweepOrder } from "./interfaces/ISweepDelegate.sol";
import { ISweepGuard } from "./interfaces/ISweepGuard.sol";
import { IWrappedNative } from "./interfaces/IWrappedNative.sol";

/// @title  Sweep delegate
/// @notice Code to which an externally owned account delegates (EIP-7702) so that a signed order can sweep a token
///         out of it without an approval and without gas of its own.
/// @dev    Runs as the owner's account: `address(this)` is the owner. It has no storage, no administrator, no initialiser
///         and no upgrade; the guard holds all state. It moves nothing without an order that the account's key signed.
contract SweepDelegate is ISweepDelegate {
    using OrderHashes for EncodedOrder;
    using SafeTransferLib for address;

    /// @dev Stands for the chain's native currency in `tokenIn` and `tokenOut`.
    address private constant _NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev Gas of a call of the account by itself before its callee starts, and of the instructions between the check and
    ///      the call. Account and delegate are warm.
    uint256 private constant _LEG_OVERHEAD = 1000;

    /// @inheritdoc ISweepDelegate
    address public immutable guard;
    /// @inheritdoc ISweepDelegate
    address public immutable feeRecipient;
    /// @inheritdoc ISweepDelegate
    address public immutable wrappedNative;
    /// @inheritdoc ISweepDelegate
    address public immutable priorGuard;

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
    /// @param  priorGuard_    Guard of the first generation on this chain; zero if there is none.
    constructor(address feeRecipient_, address wrappedNative_, string memory domainName, address priorGuard_) {
        guard = msg.sender;
        feeRecipient = feeRecipient_;
        wrappedNative = wrappedNative_;
        priorGuard = priorGuard_;
        _name = LibString.packOne(domainName);
        _nameHash = keccak256(bytes(domainName));
        if (_name == 0) revert BadDomainName();
    }

    /// @notice Receives plain transfers of native currency, as the account did before it had code.
    receive() external payable { }

    /// @notice Receives transfers of native currency with data. Calls of unknown functions without value revert.
    fallback() external payable {
        if (msg.value == 0) revert UnknownFunction();
    }

    /// @inheritdoc ISweepDelegate
    function execute(SweepOrder calldata order, bytes calldata signature) external returns (uint256 amountOut) {
        _refuseIfRunByFirstGeneration(order.nonce);
        amountOut = _sweep(order, signature, false);
    }

    /// @inheritdoc ISweepDelegate
    function executeBatch(
        SweepOrder[] calldata orders,
        uint256[] calldata gasLimits,
        bytes32[] calldata legHashes,
        uint256 first,
        bytes calldata signature
    ) external returns (uint256 okBitmap) {
        uint256 count = orders.length;
        if (count > 256 || count != gasLimits.length) revert BadBatch();
        if (count > legHashes.length || first > legHashes.length - count) revert BadBatch();
        bytes32 batchHash = OrderHashes.batchDigest(orders, legHashes, first, _nameHash);
        if (!_isAuthorized(batchHash, signature)) revert BadSignature();
        for (uint256 i; i < count; ++i) {
            okBitmap |= _try(orders[i], gasLimits[i]) << i;
        }
    }

    /// @inheritdoc ISweepDelegate
    function executeLeg(SweepOrder calldata order) external returns (uint256 amountOut) {
        if (msg.sender != address(this)) revert Unauthorized();
        amountOut = _sweep(order, msg.data[0:0], true);
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

    /// @dev Runs a leg with bounded gas, as a call of the account by itself, so that its failure reverts nothing else. Reads no
    ///      return data.
    /// @return ok 1 when the leg settled, otherwise 0.
    function _try(SweepOrder calldata order, uint256 gasLimit) private returns (uint256 ok) {
        bytes calldata swapCalldata = order.swapCalldata;
        bytes32 selector = this.executeLeg.selector;
        uint256 input;
        uint256 size;
        assembly ("memory-safe") {
            input := mload(0x40)
            mstore(input, selector)
            mstore(add(input, 0x04), 0x20) // offset of the order
            let head := add(input, 0x24)
            calldatacopy(head, order, HEAD_SIZE)
            mstore(add(head, HEAD_SWAP_CALLDATA), HEAD_SIZE) // offset of the bytes
            let tail := add(head, HEAD_SIZE)
            mstore(tail, swapCalldata.length)
            calldatacopy(add(tail, 0x20), swapCalldata.offset, swapCalldata.length)
            size := sub(add(add(tail, 0x20), swapCalldata.length), input)
        }
        // EIP-150 gives a call at most 63/64 of the remaining gas, silently less than its limit when that is too little.
        if (gasLimit > type(uint64).max) revert InsufficientGas();
        unchecked {
            if (gasleft() * 63 < (gasLimit + _LEG_OVERHEAD) * 64) revert InsufficientGas();
        }
        assembly ("memory-safe") {
            ok := call(gasLimit, address(), 0, input, size, 0, 0)
        }
    }

    /// @dev The guard of the first generation takes every nonce, so the delegate of that generation runs a single order of this
    ///      one too. An order that it has run does not run again here. It does not know batches, so legs need no check.
    function _refuseIfRunByFirstGeneration(uint256 nonce) private view {
        if (priorGuard == address(0)) return;
        if (ISweepGuard(priorGuard).isNonceUsed(address(this), nonce)) revert NonceUsedEarlier();
    }

    /// @dev Runs an order of this account.
    /// @param isLeg True if the signature of a batch authorized the order.
    function _sweep(SweepOrder calldata order, bytes calldata signature, bool isLeg) private returns (uint256) {
        bytes calldata swapCalldata = order.swapCalldata;
        EncodedOrder encoded = OrderHashes.allocate();
        OrderHashes.encode(order, swapCalldata, encoded);
        encoded.requireAddresses();
        if (encoded.account(OWNER) != address(this)) revert OwnerMismatch();
        bytes32 orderHash = encoded.digest(_nameHash);
        if (!isLeg) {
            if (!_isAuthorized(orderHash, signature)) revert BadSignature();
        }
        bool leavesChain = encoded.word(DEST_CHAIN_ID) != block.chainid;
        _verify(encoded, leavesChain);
        return _process(encoded, swapCalldata, leavesChain);
    }

    /// @dev Checks the order's deadline, fees, target and output.
    function _verify(EncodedOrder order, bool leavesChain) private view {
        if (block.timestamp > order.word(DEADLINE)) revert Expired();

        uint256 fee = order.word(FEE_AMOUNT);
        uint256 builderFee = order.word(BUILDER_FEE);
        uint256 amountIn = order.word(AMOUNT_IN);
        if (fee >= amountIn) revert FeesExceedInput();
        unchecked {
            if (builderFee >= amountIn - fee) revert FeesExceedInput();
        }
        if (builderFee != 0) {
            if (order.account(BUILDER) == address(0)) revert BuilderFeeWithoutBuilder();
        }

        address tokenIn = order.account(TOKEN_IN);
        address tokenOut = order.account(TOKEN_OUT);
        address target = order.account(SWAP_TARGET);
        address token = tokenIn == _NATIVE ? wrappedNative : tokenIn;
        if (_isOneOf(target, token, tokenOut)) revert BadSwapTarget();
        if (target == address(this)) revert BadSwapTarget();
        if (!leavesChain) {
            if (order.word(MIN_AMOUNT_OUT) == 0) revert ZeroMinOut();
            // Native input may be paid out in its wrapped form: it is wrapped after the output was measured for the first time.
            if (tokenOut == tokenIn) revert SameToken();
        }
    }

    /// @dev Returns true when `value` is `a` or `b`, without a jump.
    function _isOneOf(address value, address a, address b) private pure returns (bool found) {
        assembly ("memory-safe") {
            found := or(eq(value, a), eq(value, b))
        }
    }

    /// @dev Runs the order between the guard's `enter` and `exit`. Balances are measured while the lock is held, so that
    ///      no other sweep delivers to the same destination in between.
    function _process(EncodedOrder order, bytes calldata swapCalldata, bool leavesChain)
        private
        returns (uint256 amountOut)
    {
        _enter(order, leavesChain);
        uint256 outBefore;
        if (!leavesChain) outBefore = _output(order);
        _spend(order, swapCalldata);
        if (!leavesChain) amountOut = FixedPointMathLib.zeroFloorSub(_output(order), outBefore);
        // An order that leaves the chain has no output here, so every minimum except zero fails.
        if (amountOut < order.word(MIN_AMOUNT_OUT)) revert InsufficientOutput();
        _exit(order, amountOut);
    }

    /// @dev Pays the fees, approves exactly the rest for the target and calls it. Afterwards no more than `amountIn` has
    ///      left the account. An allowance can remain only where the input was not all used, so only then it is asked for.
    function _spend(EncodedOrder order, bytes calldata swapCalldata) private {
        (address token, uint256 floor) = _input(order);
        address target = order.account(SWAP_TARGET);
        token.safeApproveWithRetry(target, _payFees(order, token));
        _call(target, swapCalldata);
        uint256 left = token.balanceOf(address(this));
        if (left < floor) revert InputOverspent();
        if (left != floor) {
            if (_allowance(token, target) != 0) token.safeApprove(target, 0);
        }
    }

    /// @dev Token that the order spends, and the balance of it that must stay. Native input is wrapped.
    function _input(EncodedOrder order) private returns (address token, uint256 floor) {
        token = order.account(TOKEN_IN);
        uint256 amountIn = order.word(AMOUNT_IN);
        if (token != _NATIVE) {
            floor = FixedPointMathLib.zeroFloorSub(token.balanceOf(address(this)), amountIn);
        } else {
            // The order spends only what is wrapped here; the earlier wrapped balance must stay.
            token = wrappedNative;
            floor = token.balanceOf(address(this));
            IWrappedNative(token).deposit{ value: amountIn }();
        }
    }

    /// @dev Pays both fees, in one transfer if they have one recipient.
    /// @return rest Amount that is left for the swap.
    function _payFees(EncodedOrder order, address token) private returns (uint256 rest) {
        address builder = order.account(BUILDER);
        uint256 builderFee = order.word(BUILDER_FEE);
        uint256 feeAmount = order.word(FEE_AMOUNT);
        unchecked {
            // No overflow: `_verify` refuses fees that are not less than the amount.
            rest = order.word(AMOUNT_IN) - feeAmount - builderFee;
            uint256 joined = FixedPointMathLib.ternary(builder == feeRecipient, builderFee, 0);
            uint256 toRecipient = feeAmount + joined;
            uint256 toBuilder = builderFee - joined;
            if (toRecipient != 0) token.safeTransfer(feeRecipient, toRecipient);
            if (toBuilder != 0) token.safeTransfer(builder, toBuilder);
        }
    }

    /// @dev Balance of the output token at the destination.
    function _output(EncodedOrder order) private view returns (uint256) {
        address token = order.account(TOKEN_OUT);
        address destination = order.account(DESTINATION);
        return token == _NATIVE ? destination.balance : token.balanceOf(destination);
    }

    /// @dev Returns true when the order or batch with this digest may run: its owner signed it. Only the rehearsal of an order that
    ///      nobody has signed yet overrides this; it is never deployed.
    function _isAuthorized(bytes32 hash, bytes calldata signature) internal view virtual returns (bool) {
        return _isSigned(hash, signature);
    }

    /// @dev Returns true when the account's key signed `hash`. A failed recovery yields the zero address, which no account
    ///      has.
    function _isSigned(bytes32 hash, bytes calldata signature) internal view returns (bool) {
        return ECDSA.tryRecoverCalldata(hash, signature) == address(this);
    }

    /// @dev Opens the sweep at the guard. The guard's errors pass through unchanged.
    function _enter(EncodedOrder order, bool leavesChain) private {
        address to = guard;
        bytes32 selector = ISweepGuard.enter.selector;
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, selector)
            mstore(add(m, 0x04), mload(add(order, NONCE)))
            mstore(add(m, 0x24), leavesChain) // true is the bridges' {Kind}
            mstore(add(m, 0x44), mload(add(order, SWAP_TARGET)))
            if iszero(call(gas(), to, 0, m, 0x64, 0, 0)) {
                returndatacopy(m, 0, returndatasize())
                revert(m, returndatasize())
            }
        }
    }

    /// @dev Closes the sweep at the guard, which logs it. The report repeats the order's words in their sequence, with the
    ///      amount received in place of the minimum output.
    function _exit(EncodedOrder order, uint256 amountOut) private {
        address to = guard;
        bytes32 selector = ISweepGuard.exit.selector;
        assembly ("memory-safe") {
            let m := mload(0x40)
            mstore(m, selector)
            let report := add(m, 0x04)
            mstore(report, mload(add(order, ORDER_HASH)))
            mstore(add(report, 0x20), mload(add(order, BUILDER)))
            mcopy(add(report, 0x40), add(order, TOKEN_IN), 0x60) // tokenIn, amountIn, feeAmount
            // builderFee, tokenOut, minAmountOut, destination, swapTarget
            mcopy(add(report, 0xa0), add(order, BUILDER_FEE), 0xa0)
            mstore(add(report, 0xe0), amountOut)
            mcopy(add(report, 0x140), add(order, NONCE), 0x40) // nonce, destChainId
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
