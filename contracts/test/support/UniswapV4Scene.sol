// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IUniswapV4PoolManager } from "../../src/interfaces/IUniswapV4PoolManager.sol";
import { IUniswapV4Router } from "../../src/interfaces/IUniswapV4Router.sol";
import { ICoin } from "./Deployed.sol";
import { SweepTest } from "./SweepTest.sol";

interface IRouter is IUniswapV4Router {
    function unlockCallback(bytes calldata data) external returns (bytes memory);
}

interface IPoolManagerAdmin is IUniswapV4PoolManager {
    function initialize(PoolKey memory key, uint160 sqrtPriceX96) external returns (int24);
    function settleFor(address recipient) external payable returns (uint256);
}

interface IPoolModifyLiquidityTest {
    struct ModifyLiquidityParams {
        int24 tickLower;
        int24 tickUpper;
        int256 liquidityDelta;
        bytes32 salt;
    }

    function modifyLiquidity(
        IUniswapV4PoolManager.PoolKey memory key,
        ModifyLiquidityParams memory params,
        bytes memory hookData
    ) external payable returns (int256);
}

interface IWeth {
    function deposit() external payable;
    function approve(address spender, uint256 amount) external returns (bool);
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external returns (bool);
}

/// @notice The published PoolManager with funded pools, and the router.
abstract contract UniswapV4Scene is SweepTest {
    uint24 internal constant POOL_FEE = 3000;
    int24 internal constant SPACING = 60;
    uint256 internal constant AMOUNT = 1000e18;

    IPoolManagerAdmin internal manager;
    IPoolModifyLiquidityTest internal liquidity;
    IRouter internal router;
    ICoin internal coin;
    ICoin internal other;
    IWeth internal weth;

    receive() external payable { }

    function _scene() internal {
        vm.warp(1_800_000_000);
        manager = IPoolManagerAdmin(_v4("PoolManager.sol/PoolManager.default.json", abi.encode(address(this))));
        liquidity = IPoolModifyLiquidityTest(
            _v4("PoolModifyLiquidityTest.sol/PoolModifyLiquidityTest.default.json", abi.encode(manager))
        );
        weth = IWeth(weth9());
        router = IRouter(_create(abi.encodePacked(_released("UniswapV4Router"), abi.encode(manager, weth))));
        coin = _coin("COIN");
        other = _coin("OTHER");
        vm.deal(address(this), type(uint128).max);
        weth.deposit{ value: 1e30 }();
        weth.approve(address(liquidity), type(uint256).max);
        for (uint256 i; i < 2; ++i) {
            ICoin each = i == 0 ? coin : other;
            each.mint(address(this), 1e36);
            each.approve(address(liquidity), type(uint256).max);
        }
        _open(address(coin), address(other), address(0), 10_000_000e18);
        _open(address(0), address(coin), address(0), 10_000_000e18);
        _open(address(weth), address(other), address(0), 10_000_000e18);
    }

    /// @dev A pool at price 1 with liquidity over the whole range.
    function _open(address a, address b, address hooks, int256 depth) internal {
        _open(a, b, hooks, depth, 887_220);
    }

    function _open(address a, address b, address hooks, int256 depth, int24 reach) internal {
        (address first, address second) = a < b ? (a, b) : (b, a);
        IUniswapV4PoolManager.PoolKey memory key =
            IUniswapV4PoolManager.PoolKey(first, second, POOL_FEE, SPACING, hooks);
        manager.initialize(key, 1 << 96);
        uint256 value = first == address(0) ? 1e30 : 0;
        liquidity.modifyLiquidity{ value: value }(
            key, IPoolModifyLiquidityTest.ModifyLiquidityParams(-reach, reach, depth, 0), ""
        );
    }

    function _v4(string memory path, bytes memory arguments) internal returns (address) {
        string memory file = vm.readFile(string.concat("../node_modules/@uniswap/v4-periphery/foundry-out/", path));
        return _create(abi.encodePacked(vm.parseJsonBytes(file, ".bytecode.object"), arguments));
    }

    function _hop(address currency, address hooks) internal pure returns (IUniswapV4Router.Hop memory) {
        return IUniswapV4Router.Hop(currency, POOL_FEE, SPACING, hooks);
    }

    /// @dev A swap along pools of these currencies.
    function _swapOf(address from, address to, uint256 amount, address recipient, address[] memory currencies)
        internal
        view
        returns (IUniswapV4Router.ExactInput memory swap)
    {
        IUniswapV4Router.Hop[] memory hops = new IUniswapV4Router.Hop[](currencies.length);
        for (uint256 i; i < hops.length; ++i) {
            hops[i] = _hop(currencies[i], address(0));
        }
        swap = IUniswapV4Router.ExactInput(from, to, recipient, amount, 1, block.timestamp, false, hops);
    }

    function _two(address first, address second) internal pure returns (address[] memory list) {
        list = new address[](2);
        (list[0], list[1]) = (first, second);
    }

    function _assertRouterIsEmpty() internal view {
        assertEq(address(router).balance, 0);
        assertEq(weth.balanceOf(address(router)), 0);
        assertEq(coin.balanceOf(address(router)), 0);
        assertEq(other.balanceOf(address(router)), 0);
    }
}
