// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The functions of `RoundTrips` that tests call.
interface IRoundTrips {
    struct Money {
        address token;
        uint256 amount;
    }

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

    struct Journey {
        address quoter;
        uint24[] fees;
        uint32 window;
        Money stable;
        Money native;
        address[] stables;
        address[] tokens;
    }

    function DEPTH() external view returns (uint256);
    function run(Journey memory journey)
        external
        returns (
            uint256 time,
            uint256 nativeAmount,
            Reading[] memory native,
            Reading[][] memory stables,
            Reading[][] memory tokens
        );
}
