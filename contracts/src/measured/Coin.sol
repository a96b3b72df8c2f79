// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title  Coin
/// @notice Plain OpenZeppelin ERC-20, with which the gas of sweeps is measured.
contract Coin is ERC20 {
    constructor(string memory name) ERC20(name, name) { }

    /// @notice Gives `to` new units.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
