// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { SafeERC20 } from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import { IUnwrapping } from "./IUnwrapping.sol";

/// @notice Stands in for the basic pools of Aerodrome and Velodrome v2 on a local network: their router's functions and their curves, with
///         all pools in one contract. It is no copy of their code, and its gas is lower than theirs.
contract MarketSolidly {
    using SafeERC20 for IERC20;

    struct Route {
        address from;
        address to;
        bool stable;
        address factory;
    }

    struct Pool {
        uint256 reserve0;
        uint256 reserve1;
        /// @dev One whole token of each, which the stable curve needs.
        uint256 unit0;
        uint256 unit1;
    }

    uint256 private constant _BPS = 10_000;
    uint256 private constant _FEE_BPS = 30;
    uint256 private constant _STABLE_FEE_BPS = 5;
    uint256 private constant _ONE = 1e18;
    uint256 private constant _STEPS = 255;

    address public immutable WRAPPED_NATIVE;

    mapping(bytes32 pair => Pool) private _pools;

    error Expired();
    error TooLittle();
    error NoPool();
    error NotDelivered();

    constructor(address wrappedNative) {
        WRAPPED_NATIVE = wrappedNative;
    }

    receive() external payable { }

    /// @notice Adds the sender's tokens to a pool. `units`: one whole token of each.
    function open(address[2] calldata tokens, uint256[2] calldata amounts, uint256[2] calldata units, bool stable)
        external
    {
        (uint256 first, uint256 second) = tokens[0] < tokens[1] ? (0, 1) : (1, 0);
        Pool storage pool = _pools[_keyOf(tokens[0], tokens[1], stable)];
        pool.reserve0 += _take(tokens[first], amounts[first]);
        pool.reserve1 += _take(tokens[second], amounts[second]);
        pool.unit0 = units[first];
        pool.unit1 = units[second];
    }

    /// @notice As the factory of pools has it: an address if the pool is open, and zero otherwise.
    function getPool(address tokenA, address tokenB, bool stable) external view returns (address) {
        return _pools[_keyOf(tokenA, tokenB, stable)].reserve0 == 0 ? address(0) : address(this);
    }

    function getAmountsOut(uint256 amountIn, Route[] calldata routes) external view returns (uint256[] memory amounts) {
        amounts = new uint256[](routes.length + 1);
        amounts[0] = amountIn;
        for (uint256 i; i < routes.length; ++i) {
            amounts[i + 1] = _amountOut(routes[i], amounts[i]);
        }
    }

    function swapExactTokensForTokensSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external {
        (address token, uint256 amount) = _swap(amountIn, routes, deadline);
        uint256 before = IERC20(token).balanceOf(to);
        IERC20(token).safeTransfer(to, amount);
        if (IERC20(token).balanceOf(to) - before < amountOutMin) revert TooLittle();
    }

    function swapExactTokensForETHSupportingFeeOnTransferTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        Route[] calldata routes,
        address to,
        uint256 deadline
    ) external {
        (address token, uint256 amount) = _swap(amountIn, routes, deadline);
        if (amount < amountOutMin) revert TooLittle();
        IUnwrapping(token).withdraw(amount);
        (bool ok,) = to.call{ value: amount }("");
        if (!ok) revert NotDelivered();
    }

    /// @dev Returns the last token and its amount, which this contract holds.
    function _swap(uint256 amountIn, Route[] calldata routes, uint256 deadline)
        private
        returns (address token, uint256 amount)
    {
        if (block.timestamp > deadline) revert Expired();
        amount = _take(routes[0].from, amountIn);
        for (uint256 i; i < routes.length; ++i) {
            Route calldata route = routes[i];
            uint256 out = _amountOut(route, amount);
            if (out == 0) revert TooLittle();
            Pool storage pool = _pools[_keyOf(route.from, route.to, route.stable)];
            if (route.from < route.to) {
                pool.reserve0 += amount;
                pool.reserve1 -= out;
            } else {
                pool.reserve1 += amount;
                pool.reserve0 -= out;
            }
            (token, amount) = (route.to, out);
        }
    }

    function _take(address token, uint256 amount) private returns (uint256) {
        uint256 before = IERC20(token).balanceOf(address(this));
        IERC20(token).safeTransferFrom(msg.sender, address(this), amount);
        return IERC20(token).balanceOf(address(this)) - before;
    }

    function _amountOut(Route calldata route, uint256 amountIn) private view returns (uint256) {
        Pool storage pool = _pools[_keyOf(route.from, route.to, route.stable)];
        bool forward = route.from < route.to;
        (uint256 reserveIn, uint256 reserveOut) =
            forward ? (pool.reserve0, pool.reserve1) : (pool.reserve1, pool.reserve0);
        if (reserveIn == 0) revert NoPool();
        if (!route.stable) {
            uint256 paid = amountIn * (_BPS - _FEE_BPS);
            return paid * reserveOut / (reserveIn * _BPS + paid);
        }
        (uint256 unitIn, uint256 unitOut) = forward ? (pool.unit0, pool.unit1) : (pool.unit1, pool.unit0);
        uint256 x = reserveIn * _ONE / unitIn;
        uint256 y = reserveOut * _ONE / unitOut;
        uint256 added = (amountIn - amountIn * _STABLE_FEE_BPS / _BPS) * _ONE / unitIn;
        uint256 rest = _solve(x + added, _product(x, y), y);
        return rest >= y ? 0 : (y - rest) * unitOut / _ONE;
    }

    /// @dev x³y + xy³.
    function _product(uint256 x, uint256 y) private pure returns (uint256) {
        return (x * y / _ONE) * (x * x / _ONE + y * y / _ONE) / _ONE;
    }

    /// @dev The y with the given product, by Newton's method.
    function _solve(uint256 x, uint256 product, uint256 y) private pure returns (uint256) {
        for (uint256 i; i < _STEPS; ++i) {
            uint256 now_ = _product(x, y);
            uint256 slope = x * x / _ONE * x / _ONE + 3 * x * (y * y / _ONE) / _ONE;
            uint256 step = (now_ > product ? now_ - product : product - now_) * _ONE / slope;
            if (step == 0) return y + 1;
            y = now_ > product ? y - step : y + step;
        }
        return y + 1;
    }

    function _keyOf(address a, address b, bool stable) private pure returns (bytes32) {
        return a < b ? keccak256(abi.encode(a, b, stable)) : keccak256(abi.encode(b, a, stable));
    }
}
