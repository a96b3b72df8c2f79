// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title  Sweep entry
/// @notice Runs several sweeps in one transaction. It holds nothing and has no rights beyond those of its caller.
interface ISweepEntry {
    /// @notice One sweep of a batch.
    /// @param account  Delegated account.
    /// @param gasLimit Maximum gas of this sweep.
    /// @param data     Encoded `execute(order, signature)`.
    struct Item {
        address account;
        uint64 gasLimit;
        bytes data;
    }

    /// @notice The transaction's gas does not cover the gas limit of an item.
    error InsufficientGas();
    /// @notice There are more than 256 items. The result has one bit per item.
    error TooManyItems();

    /// @notice Runs every item whose account is delegated to this system's delegate, and skips the others. An item that fails, burns
    ///         its gas or returns huge data does not affect the others.
    /// @dev    Reverts as a whole only when the caller supplied too little gas. So a gas estimate cannot end at an amount
    ///         at which items are skipped.
    /// @param  items     At most 256 sweeps.
    /// @return okBitmap  Bit `i` is set when item `i` ran, succeeded and returned exactly one word.
    function run(Item[] calldata items) external returns (uint256 okBitmap);
}
