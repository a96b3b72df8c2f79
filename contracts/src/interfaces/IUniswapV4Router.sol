// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Swaps an exact amount of a caller's token along pools of Uniswap v4.
interface IUniswapV4Router {
    /// @notice One pool of a path. The currency before it comes from the hop before.
    struct Hop {
        /// @notice Currency that the pool pays. Zero for native currency.
        address currency;
        uint24 fee;
        int24 tickSpacing;
        /// @notice Hook of the pool; zero for none. It gets no data.
        address hooks;
    }

    struct ExactInput {
        /// @notice ERC-20 that the caller pays. The router needs its allowance.
        address tokenIn;
        /// @notice ERC-20 that the recipient gets. Zero for native currency.
        address tokenOut;
        address recipient;
        uint256 amountIn;
        /// @notice Output below which the swap reverts.
        uint256 minAmountOut;
        /// @notice UNIX seconds.
        uint256 deadline;
        /// @notice True to unwrap `tokenIn`, which must be the wrapped native currency: the first pool takes native currency.
        bool unwrapsInput;
        Hop[] hops;
    }

    /// @notice The deadline has passed.
    error Expired();
    /// @notice The amount is zero or does not fit into 127 bits.
    error BadAmount();
    /// @notice The router would pay itself.
    error BadRecipient();
    /// @notice The path has no pool, does not begin with `tokenIn`, or does not end with `tokenOut`.
    error BadPath();
    /// @notice The token moved another amount than it was told to, as tokens with a transfer fee do.
    error InputNotReceived();
    /// @notice A pool or its hook took another amount than it was given, or paid nothing.
    error InexactSwap();
    error InsufficientOutput(uint256 amountOut);
    error Unauthorized();

    /// @notice Takes `amountIn` of `tokenIn` from the caller and pays the output to `recipient`. The output is what the last pool
    ///         pays: a token that takes a fee of transfers delivers less.
    function exactInput(ExactInput calldata swap) external returns (uint256 amountOut);

    /// @notice PoolManager of this chain.
    function poolManager() external view returns (address);

    /// @notice Token that wraps the native currency.
    function wrappedNative() external view returns (address);
}
