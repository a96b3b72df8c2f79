// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { Test } from "forge-std/Test.sol";
import { IQuoterV2, RoundTrips } from "../src/simulation/RoundTrips.sol";

/// @notice A quoter with fixed rates of single pools, and pools that burn gas or overflow.
contract MockQuoter {
    mapping(address tokenIn => mapping(address tokenOut => mapping(uint24 fee => uint256))) private _rates;

    uint256 public constant ONE = 1e18;
    uint256 public constant BURN = type(uint256).max;

    function set(address tokenIn, address tokenOut, uint24 fee, uint256 rate) external {
        _rates[tokenIn][tokenOut][fee] = rate;
    }

    function quoteExactInputSingle(IQuoterV2.QuoteExactInputSingleParams memory params)
        external
        view
        returns (uint256 amountOut, uint160, uint32, uint256)
    {
        uint256 rate = _rates[params.tokenIn][params.tokenOut][params.fee];
        require(rate > 0, "no pool");
        if (rate == BURN) while (true) { }
        return (rate > 1e60 ? rate : params.amountIn * rate / ONE, 0, 0, 0);
    }
}

/// @notice Trips buy and sell at the best pools, and a hostile pool spoils none but its own token's.
contract RoundTripsTest is Test {
    address private constant STABLE = address(0xd1);
    address private constant NATIVE = address(0xe1);
    address private constant TOKEN = address(0xb1);
    address private constant HOSTILE = address(0xb2);
    uint256 private constant WORTH = 100e6;

    RoundTrips private trips;
    MockQuoter private quoter;

    function setUp() public {
        trips = new RoundTrips();
        quoter = new MockQuoter();
        _market(STABLE, NATIVE, 500, 5e14);
        _market(STABLE, TOKEN, 3000, 0.5e18);
    }

    function test_BuysAndSellsAtTheBestPool() public {
        quoter.set(STABLE, TOKEN, 100, 0.4e18);
        quoter.set(TOKEN, STABLE, 100, 1.99e18);
        (RoundTrips.Trip memory native,, RoundTrips.Trip[] memory tokens) = trips.run(_journey(TOKEN));
        assertEq(native.bought, WORTH * 5e14 / 1e18);
        assertEq(native.returned, WORTH);
        assertEq(tokens[0].bought, WORTH / 2);
        assertEq(tokens[0].returned, WORTH);
    }

    function test_TheNativeCurrencyPaysIfItsMarketIsSound() public {
        _market(NATIVE, HOSTILE, 500, 1e18);
        (,, RoundTrips.Trip[] memory tokens) = trips.run(_journey(HOSTILE));
        assertEq(tokens[0].returned, WORTH);

        // 1 % more than the tolerance.
        quoter.set(NATIVE, STABLE, 500, 2000e18 * 94 / 100);
        (,, tokens) = trips.run(_journey(HOSTILE));
        assertEq(tokens[0].returned, 0);

        RoundTrips.Journey memory journey = _journey(HOSTILE);
        journey.native.token = address(0);
        (RoundTrips.Trip memory native,,) = trips.run(journey);
        assertEq(native.bought, 0);
    }

    function test_AKnownNativePriceIsNotMeasuredAgain() public {
        _market(NATIVE, HOSTILE, 500, 1e18);
        RoundTrips.Journey memory journey = _journey(HOSTILE);
        journey.native = RoundTrips.Money(NATIVE, 1e6, WORTH);
        (RoundTrips.Trip memory native,, RoundTrips.Trip[] memory tokens) = trips.run(journey);
        assertEq(native.bought, 0);
        assertEq(tokens[0].bought, 1e6);
        assertEq(tokens[0].returned, WORTH);
    }

    function test_HostilePoolsLeaveTheOthersAlone() public {
        quoter.set(STABLE, HOSTILE, 500, 1e18);
        quoter.set(HOSTILE, STABLE, 500, quoter.BURN());
        quoter.set(HOSTILE, STABLE, 100, type(uint256).max - 1);
        RoundTrips.Journey memory journey = _journey(HOSTILE);
        journey.tokens = new address[](2);
        journey.tokens[0] = HOSTILE;
        journey.tokens[1] = TOKEN;
        (,, RoundTrips.Trip[] memory tokens) = trips.run{ gas: 10_000_000 }(journey);
        assertEq(tokens[0].returned, 0);
        assertEq(tokens[1].returned, WORTH);
    }

    function test_AQuoterWithoutCodeHasNoTrips() public {
        RoundTrips.Journey memory journey = _journey(TOKEN);
        journey.quoter = IQuoterV2(address(0xdead));
        (RoundTrips.Trip memory native,, RoundTrips.Trip[] memory tokens) = trips.run(journey);
        assertEq(native.returned + tokens[0].returned, 0);
    }

    /// @dev A market without a spread: `rate` units of `to` for 1e18 of `from`.
    function _market(address from, address to, uint24 fee, uint256 rate) private {
        quoter.set(from, to, fee, rate);
        quoter.set(to, from, fee, 1e36 / rate);
    }

    function _journey(address token) private view returns (RoundTrips.Journey memory journey) {
        journey.quoter = IQuoterV2(address(quoter));
        journey.fees = new uint24[](3);
        (journey.fees[0], journey.fees[1], journey.fees[2]) = (100, 500, 3000);
        journey.stable = RoundTrips.Money(STABLE, WORTH, WORTH);
        journey.native.token = NATIVE;
        journey.toleranceBps = 500;
        journey.tokens = new address[](1);
        journey.tokens[0] = token;
    }
}
