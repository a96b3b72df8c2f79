// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { Ownable } from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice Token whose issuer can block an address from sending and receiving, for local networks. Anyone may mint.
contract DevBlocklistToken is ERC20, Ownable {
    uint8 private immutable _DECIMALS;

    /// @notice Addresses that may neither send nor receive.
    mapping(address account => bool) public isBlocked;

    /// @notice A party of the transfer is blocked.
    error Blocked(address account);

    constructor(string memory name, string memory symbol, uint8 decimals_, address issuer)
        ERC20(name, symbol)
        Ownable(issuer)
    {
        _DECIMALS = decimals_;
    }

    /// @notice Blocks or unblocks an address.
    function setBlocked(address account, bool blocked) external onlyOwner {
        isBlocked[account] = blocked;
    }

    /// @notice Creates `amount` for `to`.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    /// @inheritdoc ERC20
    function decimals() public view override returns (uint8) {
        return _DECIMALS;
    }

    function _update(address from, address to, uint256 value) internal override {
        if (isBlocked[from]) revert Blocked(from);
        if (isBlocked[to]) revert Blocked(to);
        super._update(from, to, value);
    }
}
