// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SafeTransferLib } from "solady/utils/SafeTransferLib.sol";

import { IUniswapV4PoolManager } from "./interfaces/IUniswapV4PoolManager.sol";
import { IUniswapV4Router } from "./interfaces/IUniswapV4Router.sol";

/// @dev The used functions of WETH9.
interface IWrapped {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// @title  Uniswap v4 router
/// @notice Sweeps swap on Uniswap v4 through it. Uniswap's own router spends allowances of Permit2 and runs any commands, so the
///         guard cannot list it.
/// @dev    It has no storage, no owner and no upgrade. It pulls tokens only from its caller, and only within the PoolManager's
///         lock. While that is held, nobody can enter it again: `unlock` reverts. Hooks may be hostile: they cannot change the
///         payer, the amount paid or the least output, because the PoolManager's accounts of this contract must be even at the end.
contract UniswapV4Router is IUniswapV4Router {
    using SafeTransferLib for address;

    /// @dev Limits of a pool's price, which mean no limit (`TickMath`).
    uint160 private constant _LOWEST_PRICE = 4_295_128_740;
    uint160 private constant _HIGHEST_PRICE = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341;

    /// @inheritdoc IUniswapV4Router
    address public immutable poolManager;
    /// @inheritdoc IUniswapV4Router
    address public immutable wrappedNative;

    constructor(address poolManager_, address wrappedNative_) {
        poolManager = poolManager_;
        wrappedNative = wrappedNative_;
    }

    /// @notice Takes native currency of the PoolManager and of the wrapped token, which leaves in the same call.
    receive() external payable {
        if (msg.sender != wrappedNative && msg.sender != poolManager) revert Unauthorized();
    }

    /// @inheritdoc IUniswapV4Router
    function exactInput(ExactInput calldata swap) external returns (uint256 amountOut) {
        if (block.timestamp > swap.deadline) revert Expired();
        if (swap.amountIn == 0 || swap.amountIn > uint128(type(int128).max)) revert BadAmount();
        if (swap.recipient == address(this)) revert BadRecipient();
        bytes memory result = IUniswapV4PoolManager(poolManager).unlock(abi.encode(msg.sender, swap));
        amountOut = abi.decode(result, (uint256));
    }

    /// @notice Makes the swap of {exactInput}. The PoolManager calls it for its own caller alone, with that caller's data.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != poolManager) revert Unauthorized();
        (address payer, ExactInput memory swap) = abi.decode(data, (address, ExactInput));
        address currency = _pay(payer, swap);
        uint256 amount = swap.amountIn;
        uint256 length = swap.hops.length;
        if (length == 0) revert BadPath();
        for (uint256 i; i < length; ++i) {
            Hop memory hop = swap.hops[i];
            amount = _swap(currency, hop, amount);
            currency = hop.currency;
        }
        if (amount < swap.minAmountOut) revert InsufficientOutput(amount);
        _deliver(currency, swap.tokenOut, swap.recipient, amount);
        return abi.encode(amount);
    }

    /// @dev Moves the input from the payer to the PoolManager.
    /// @return currency Currency that the first pool takes.
    function _pay(address payer, ExactInput memory swap) private returns (address currency) {
        IUniswapV4PoolManager manager = IUniswapV4PoolManager(poolManager);
        uint256 paid;
        if (swap.unwrapsInput) {
            if (swap.tokenIn != wrappedNative) revert BadPath();
            swap.tokenIn.safeTransferFrom(payer, address(this), swap.amountIn);
            IWrapped(wrappedNative).withdraw(swap.amountIn);
            // Another contract may have left a token as the synced currency in this transaction.
            manager.sync(address(0));
            paid = manager.settle{ value: swap.amountIn }();
        } else {
            currency = swap.tokenIn;
            manager.sync(currency);
            currency.safeTransferFrom(payer, poolManager, swap.amountIn);
            paid = manager.settle();
        }
        if (paid != swap.amountIn) revert InputNotReceived();
    }

    /// @dev Swaps exactly `amount` in one pool, without a limit of its price.
    function _swap(address from, Hop memory hop, uint256 amount) private returns (uint256) {
        bool zeroForOne = from < hop.currency;
        (address currency0, address currency1) = zeroForOne ? (from, hop.currency) : (hop.currency, from);
        int256 delta = IUniswapV4PoolManager(poolManager)
            .swap(
                IUniswapV4PoolManager.PoolKey(currency0, currency1, hop.fee, hop.tickSpacing, hop.hooks),
                // No overflow: the amount is at most that of the call, or a positive int128 of the pool before.
                // forge-lint: disable-next-line(unsafe-typecast)
                IUniswapV4PoolManager.SwapParams(
                    zeroForOne, -int256(amount), zeroForOne ? _LOWEST_PRICE : _HIGHEST_PRICE
                ),
                ""
            );
        // forge-lint: disable-next-line(unsafe-typecast)
        (int256 delta0, int256 delta1) = (delta >> 128, int128(delta));
        (int256 taken, int256 paid) = zeroForOne ? (delta0, delta1) : (delta1, delta0);
        // A pool without enough liquidity takes less. A hook may charge more, or take all of the output.
        // forge-lint: disable-next-line(unsafe-typecast)
        if (taken != -int256(amount) || paid <= 0) revert InexactSwap();
        // forge-lint: disable-next-line(unsafe-typecast)
        return uint256(paid);
    }

    /// @dev Pays the output to the recipient, wrapped or unwrapped if the last pool pays the other form of the native currency.
    function _deliver(address currency, address tokenOut, address recipient, uint256 amount) private {
        IUniswapV4PoolManager manager = IUniswapV4PoolManager(poolManager);
        if (currency == tokenOut) {
            manager.take(currency, recipient, amount);
        } else if (currency == address(0) && tokenOut == wrappedNative) {
            manager.take(currency, address(this), amount);
            IWrapped(wrappedNative).deposit{ value: amount }();
            tokenOut.safeTransfer(recipient, amount);
        } else if (currency == wrappedNative && tokenOut == address(0)) {
            manager.take(currency, address(this), amount);
            IWrapped(wrappedNative).withdraw(amount);
            recipient.safeTransferETH(amount);
        } else {
            revert BadPath();
        }
    }
}
