// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { Deployed } from "./support/Deployed.sol";
import { IRoundTrips } from "./support/IRoundTrips.sol";

/// @notice A pool with a fixed state, whose observations reach back to `since`.
contract MockPool {
    uint160 private immutable _ROOT;
    uint32 private immutable _SINCE;

    constructor(uint160 root, uint32 since) {
        (_ROOT, _SINCE) = (root, since);
    }

    function slot0() external view returns (uint160, int24, uint16, uint16, uint16, uint8, bool) {
        return (_ROOT, 100, 1, 3, 3, 0, true);
    }

    function liquidity() external pure returns (uint128) {
        return 1000;
    }

    /// @dev The ring has grown to three places and written two.
    function observations(uint256 index) external view returns (uint32, int56, uint160, bool) {
        return index == 2 ? (1, int56(0), uint160(0), false) : (_SINCE + uint32(index) * 60, int56(0), uint160(0), true);
    }

    /// @dev Mean tick 40, mean liquidity 250.
    function observe(uint32[] memory ago) external view returns (int56[] memory ticks, uint160[] memory sums) {
        require(block.timestamp - ago[0] >= _SINCE, "OLD");
        ticks = new int56[](2);
        sums = new uint160[](2);
        (ticks[0], ticks[1]) = (1000, 1000 + 40 * int56(uint56(ago[0])));
        (sums[0], sums[1]) = (type(uint160).max, uint160((uint256(ago[0]) << 128) / 250 - 1));
    }
}

/// @notice Factory and quoter of pools with fixed rates, and of pools that burn gas.
contract MockUniswap {
    struct Pool {
        address pool;
        uint256 rate;
        uint256 most;
    }

    /// @dev Parameters of QuoterV2.
    struct Sale {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    mapping(address tokenIn => mapping(address tokenOut => mapping(uint24 fee => Pool))) private _pools;

    uint256 public constant ONE = 1e18;
    uint256 public constant BURN = type(uint256).max;

    /// @notice A pool that pays `rate` for 1e18, up to `most`.
    function set(address tokenIn, address tokenOut, uint24 fee, Pool memory pool) external {
        _pools[tokenIn][tokenOut][fee] = pool;
    }

    function factory() external view returns (address) {
        return address(this);
    }

    function getPool(address a, address b, uint24 fee) external view returns (address) {
        return _pools[a][b][fee].pool;
    }

    function quoteExactInputSingle(Sale memory params)
        external
        view
        returns (uint256 amountOut, uint160, uint32, uint256)
    {
        Pool memory pool = _pools[params.tokenIn][params.tokenOut][params.fee];
        if (pool.rate == BURN) while (true) { }
        amountOut = params.amountIn * pool.rate / ONE;
        // A sale beyond the limit of the price is not filled.
        if (amountOut > pool.most) {
            require(params.sqrtPriceLimitX96 > 0, "unlimited");
            amountOut = pool.most;
        }
        return (amountOut, 0, 0, 0);
    }
}

/// @notice Each pool is read by itself, and a hostile one spoils none but itself.
contract RoundTripsTest is Deployed {
    address private constant STABLE = address(0xd1);
    address private constant NATIVE = address(0xe1);
    address private constant TOKEN = address(0xb1);
    address private constant HOSTILE = address(0xb2);
    uint256 private constant WORTH = 100e6;
    uint160 private constant ROOT = 1 << 96;
    uint256 private constant NOW = 1_000_000;

    IRoundTrips private trips;
    MockUniswap private uniswap;

    function setUp() public {
        vm.warp(NOW);
        trips = IRoundTrips(_create(_released("RoundTrips")));
        uniswap = new MockUniswap();
        _market(STABLE, NATIVE, 500, 5e14, NOW - 1 days);
        _market(STABLE, TOKEN, 3000, 0.5e18, NOW - 1 days);
    }

    function test_SellsThroughThePoolThatWasBoughtFrom() public {
        // It sells the token at a fifth of the price. The other pool must not buy it.
        _market(STABLE, TOKEN, 100, 2.5e18, NOW);
        IRoundTrips.Reading[] memory pools = _pools(TOKEN);
        assertEq(pools.length, 2);
        assertEq(pools[0].fee, 100);
        assertEq(pools[0].bought, WORTH * 5 / 2);
        assertEq(pools[0].returned, WORTH);
        assertEq(pools[1].bought, WORTH / 2);
        assertEq(pools[1].returned, WORTH);
    }

    function test_DepthEndsWhereThePriceHasMoved() public {
        MockPool pool = new MockPool(ROOT, uint32(NOW));
        uniswap.set(STABLE, TOKEN, 100, MockUniswap.Pool(address(pool), 1e18, type(uint128).max));
        uniswap.set(TOKEN, STABLE, 100, MockUniswap.Pool(address(pool), 1e18, 150e6));
        IRoundTrips.Reading[] memory pools = _pools(TOKEN);
        assertEq(pools[0].depth, 150e6);
        assertEq(pools[1].depth, trips.DEPTH() * WORTH);
    }

    function test_ReadsTheMeanWhereObservationsReachBack() public {
        _market(STABLE, TOKEN, 100, 1e18, NOW - 599);
        IRoundTrips.Reading[] memory pools = _pools(TOKEN);
        assertFalse(pools[0].hasMean);
        assertEq(pools[0].meanTick, 100);
        assertEq(pools[0].meanLiquidity, 1000);
        assertTrue(pools[1].hasMean);
        assertEq(pools[1].tick, 100);
        assertEq(pools[1].meanTick, 40);
        assertApproxEqAbs(pools[1].meanLiquidity, 250, 1);
    }

    function test_TheOldestObservationIsTheFirstWrittenOne() public {
        IRoundTrips.Reading[] memory pools = _pools(TOKEN);
        assertEq(pools[0].oldest, NOW - 1 days);
    }

    function test_TheNativeCurrencyPaysToo() public {
        _market(NATIVE, HOSTILE, 500, 1e18, NOW);
        (uint256 time, uint256 amount, IRoundTrips.Reading[] memory native,, IRoundTrips.Reading[][] memory tokens) =
            trips.run(_journey(HOSTILE));
        assertEq(time, NOW);
        assertEq(amount, WORTH * 5e14 / 1e18);
        assertEq(native[0].returned, WORTH);
        assertEq(tokens[0][0].money, NATIVE);
        assertEq(tokens[0][0].returned, amount);

        IRoundTrips.Journey memory journey = _journey(HOSTILE);
        journey.native.amount = 1e6;
        (, amount, native,, tokens) = trips.run(journey);
        assertEq(native.length, 0);
        assertEq(tokens[0][0].bought, 1e6);
    }

    function test_HostilePoolsLeaveTheOthersAlone() public {
        MockPool pool = new MockPool(ROOT, uint32(NOW));
        for (uint256 i; i < 2; ++i) {
            address money = i == 0 ? STABLE : NATIVE;
            for (uint256 j; j < 3; ++j) {
                uniswap.set(money, HOSTILE, _fees()[j], MockUniswap.Pool(address(pool), uniswap.BURN(), 0));
            }
        }
        IRoundTrips.Journey memory journey = _journey(HOSTILE);
        journey.tokens = new address[](2);
        (journey.tokens[0], journey.tokens[1]) = (HOSTILE, TOKEN);
        (,,,, IRoundTrips.Reading[][] memory tokens) = trips.run{ gas: 25_000_000 }(journey);
        assertEq(tokens[0].length, 0);
        assertEq(tokens[1][0].returned, WORTH);
    }

    function test_AQuoterWithoutCodeHasNoPools() public {
        IRoundTrips.Journey memory journey = _journey(TOKEN);
        journey.quoter = address(0xdead);
        (, uint256 amount, IRoundTrips.Reading[] memory native,, IRoundTrips.Reading[][] memory tokens) =
            trips.run(journey);
        assertEq(amount + native.length + tokens[0].length, 0);
    }

    function _pools(address token) private returns (IRoundTrips.Reading[] memory) {
        (,,,, IRoundTrips.Reading[][] memory tokens) = trips.run(_journey(token));
        return tokens[0];
    }

    /// @dev A deep pool without a spread: `rate` units of `to` for 1e18 of `from`.
    function _market(address from, address to, uint24 fee, uint256 rate, uint256 since) private {
        MockPool pool = new MockPool(ROOT, uint32(since));
        uniswap.set(from, to, fee, MockUniswap.Pool(address(pool), rate, type(uint128).max));
        uniswap.set(to, from, fee, MockUniswap.Pool(address(pool), 1e36 / rate, type(uint128).max));
    }

    function _fees() private pure returns (uint24[] memory fees) {
        fees = new uint24[](3);
        (fees[0], fees[1], fees[2]) = (100, 500, 3000);
    }

    function _journey(address token) private view returns (IRoundTrips.Journey memory journey) {
        journey.quoter = address(uniswap);
        journey.fees = _fees();
        journey.window = 600;
        journey.stable = IRoundTrips.Money(STABLE, WORTH);
        journey.native.token = NATIVE;
        journey.tokens = new address[](1);
        journey.tokens[0] = token;
    }
}
