// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The used functions of Uniswap v3's QuoterV2.
interface IQuoterV2 {
    struct QuoteExactInputSingleParams {
        address tokenIn;
        address tokenOut;
        uint256 amountIn;
        uint24 fee;
        uint160 sqrtPriceLimitX96;
    }

    function factory() external view returns (IUniswapV3Factory);

    function quoteExactInputSingle(QuoteExactInputSingleParams memory params)
        external
        returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate);
}

/// @notice The used function of Uniswap v3's factory.
interface IUniswapV3Factory {
    function getPool(address tokenA, address tokenB, uint24 fee) external view returns (address);
}

/// @notice The used functions of a Uniswap v3 pool.
interface IUniswapV3Pool {
    function slot0()
        external
        view
        returns (
            uint160 sqrtPriceX96,
            int24 tick,
            uint16 observationIndex,
            uint16 observationCardinality,
            uint16 observationCardinalityNext,
            uint8 feeProtocol,
            bool unlocked
        );

    function liquidity() external view returns (uint128);

    function observations(uint256 index)
        external
        view
        returns (uint32 time, int56 tickCumulative, uint160 secondsPerLiquidityCumulativeX128, bool initialized);

    function observe(uint32[] memory secondsAgos)
        external
        view
        returns (int56[] memory tickCumulatives, uint160[] memory secondsPerLiquidityCumulativeX128s);
}

/// @title  RoundTrips
/// @notice Reads every pool of some tokens: buys the token for a fixed value and sells it again in the same pool, sells much
///         more of it, and reads the pool's history. It moves no pool. A sale depends on its purchase, so that a node would be
///         asked several times. It is never deployed: its code is put in the place of an account for one `eth_call`.
contract RoundTrips {
    /// @param token  Token that pays.
    /// @param amount Its amount at the start of a trip.
    struct Money {
        address token;
        uint256 amount;
    }

    /// @param pool          The pool.
    /// @param money         Token that it pays with.
    /// @param fee           Its fee tier, in hundredths of a basis point.
    /// @param bought        Amount of the token in the middle of the trip.
    /// @param returned      Amount of the money at its end.
    /// @param depth         Amount of the money for {DEPTH} times `bought`, or for as much as moves the price by {_LIMIT}.
    /// @param tick          Tick of the current price.
    /// @param meanTick      Mean tick of the window. `tick` if the pool's observations do not reach back that far.
    /// @param liquidity     Liquidity at the current price.
    /// @param meanLiquidity Harmonic mean of it in the window. `liquidity` if the observations do not reach back that far.
    /// @param hasMean       True if they do.
    /// @param oldest        UNIX seconds of the pool's oldest observation. The pool was initialized then, or earlier.
    struct Reading {
        address pool;
        address money;
        uint24 fee;
        uint256 bought;
        uint256 returned;
        uint256 depth;
        int24 tick;
        int24 meanTick;
        uint128 liquidity;
        uint128 meanLiquidity;
        bool hasMean;
        uint32 oldest;
    }

    /// @param quoter  QuoterV2.
    /// @param fees    Fee tiers of pools, in hundredths of a basis point.
    /// @param window  Seconds of the time-weighted readings.
    /// @param stable  The unit of account.
    /// @param native  The wrapped native currency. An amount of 0 is measured first, by a trip of the stable over the deepest pool.
    /// @param stables Tokens that are bought with the stable only.
    /// @param tokens  Tokens that are bought with each of the two.
    struct Journey {
        IQuoterV2 quoter;
        uint24[] fees;
        uint32 window;
        Money stable;
        Money native;
        address[] stables;
        address[] tokens;
    }

    /// @notice The depth of a pool is measured up to this multiple of a trip.
    uint256 public constant DEPTH = 10_000;

    /// @dev Square root of 0.97, in millionths: a sale ends where it has moved the price by 3 %.
    uint256 private constant _LIMIT = 984_886;

    /// @dev Gas of a quote of a trip. A pool that needs more for that value is too thin, and a hostile token burns no more.
    uint256 private constant _QUOTE_GAS = 700_000;

    /// @dev Gas of the quote of a pool's depth.
    uint256 private constant _DEPTH_GAS = 1_500_000;

    /// @dev Gas of a pool, and of all pools of a token. Other tokens have theirs whatever one of them burns.
    uint256 private constant _POOL_GAS = 3_200_000;
    uint256 private constant _TOKEN_GAS = 10_000_000;

    /// @notice Reads the pools of all tokens in the same state. `time` is that of the block, in UNIX seconds.
    function run(Journey memory journey)
        external
        returns (
            uint256 time,
            uint256 nativeAmount,
            Reading[] memory native,
            Reading[][] memory stables,
            Reading[][] memory tokens
        )
    {
        time = block.timestamp;
        Money[] memory monies = new Money[](1);
        monies[0] = journey.stable;
        if (journey.native.amount == 0) {
            native = _read(journey, journey.native.token, monies);
            journey.native.amount = _deepest(native).bought;
        }
        nativeAmount = journey.native.amount;
        stables = _readAll(journey, journey.stables, monies);
        if (nativeAmount > 0) {
            monies = new Money[](2);
            monies[0] = journey.stable;
            monies[1] = journey.native;
        }
        tokens = _readAll(journey, journey.tokens, monies);
    }

    /// @notice Reads all pools of a token. Called by {run}, so that the gas of a token has a limit.
    function readToken(Journey memory journey, address token, Money[] memory monies)
        external
        returns (Reading[] memory readings)
    {
        IUniswapV3Factory factory = journey.quoter.factory();
        Reading[] memory found = new Reading[](monies.length * journey.fees.length);
        uint256 count;
        for (uint256 i; i < monies.length; ++i) {
            for (uint256 j; j < journey.fees.length; ++j) {
                address pool = factory.getPool(monies[i].token, token, journey.fees[j]);
                if (pool == address(0)) continue;
                try this.readPool{ gas: _POOL_GAS }(journey, pool, token, monies[i], journey.fees[j]) returns (
                    Reading memory reading
                ) {
                    found[count++] = reading;
                } catch { }
            }
        }
        readings = new Reading[](count);
        for (uint256 i; i < count; ++i) {
            readings[i] = found[i];
        }
    }

    /// @notice Reads one pool. Called by {readToken}, so that a pool without a quote leaves the others alone.
    function readPool(Journey memory journey, address pool, address token, Money memory money, uint24 fee)
        external
        returns (Reading memory reading)
    {
        IQuoterV2 quoter = journey.quoter;
        (reading.pool, reading.money, reading.fee) = (pool, money.token, fee);
        uint160 root = _readState(reading, journey.window);
        reading.bought = _quote(quoter, money.token, token, money.amount, fee, 0, _QUOTE_GAS);
        reading.returned = _quote(quoter, token, money.token, reading.bought, fee, 0, _QUOTE_GAS);
        uint256 limit = token < money.token ? root * _LIMIT / 1e6 : root * 1e6 / _LIMIT;
        // A limit of more than 160 bits wraps around to the other side of the price, and the pool refuses it.
        // forge-lint: disable-next-line(unsafe-typecast)
        reading.depth = _quote(quoter, token, money.token, reading.bought * DEPTH, fee, uint160(limit), _DEPTH_GAS);
    }

    function _readAll(Journey memory journey, address[] memory tokens, Money[] memory monies)
        private
        returns (Reading[][] memory readings)
    {
        readings = new Reading[][](tokens.length);
        for (uint256 i; i < tokens.length; ++i) {
            readings[i] = _read(journey, tokens[i], monies);
        }
    }

    function _read(Journey memory journey, address token, Money[] memory monies)
        private
        returns (Reading[] memory readings)
    {
        (bool success, bytes memory answer) =
            address(this).call{ gas: _TOKEN_GAS }(abi.encodeCall(this.readToken, (journey, token, monies)));
        return success ? abi.decode(answer, (Reading[])) : readings;
    }

    /// @dev Reads price, liquidity and history. Returns the square root of the price, as `slot0` has it.
    function _readState(Reading memory reading, uint32 window) private view returns (uint160 root) {
        IUniswapV3Pool pool = IUniswapV3Pool(reading.pool);
        uint16 index;
        uint16 cardinality;
        (root, reading.tick, index, cardinality,,,) = pool.slot0();
        bool isWritten;
        (reading.oldest,,, isWritten) = pool.observations((uint256(index) + 1) % cardinality);
        // Positions that the ring has grown by are empty until it comes to them.
        if (!isWritten) (reading.oldest,,,) = pool.observations(0);
        (reading.meanTick, reading.liquidity) = (reading.tick, pool.liquidity());
        reading.meanLiquidity = reading.liquidity;
        uint32[] memory ago = new uint32[](2);
        ago[0] = window;
        try pool.observe(ago) returns (int56[] memory ticks, uint160[] memory seconds_) {
            reading.hasMean = true;
            // A pool that answers with more than 24 bits may answer with any tick.
            // forge-lint: disable-next-line(unsafe-typecast)
            reading.meanTick = int24((ticks[1] - ticks[0]) / int56(uint56(window)));
            // Sums wrap around.
            unchecked {
                uint256 elapsed = seconds_[1] - seconds_[0];
                uint256 mean = elapsed == 0 ? 0 : (uint256(window) << 128) / elapsed;
                // forge-lint: disable-next-line(unsafe-typecast)
                reading.meanLiquidity = mean > type(uint128).max ? type(uint128).max : uint128(mean);
            }
        } catch { }
    }

    function _quote(
        IQuoterV2 quoter,
        address tokenIn,
        address tokenOut,
        uint256 amountIn,
        uint24 fee,
        uint160 limit,
        uint256 gas_
    ) private returns (uint256 amountOut) {
        (amountOut,,,) = quoter.quoteExactInputSingle{ gas: gas_ }(
            IQuoterV2.QuoteExactInputSingleParams(tokenIn, tokenOut, amountIn, fee, limit)
        );
    }

    /// @dev The pool that pays most; an empty reading without one.
    function _deepest(Reading[] memory readings) private pure returns (Reading memory deepest) {
        for (uint256 i; i < readings.length; ++i) {
            if (readings[i].depth > deepest.depth) deepest = readings[i];
        }
    }
}
