// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The used functions of Uniswap v4's PoolManager. The zero address stands for native currency.
interface IUniswapV4PoolManager {
    /// @notice Names a pool.
    struct PoolKey {
        /// @notice Currency with the lower address.
        address currency0;
        address currency1;
        /// @notice Hundredths of a basis point, or the mark of a fee that the hook sets.
        uint24 fee;
        int24 tickSpacing;
        /// @notice Contract that the pool calls; zero for none.
        address hooks;
    }

    struct SwapParams {
        bool zeroForOne;
        /// @notice Negative for an exact input.
        int256 amountSpecified;
        uint160 sqrtPriceLimitX96;
    }

    /// @notice Calls `unlockCallback` of the caller, who must have settled all debts and credits at its end.
    function unlock(bytes calldata data) external returns (bytes memory);

    /// @return delta Amount of currency0 in the upper half and of currency1 in the lower half, negative for a debt of the caller.
    function swap(PoolKey calldata key, SwapParams calldata params, bytes calldata hookData)
        external
        returns (int256 delta);

    /// @notice Fixes the balance from which the next {settle} counts.
    function sync(address currency) external;

    /// @return paid Amount received since {sync}, or the value.
    function settle() external payable returns (uint256 paid);

    /// @notice Pays a credit of the caller.
    function take(address currency, address to, uint256 amount) external;
}
