// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SweepOrder } from "../../src/interfaces/ISweepDelegate.sol";
import { ICoin } from "./Deployed.sol";
import { SweepTest } from "./SweepTest.sol";

interface IUniswapV3Factory {
    function createPool(address tokenA, address tokenB, uint24 fee) external returns (address);
}

interface IUniswapV3Pool {
    function initialize(uint160 sqrtPriceX96) external;
    function mint(address recipient, int24 tickLower, int24 tickUpper, uint128 amount, bytes calldata data)
        external
        returns (uint256, uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
}

interface ISwapRouter02 {
    struct ExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint24 fee;
        address recipient;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    function exactInputSingle(ExactInputSingleParams calldata params) external payable returns (uint256);
    function unwrapWETH9(uint256 amountMinimum, address recipient) external payable;
    function pull(address token, uint256 value) external payable;
    function sweepToken(address token, uint256 amountMinimum, address recipient) external payable;
    function multicall(bytes[] calldata data) external payable returns (bytes[] memory);
}

/// @notice Two tokens, a funded Uniswap v3 pool at 0.3 %, and SwapRouter02.
abstract contract UniswapScene is SweepTest {
    uint24 internal constant POOL_FEE = 3000;
    uint256 internal constant AMOUNT = 1000e18;
    uint256 internal constant FEE = 5e18;
    uint256 internal constant BUILDER_FEE = 2e18;
    uint256 internal constant REST = AMOUNT - FEE - BUILDER_FEE;

    /// @dev Builder of the orders.
    address internal builderOfOrders = builder;
    ICoin internal tokenIn;
    ICoin internal tokenOut;
    address internal weth;
    address internal factory;
    ISwapRouter02 internal router;

    function _scene() internal {
        vm.warp(1_800_000_000);
        tokenIn = _coin("IN");
        tokenOut = _coin("OUT");
        weth = weth9();
        factory = uniswapFactory();
        router = ISwapRouter02(swapRouter(factory, weth));
        _pool(address(tokenIn), address(tokenOut));
    }

    /// @dev A pool at price 1 with liquidity over the whole range.
    function _pool(address a, address b) internal {
        IUniswapV3Pool pool = IUniswapV3Pool(IUniswapV3Factory(factory).createPool(a, b, POOL_FEE));
        pool.initialize(1 << 96);
        pool.mint(address(this), -887_220, 887_220, 10_000_000e18, "");
    }

    function uniswapV3MintCallback(uint256 amount0, uint256 amount1, bytes calldata) external {
        _fund(IUniswapV3Pool(msg.sender).token0(), msg.sender, amount0);
        _fund(IUniswapV3Pool(msg.sender).token1(), msg.sender, amount1);
    }

    function _fund(address token, address to, uint256 amount) internal {
        if (token != weth) return ICoin(token).mint(to, amount);
        vm.deal(address(this), amount);
        (bool ok,) = token.call{ value: amount }(abi.encodeWithSignature("deposit()"));
        assertTrue(ok && IERC20(token).transfer(to, amount));
    }

    function _swapCall(uint256 amount, address recipient) internal view returns (bytes memory) {
        return abi.encodeCall(
            ISwapRouter02.exactInputSingle,
            (ISwapRouter02.ExactInputSingleParams({
                    tokenIn: address(tokenIn),
                    tokenOut: address(tokenOut),
                    fee: POOL_FEE,
                    recipient: recipient,
                    amountIn: amount,
                    amountOutMinimum: 0,
                    sqrtPriceLimitX96: 0
                }))
        );
    }

    function _swapOrder(address account, uint256 index) internal view returns (SweepOrder memory) {
        return SweepOrder({
            owner: account,
            tokenIn: address(tokenIn),
            amountIn: AMOUNT,
            feeAmount: FEE,
            builder: builderOfOrders,
            builderFee: BUILDER_FEE,
            tokenOut: address(tokenOut),
            minAmountOut: REST * 99 / 100,
            destination: account,
            swapTarget: address(router),
            swapCalldata: _swapCall(REST, account),
            deadline: block.timestamp + 600,
            nonce: _nonce(index),
            destChainId: block.chainid
        });
    }
}
