// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @notice Code of an account that burns all the gas it is given.
contract GasBurner {
    fallback() external {
        while (true) { }
    }
}

/// @notice Code of an account that returns, or reverts with, as much as it can pay for.
contract ReturnBomb {
    fallback(bytes calldata data) external returns (bytes memory) {
        bool fails = data.length == 1;
        assembly ("memory-safe") {
            if fails { revert(0, 300000) }
            return(0, 300000)
        }
    }
}

/// @notice Some other project's delegate. It can write the account's storage and make the account call anything.
contract ForeignDelegate {
    function store(bytes32 slot, bytes32 value) external {
        assembly ("memory-safe") {
            sstore(slot, value)
        }
    }

    function perform(address to, bytes calldata data) external returns (bytes memory) {
        (bool ok, bytes memory result) = to.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        return result;
    }

    receive() external payable { }
}
