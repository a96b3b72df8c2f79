// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice The function of WETH9 that pays native currency out.
interface IUnwrapping {
    function withdraw(uint256 amount) external;
}
