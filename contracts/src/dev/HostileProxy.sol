// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Token behind a proxy that its master upgrades at any time. For attacks on a local network.
contract HostileProxy {
    /// @notice The only account that upgrades.
    address public immutable MASTER;

    /// @dev ERC-1967.
    bytes32 private constant _IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a33a8dd7f5b7ef4d1d;

    error NotMaster();

    constructor(address master, address implementation) {
        MASTER = master;
        _set(implementation);
    }

    /// @notice Replaces the code that runs on the proxy's storage.
    function upgradeTo(address implementation) external {
        if (msg.sender != MASTER) revert NotMaster();
        _set(implementation);
    }

    fallback() external {
        bytes32 slot = _IMPLEMENTATION;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function _set(address implementation) private {
        bytes32 slot = _IMPLEMENTATION;
        assembly {
            sstore(slot, implementation)
        }
    }
}
