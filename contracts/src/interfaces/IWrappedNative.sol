// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The function of WETH9 that a sweep of native currency calls.
interface IWrappedNative {
    /// @notice Mints wrapped currency for the value sent.
    function deposit() external payable;
}
