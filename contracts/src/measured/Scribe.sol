// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title  Scribe
/// @notice Counts its calls, and returns its caller and the wei that came with the call. It measures its own gas.
contract Scribe {
    uint256 public calls;

    function note() external payable returns (uint256 count, address caller, uint256 value) {
        return (++calls, msg.sender, msg.value);
    }

    /// @notice Fails with less gas than a simulation would have.
    function shy(uint256 least) external view {
        require(gasleft() >= least);
    }

    function burn(uint256 rounds) external view returns (uint256 used) {
        uint256 before = gasleft();
        for (uint256 i; i < rounds; ++i) {
            used ^= uint256(keccak256(abi.encode(i)));
        }
        used = before - gasleft();
    }
}
