// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SweepDelegate } from "./SweepDelegate.sol";
import { ISweepGuard, Kind, SweepReport } from "./interfaces/ISweepGuard.sol";

/// @title  Sweep guard
/// @notice One per chain. It prevents two attacks. A hostile hop in one owner's swap could run another owner's public
///         order to the same destination, so that one delivery satisfies two balance checks: the lock prevents that.
///         An order's "swap" could be a transfer of another token: the allow-list prevents that.
/// @dev    Nonces are stored here and not in the account, because another delegate could rewrite the account's storage
///         and make an earlier order run again.
contract SweepGuard is ISweepGuard {
    /// @dev Canonical Permit2. As a target it would let an order spend the owner's Permit2 allowances.
    address private constant _PERMIT2 = 0x000000000022D473030F116dDEE9F6B43aC78BA3;

    /// @dev Marks a bridge in {_targets}.
    uint256 private constant _BRIDGE = 1 << 255;

    /// @inheritdoc ISweepGuard
    address public immutable delegate;
    /// @inheritdoc ISweepGuard
    address public immutable owner;
    /// @inheritdoc ISweepGuard
    uint256 public immutable timelock;

    /// @dev EXTCODEHASH of an account that delegates to {delegate}: EIP-7702 hashes the designator itself.
    bytes32 private immutable _delegatedCodeHash;

    /// @dev Slot of the nonce of the sweep in progress, which stands for its account too: a slot is a hash of both. Transient
    ///      (EIP-1153), so it is zero at the start of every transaction.
    bytes32 private transient _lock;

    /// @dev UNIX time from which sweeps may call a target; with {_BRIDGE} for a bridge. Zero when it is not listed.
    mapping(address target => uint256) private _targets;

    /// @notice Deploys the delegate as well, so that one CREATE2 fixes both addresses and each contract knows the other.
    /// @param  owner_        Administrator of the allow-list.
    /// @param  timelock_     Seconds before a newly listed target may be called.
    /// @param  feeRecipient  Recipient of protocol fees.
    /// @param  wrappedNative Token into which native input is wrapped; zero if the chain has none.
    /// @param  domainName    EIP-712 domain name of orders, at most 31 bytes.
    /// @param  priorGuard    Guard of the first generation on this chain; zero if there is none.
    /// @param  routers       Routers that may be called from the start.
    /// @param  bridges       Bridges that may be called from the start.
    constructor(
        address owner_,
        uint256 timelock_,
        address feeRecipient,
        address wrappedNative,
        string memory domainName,
        address priorGuard,
        address[] memory routers,
        address[] memory bridges
    ) {
        if (owner_ == address(0) || feeRecipient == address(0)) revert ZeroAddress();
        if (priorGuard != address(0) && priorGuard.code.length == 0) revert NoPriorGuard();
        owner = owner_;
        timelock = timelock_;
        delegate = address(new SweepDelegate(feeRecipient, wrappedNative, domainName, priorGuard));
        _delegatedCodeHash = keccak256(abi.encodePacked(hex"ef0100", delegate));
        for (uint256 i; i < routers.length; ++i) {
            _list(routers[i], Kind.Router, block.timestamp);
        }
        for (uint256 i; i < bridges.length; ++i) {
            _list(bridges[i], Kind.Bridge, block.timestamp);
        }
    }

    /// @inheritdoc ISweepGuard
    function enter(uint256 nonce, Kind kind, address target) external {
        // A delegated account can also send a transaction of its own, and then only this function runs. So it stores nothing.
        if (msg.sender.codehash != _delegatedCodeHash) revert NotADelegatedAccount();
        if (_lock != 0) revert Locked();
        if (!_isActive(target, _mark(kind))) revert TargetNotAllowed();
        bytes32 slot = _ownSlot(nonce);
        if (_isUsed(slot, nonce)) revert NonceUsed();
        _lock = slot;
    }

    /// @inheritdoc ISweepGuard
    function exit(SweepReport calldata report) external {
        uint256 nonce = report.nonce;
        bytes32 slot = _nonceSlot(msg.sender, nonce >> 8);
        if (_lock != slot) revert Unauthorized();
        _lock = 0;
        _spend(slot, nonce);
        _log(report);
    }

    /// @inheritdoc ISweepGuard
    function cancel(uint256 nonce) external {
        _spend(_ownSlot(nonce), nonce);
        emit Cancelled(msg.sender, nonce);
    }

    /// @inheritdoc ISweepGuard
    function setTarget(address target, Kind kind, bool allowed) external {
        if (msg.sender != owner) revert Unauthorized();
        if (allowed) {
            _list(target, kind, block.timestamp + timelock);
        } else {
            delete _targets[target];
            emit TargetRemoved(target);
        }
    }

    /// @inheritdoc ISweepGuard
    function isTarget(address target, Kind kind) external view returns (bool) {
        return _isActive(target, _mark(kind));
    }

    /// @inheritdoc ISweepGuard
    function activeFrom(address target) external view returns (uint256) {
        return _targets[target] & ~_BRIDGE;
    }

    /// @inheritdoc ISweepGuard
    function isNonceUsed(address account, uint256 nonce) external view returns (bool) {
        return _isUsed(_nonceSlot(account, nonce >> 8), nonce);
    }

    /// @inheritdoc ISweepGuard
    function nonceBitmap(address account, uint256 word) external view returns (uint256) {
        return _bits(_nonceSlot(account, word));
    }

    /// @dev Returns true when sweeps of the kind that `mark` stands for may call `target` now.
    function _isActive(address target, uint256 mark) private view returns (bool) {
        // The zero of an unlisted target wraps around to the far future, and so does a time with the other mark. So one
        // comparison covers all checks.
        unchecked {
            return (_targets[target] ^ mark) - 1 < block.timestamp;
        }
    }

    /// @dev {_BRIDGE} or zero, without a jump.
    function _mark(Kind kind) private pure returns (uint256 mark) {
        assembly ("memory-safe") {
            mark := shl(255, kind)
        }
    }

    /// @dev Lists a target. Its code is checked here and not in every sweep: since EIP-6780 a deployed contract keeps its
    ///      code. A delegated account may change its code, so it is refused.
    function _list(address target, Kind kind, uint256 from) private {
        if (target == address(this) || target == delegate || target == _PERMIT2) revert BadSwapTarget();
        if (target.code.length == 0 || bytes3(target.code) == 0xef0100) revert BadSwapTarget();
        if (_targets[target] != 0) revert AlreadyListed();
        _targets[target] = from | _mark(kind);
        emit TargetAdded(target, kind, from);
    }

    /// @dev Slot of a nonce of the caller. The nonce's upper half names this guard, so that no order runs again under the guard of
    ///      another deployment.
    function _ownSlot(uint256 nonce) private view returns (bytes32) {
        if (nonce >> 128 != uint128(uint160(address(this)))) revert ForeignNonce();
        return _nonceSlot(msg.sender, nonce >> 8);
    }

    /// @dev Spends a nonce. Consecutive nonces share a word, so all but the first of a word are cheap.
    function _spend(bytes32 slot, uint256 nonce) private {
        uint256 bits = _bits(slot);
        uint256 bit = 1 << (nonce & 0xff);
        if (bits & bit != 0) revert NonceUsed();
        bits |= bit;
        assembly ("memory-safe") {
            sstore(slot, bits)
        }
    }

    function _isUsed(bytes32 slot, uint256 nonce) private view returns (bool) {
        return _bits(slot) & (1 << (nonce & 0xff)) != 0;
    }

    function _bits(bytes32 slot) private view returns (uint256 bits) {
        assembly ("memory-safe") {
            bits := sload(slot)
        }
    }

    /// @dev Slot of 256 nonces of an account. One hash, where two nested mappings take two. It is over 52 bytes, and a mapping's
    ///      over 64, so it is never the slot of a target.
    function _nonceSlot(address account, uint256 word) private pure returns (bytes32 slot) {
        assembly ("memory-safe") {
            mstore(0x20, word)
            mstore(0x00, account)
            slot := keccak256(0x0c, 0x34)
        }
    }

    /// @dev Emits {Swept}. The report's words have the event's order, so they are logged without decoding.
    function _log(SweepReport calldata report) private {
        bytes32 topic = Swept.selector;
        assembly ("memory-safe") {
            let data := mload(0x40)
            calldatacopy(data, add(report, 0x40), 0x140)
            log4(data, 0x140, topic, calldataload(report), caller(), calldataload(add(report, 0x20)))
        }
    }
}
