// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The functions of `Rehearsal` that tests call.
interface IRehearsal {
    struct Step {
        address from;
        address to;
        uint256 value;
        uint256 gasLimit;
        uint256 share;
        uint256 extra;
        bytes data;
    }

    struct Outcome {
        bool success;
        uint256 gasUsed;
        uint256 gasLimit;
        bytes returnData;
    }

    function MAX_RETURN_DATA() external view returns (uint256);
    function run(Step[] calldata steps) external returns (Outcome[] memory outcomes);
    function runApart(Step[] calldata steps) external returns (Outcome[] memory outcomes);
}
