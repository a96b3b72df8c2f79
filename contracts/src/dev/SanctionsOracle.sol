// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { Ownable } from "@openzeppelin/contracts/access/Ownable.sol";

/// @notice Sanctions list with the interface of the Chainalysis oracle, for local networks.
contract SanctionsOracle is Ownable {
    mapping(address account => bool) private _sanctioned;

    event SanctionedAddressesAdded(address[] addrs);
    event SanctionedAddressesRemoved(address[] addrs);

    constructor(address owner) Ownable(owner) { }

    /// @notice Lists addresses.
    function addToSanctionsList(address[] calldata accounts) external onlyOwner {
        for (uint256 i; i < accounts.length; ++i) {
            _sanctioned[accounts[i]] = true;
        }
        emit SanctionedAddressesAdded(accounts);
    }

    /// @notice Removes addresses.
    function removeFromSanctionsList(address[] calldata accounts) external onlyOwner {
        for (uint256 i; i < accounts.length; ++i) {
            _sanctioned[accounts[i]] = false;
        }
        emit SanctionedAddressesRemoved(accounts);
    }

    /// @notice Returns true when an address is listed.
    function isSanctioned(address account) external view returns (bool) {
        return _sanctioned[account];
    }
}
