// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title  Sweep entry
/// @notice Runs several sweeps in one transaction. Holds nothing and may do nothing that its caller could not do.
interface ISweepEntry {
    /// @notice One sweep of a batch.
    /// @param account  Delegated account.
    /// @param gasLimit Gas this sweep may burn at most.
    /// @param data     Encoded `execute(order, signature)`.
    struct Item {
        address account;
        uint64 gasLimit;
        bytes data;
    }

    /// @notice The transaction's gas does not cover the gas limit of an item.
    error InsufficientGas();
    /// @notice The result has one bit per item, and a word has 256.
    error TooManyItems();

    /// @notice Runs every item. One that fails, burns its gas or returns a bomb leaves the others alone.
    /// @dev    Reverts as a whole only when the caller supplied too little gas, so that an estimate cannot settle on
    ///         an amount at which items are skipped.
    /// @param  items     At most 256 sweeps.
    /// @return okBitmap  Bit `i` is set when item `i` succeeded and returned exactly one word, which an account
    ///                   without code does not.
    function run(Item[] calldata items) external returns (uint256 okBitmap);
}
