// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepErrors } from "./ISweepErrors.sol";

/// @notice Purpose of a target. A router takes orders that stay on the chain, a bridge those that leave it.
enum Kind {
    Router,
    Bridge
}

/// @notice Report of a finished sweep to the guard: the words of {ISweepGuard-Swept} without the owner.
struct SweepReport {
    bytes32 orderHash;
    address builder;
    address tokenIn;
    uint256 amountIn;
    uint256 feeAmount;
    uint256 builderFee;
    address tokenOut;
    uint256 amountOut;
    address destination;
    address swapTarget;
    uint256 nonce;
    uint256 destChainId;
}

/// @title  Sweep guard
/// @notice Shared state of all sweeps of a chain: spent nonces, the allow-list of targets, one lock, and the log.
interface ISweepGuard is ISweepErrors {
    /// @notice A sweep settled. Only this event proves it; a receipt's status does not.
    /// @param orderHash   EIP-712 digest the owner signed.
    /// @param owner       Account that was swept.
    /// @param builder     Recipient of the builder fee, or zero.
    /// @param tokenIn     Token taken, or the native sentinel.
    /// @param amountIn    Amount of the order, fees included.
    /// @param feeAmount   Protocol fee.
    /// @param builderFee  Builder fee.
    /// @param tokenOut    Token delivered, or the native sentinel.
    /// @param amountOut   Amount the destination received; zero for an order that leaves the chain.
    /// @param destination Recipient.
    /// @param swapTarget  Router or bridge that was called.
    /// @param nonce       Nonce that was spent.
    /// @param destChainId Chain of delivery.
    event Swept(
        bytes32 indexed orderHash,
        address indexed owner,
        address indexed builder,
        address tokenIn,
        uint256 amountIn,
        uint256 feeAmount,
        uint256 builderFee,
        address tokenOut,
        uint256 amountOut,
        address destination,
        address swapTarget,
        uint256 nonce,
        uint256 destChainId
    );
    /// @notice An owner cancelled a nonce without a sweep.
    event Cancelled(address indexed owner, uint256 nonce);
    /// @notice A target was listed. Sweeps may call it from `activeFrom` on (UNIX time).
    event TargetAdded(address indexed target, Kind kind, uint256 activeFrom);
    /// @notice A target was removed. Sweeps may no longer call it.
    event TargetRemoved(address indexed target);

    /// @notice The administrator of the allow-list or the fee recipient is the zero address.
    error ZeroAddress();
    /// @notice The guard of the first generation has no code.
    error NoPriorGuard();
    /// @notice The target is already listed, as a router or a bridge, active or within its timelock.
    error AlreadyListed();

    /// @notice Opens a sweep: takes the lock for the rest of the transaction. Reverts if the nonce is used. It spends nothing.
    /// @dev    Only an account whose code is the EIP-7702 designator of {delegate} may call.
    /// @param  nonce  Nonce of the order. Its upper 128 bits are the lower 128 bits of this guard's address.
    /// @param  kind   Bridge if the order delivers on another chain, else router.
    /// @param  target Contract that the sweep will call. It must be listed as this kind.
    function enter(uint256 nonce, Kind kind, address target) external;

    /// @notice Closes the sweep that the caller opened: releases the lock, spends the nonce and logs the sweep.
    /// @param  report Outcome, as {Swept} without the owner, which is the caller. Its nonce is the one that {enter} took.
    function exit(SweepReport calldata report) external;

    /// @notice Spends a nonce of the caller. It also works before the account is delegated.
    /// @param  nonce The nonce to spend. Its upper 128 bits are the lower 128 bits of this guard's address.
    function cancel(uint256 nonce) external;

    /// @notice Lists or removes a target. Only {owner} may call.
    /// @dev    A listed target becomes callable after {timelock}. A removal takes effect immediately.
    /// @param  target  Router or bridge; must have code, and must not be part of this system or Permit2.
    /// @param  kind    Kind to list it as. Not read for a removal.
    /// @param  allowed True to list, false to remove.
    function setTarget(address target, Kind kind, bool allowed) external;

    /// @notice Returns true when sweeps may call `target` as a target of this kind now.
    function isTarget(address target, Kind kind) external view returns (bool);

    /// @notice UNIX time from which sweeps may call `target`. Zero when it is not listed.
    function activeFrom(address target) external view returns (uint256);

    /// @notice Returns true when `account` has spent or cancelled `nonce`.
    function isNonceUsed(address account, uint256 nonce) external view returns (bool);

    /// @notice 256 nonces of an account: bit `n` of word `w` is nonce `256 w + n`.
    function nonceBitmap(address account, uint256 word) external view returns (uint256);

    /// @notice Code to which owners delegate; deployed by the guard's constructor.
    function delegate() external view returns (address);

    /// @notice Administrator of the allow-list.
    function owner() external view returns (address);

    /// @notice Seconds between listing a target and the first sweep that may call it.
    function timelock() external view returns (uint256);
}
