// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

/// @title  Errors of a sweep
/// @notice Reasons for which a sweep reverts. The guard's errors pass through the delegate unchanged, so both share this
///         list and a client decodes a revert with either ABI.
interface ISweepErrors {
    /// @notice The order names another owner than the account that executes it.
    error OwnerMismatch();
    /// @notice The EIP-712 signature was not made by the account's own key.
    error BadSignature();
    /// @notice The order's deadline has passed.
    error Expired();
    /// @notice The nonce was already spent or cancelled.
    error NonceUsed();
    /// @notice The delegate of the first generation ran this order, or its owner cancelled the nonce at the guard of that one.
    error NonceUsedEarlier();
    /// @notice The nonce names the guard of another deployment. No order runs under two guards.
    error ForeignNonce();
    /// @notice The fees leave nothing to swap.
    error FeesExceedInput();
    /// @notice A builder fee was set without a builder to receive it.
    error BuilderFeeWithoutBuilder();
    /// @notice The swap target is a party to the order, a contract of this system, Permit2, or has no code.
    error BadSwapTarget();
    /// @notice The swap target is not on the guard's allow-list, its timelock is still running, or it is a router for an
    ///         order that leaves the chain, or a bridge for one that stays.
    error TargetNotAllowed();
    /// @notice Another sweep is in progress in this transaction.
    error Locked();
    /// @notice The caller is not an EIP-7702 account that is delegated to this guard's delegate.
    error NotADelegatedAccount();
    /// @notice Input and output are the same token.
    error SameToken();
    /// @notice A same-chain order has no minimum output.
    error ZeroMinOut();
    /// @notice The swap target reverted.
    /// @param reason Its revert data, cut at 256 bytes.
    error SwapFailed(bytes reason);
    /// @notice More of the input token left the account than the order allows.
    error InputOverspent();
    /// @notice The destination received less than the minimum output.
    error InsufficientOutput();
    /// @notice The caller lacks the right for this call.
    error Unauthorized();
    /// @notice The input token refused a fee transfer.
    error TransferFailed();
    /// @notice The input token refused an approval.
    error ApproveFailed();
}
