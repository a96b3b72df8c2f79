// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { IUnwrapping } from "./IUnwrapping.sol";

interface IFactory {
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address);
}

interface IQuoter {
    struct Single {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function quoteExactInputSingle(Single memory params) external returns (uint256, uint160, uint32, uint256);
    function quoteExactInput(bytes memory path, uint256 amountIn)
        external
        returns (uint256, uint160[] memory, uint32[] memory, uint256);
}

interface IRouter {
    struct ExactInput {
        bytes path;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
    }

    function exactInput(ExactInput memory params) external returns (uint256);
}

/// @notice Stands in for Slipstream on a local network: its factory's, quoter's and router's functions, by tick spacings, over the pools
///         of a Uniswap v3 of its own. It is no copy of Slipstream's code, and it costs a transfer more.
contract MarketSlipstream {
    using SafeERC20 for IERC20;

    struct QuoteSingle {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        int24 tickSpacing;
        uint160 sqrtPriceLimitX96;
    }

    struct ExactInputSingle {
        address tokenIn;
        address tokenOut;
        int24 tickSpacing;
        address recipient;
        uint256 deadline;
        uint256 amountIn;
        uint256 amountOutMinimum;
        uint160 sqrtPriceLimitX96;
    }

    uint256 private constant _ADDRESS = 20;
    uint256 private constant _HOP = 23;

    IFactory public immutable POOLS;
    IQuoter public immutable QUOTER;
    IRouter public immutable ROUTER;
    address public immutable WRAPPED_NATIVE;

    error TooLittle();
    error NotDelivered();

    constructor(address pools, address quoter, address router, address wrappedNative) {
        POOLS = IFactory(pools);
        QUOTER = IQuoter(quoter);
        ROUTER = IRouter(router);
        WRAPPED_NATIVE = wrappedNative;
    }

    receive() external payable { }

    function factory() external view returns (address) {
        return address(this);
    }

    function getPool(address tokenA, address tokenB, int24 tickSpacing) external view returns (address) {
        uint24 fee = feeOf(uint24(tickSpacing));
        return fee == 0 ? address(0) : POOLS.getPool(tokenA, tokenB, fee);
    }

    function quoteExactInputSingle(QuoteSingle calldata params) external returns (uint256, uint160, uint32, uint256) {
        uint24 fee = feeOf(uint24(params.tickSpacing));
        return QUOTER.quoteExactInputSingle(
            IQuoter.Single(params.tokenIn, params.tokenOut, params.amountIn, fee, params.sqrtPriceLimitX96)
        );
    }

    function quoteExactInput(bytes memory path, uint256 amountIn)
        external
        returns (uint256, uint160[] memory, uint32[] memory, uint256)
    {
        return QUOTER.quoteExactInput(_translated(path), amountIn);
    }

    function exactInputSingle(ExactInputSingle calldata params) external payable returns (uint256) {
        bytes memory path = abi.encodePacked(params.tokenIn, feeOf(uint24(params.tickSpacing)), params.tokenOut);
        return _swap(
            params.tokenIn,
            IRouter.ExactInput(path, params.recipient, params.deadline, params.amountIn, params.amountOutMinimum)
        );
    }

    function exactInput(IRouter.ExactInput memory params) external payable returns (uint256) {
        params.path = _translated(params.path);
        return _swap(address(_addressAt(params.path)), params);
    }

    function multicall(bytes[] calldata data) external payable returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i; i < data.length; ++i) {
            (bool ok, bytes memory result) = address(this).delegatecall(data[i]);
            if (!ok) {
                assembly ("memory-safe") {
                    revert(add(result, 32), mload(result))
                }
            }
            results[i] = result;
        }
    }

    function unwrapWETH9(uint256 amountMinimum, address recipient) external payable {
        uint256 amount = IERC20(WRAPPED_NATIVE).balanceOf(address(this));
        if (amount < amountMinimum) revert TooLittle();
        IUnwrapping(WRAPPED_NATIVE).withdraw(amount);
        (bool ok,) = recipient.call{ value: amount }("");
        if (!ok) revert NotDelivered();
    }

    /// @notice Fee of the pools behind a tick spacing. 0 if there are none.
    function feeOf(uint24 tickSpacing) public pure returns (uint24) {
        if (tickSpacing == 1) return 100;
        if (tickSpacing == 50) return 500;
        if (tickSpacing == 100) return 2500;
        if (tickSpacing == 200) return 3000;
        return tickSpacing == 2000 ? 10_000 : 0;
    }

    function _swap(address tokenIn, IRouter.ExactInput memory params) private returns (uint256) {
        // The zero address stands for this contract, which unwraps.
        if (params.recipient == address(0)) params.recipient = address(this);
        IERC20(tokenIn).safeTransferFrom(msg.sender, address(this), params.amountIn);
        IERC20(tokenIn).forceApprove(address(ROUTER), params.amountIn);
        return ROUTER.exactInput(params);
    }

    function _addressAt(bytes memory path) private pure returns (address found) {
        assembly ("memory-safe") {
            found := shr(96, mload(add(path, 32)))
        }
    }

    /// @dev The path with fees in place of tick spacings.
    function _translated(bytes memory path) private pure returns (bytes memory) {
        for (uint256 at = _ADDRESS; at + _HOP <= path.length; at += _HOP) {
            uint24 fee =
                feeOf(uint24(uint8(path[at])) << 16 | uint24(uint8(path[at + 1])) << 8 | uint24(uint8(path[at + 2])));
            path[at] = bytes1(uint8(fee >> 16));
            path[at + 1] = bytes1(uint8(fee >> 8));
            path[at + 2] = bytes1(uint8(fee));
        }
        return path;
    }
}
