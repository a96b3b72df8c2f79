// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepEntry } from "./interfaces/ISweepEntry.sol";

/// @title  Sweep entry
/// @notice Batches sweeps. A single sweep is cheaper when `execute` is called on the account directly.
contract SweepEntry is ISweepEntry {
    /// @dev Gas of a call before its callee starts: a warm account and its cold EIP-7702 delegate, 2,700, and the instructions
    ///      between the check and the call.
    uint256 private constant _CALL_OVERHEAD = 6000;

    /// @dev EXTCODEHASH of an account that delegates to the delegate: EIP-7702 hashes the designator itself.
    bytes32 private immutable _delegatedCodeHash;

    /// @param delegate Delegate of the accounts whose sweeps it runs.
    constructor(address delegate) {
        _delegatedCodeHash = keccak256(abi.encodePacked(hex"ef0100", delegate));
    }

    /// @inheritdoc ISweepEntry
    function run(Item[] calldata items) external returns (uint256 okBitmap) {
        if (items.length > 256) revert TooManyItems();
        for (uint256 i; i < items.length; ++i) {
            Item calldata item = items[i];
            address account = item.account;
            // An account may have been delegated elsewhere ahead of this transaction, to code that burns all its gas.
            if (account.codehash != _delegatedCodeHash) continue;
            okBitmap |= _try(account, item.gasLimit, item.data) << i;
        }
    }

    /// @dev Calls an account with bounded gas. Reads only the size of the return data.
    /// @return ok 1 when the call succeeded and returned one word, otherwise 0.
    function _try(address account, uint256 gasLimit, bytes calldata data) private returns (uint256 ok) {
        uint256 input;
        assembly ("memory-safe") {
            input := mload(0x40)
            calldatacopy(input, data.offset, data.length)
        }
        // EIP-150 gives a call at most 63/64 of the remaining gas, silently less than its limit when that is too little. The
        // calldata is already copied, since that takes gas as well.
        unchecked {
            // No overflow: an item's limit has 64 bits.
            if (gasleft() * 63 < (gasLimit + _CALL_OVERHEAD) * 64) revert InsufficientGas();
        }
        assembly ("memory-safe") {
            ok := call(gasLimit, account, 0, input, data.length, 0, 0)
            ok := and(ok, eq(returndatasize(), 0x20))
        }
    }
}
