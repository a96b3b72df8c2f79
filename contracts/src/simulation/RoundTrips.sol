// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The used function of Uniswap v3's QuoterV2.
interface IQuoterV2 {
    struct QuoteExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function quoteExactInputSingle(QuoteExactInputSingleParams memory params)
        external
        returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate);
}

/// @title  RoundTrips
/// @notice Buys tokens for a fixed value and sells them again, each at the best of a quoter's pools, without moving any. A sale
///         depends on its purchase, so that a node would be asked twice. It is never deployed: its code is put in the place of an
///         account for one `eth_call`.
contract RoundTrips {
    /// @param token  Token that pays.
    /// @param amount Its amount at the start of a trip.
    /// @param worth  Value of that amount in the stable's smallest unit.
    struct Money {
        address token;
        uint256 amount;
        uint256 worth;
    }

    /// @param bought   Amount of the token in the middle of the trip.
    /// @param returned Amount of the stable at its end. 0 if the token has no pool.
    struct Trip {
        uint256 bought;
        uint256 returned;
    }

    /// @param quoter       QuoterV2.
    /// @param fees         Fee tiers of pools, in hundredths of a basis point.
    /// @param stable       The unit of account.
    /// @param native       The wrapped native currency. An amount of 0 is measured first, by a trip of the stable. The zero address
    ///                     if it pays for nothing.
    /// @param toleranceBps Loss or gain of that trip up to which the native currency pays for tokens, too.
    /// @param stables      Tokens that are bought with the stable only.
    /// @param tokens       Tokens that are bought with the better of the two.
    struct Journey {
        IQuoterV2 quoter;
        uint24[] fees;
        Money stable;
        Money native;
        uint256 toleranceBps;
        address[] stables;
        address[] tokens;
    }

    /// @dev Gas of one quote. A pool that needs more for the value of a trip is too thin, and a hostile token burns no more.
    uint256 private constant _QUOTE_GAS = 1_000_000;

    /// @notice Makes all trips on the same state.
    function run(Journey memory journey)
        external
        returns (Trip memory native, Trip[] memory stables, Trip[] memory tokens)
    {
        Money[] memory monies = new Money[](1);
        monies[0] = journey.stable;
        if (journey.native.amount == 0 && journey.native.token != address(0)) {
            native = _trip(journey, journey.native.token, monies);
            if (_isNear(native.returned, journey.stable.worth, journey.toleranceBps)) {
                journey.native.amount = native.bought;
                journey.native.worth = native.returned;
            }
        }
        stables = _trips(journey, journey.stables, monies);
        if (journey.native.amount > 0) {
            monies = new Money[](2);
            monies[0] = journey.stable;
            monies[1] = journey.native;
        }
        tokens = _trips(journey, journey.tokens, monies);
    }

    function _trips(Journey memory journey, address[] memory tokens, Money[] memory monies)
        private
        returns (Trip[] memory trips)
    {
        trips = new Trip[](tokens.length);
        for (uint256 i; i < tokens.length; ++i) {
            trips[i] = _trip(journey, tokens[i], monies);
        }
    }

    function _trip(Journey memory journey, address token, Money[] memory monies) private returns (Trip memory trip) {
        for (uint256 i; i < monies.length; ++i) {
            uint256 amount = _best(journey, monies[i].token, token, monies[i].amount);
            if (amount > trip.bought) trip.bought = amount;
        }
        if (trip.bought == 0) return trip;
        for (uint256 i; i < monies.length; ++i) {
            uint256 amount = _best(journey, token, monies[i].token, trip.bought);
            // A pool that pays more than this is not worth a revert of all trips.
            if (amount > type(uint128).max || monies[i].worth > type(uint128).max) continue;
            uint256 worth = amount * monies[i].worth / monies[i].amount;
            if (worth > trip.returned) trip.returned = worth;
        }
    }

    /// @dev Output of the best pool; 0 if none has a quote.
    function _best(Journey memory journey, address tokenIn, address tokenOut, uint256 amountIn)
        private
        returns (uint256 most)
    {
        for (uint256 i; i < journey.fees.length; ++i) {
            (bool success, bytes memory answer) = address(journey.quoter).call{ gas: _QUOTE_GAS }(
                abi.encodeCall(
                    IQuoterV2.quoteExactInputSingle,
                    (IQuoterV2.QuoteExactInputSingleParams(tokenIn, tokenOut, amountIn, journey.fees[i], 0))
                )
            );
            if (!success || answer.length != 128) continue;
            uint256 amount = abi.decode(answer, (uint256));
            if (amount > most) most = amount;
        }
    }

    function _isNear(uint256 value, uint256 target, uint256 toleranceBps) private pure returns (bool) {
        if (value > type(uint128).max) return false;
        uint256 distance = value > target ? value - target : target - value;
        return distance * 10_000 <= target * toleranceBps;
    }
}
