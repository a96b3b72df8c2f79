/** Rules that the guard and the entry hold: nonces, targets, the lock, and the gas of items. */
import type { Mutant } from "../Mutant.ts"

const ENTRY = "contracts/src/SweepEntry.sol"
const GUARD = "contracts/src/SweepGuard.sol"

export const guard: ReadonlyArray<Mutant> = [
  {
    name: "anybody closes a sweep",
    file: GUARD,
    text: "if (_lock != slot) revert Unauthorized();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a finished sweep keeps the lock",
    file: GUARD,
    text: "_lock = 0;",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "parts of the system may be listed",
    file: GUARD,
    text: "if (target == address(this) || target == delegate || target == _PERMIT2) revert BadSwapTarget();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a delegated account may be listed",
    file: GUARD,
    text: "if (target.code.length == 0 || bytes3(target.code) == 0xef0100) revert BadSwapTarget();",
    replacement: "if (target.code.length == 0) revert BadSwapTarget();",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a target is listed twice",
    file: GUARD,
    text: "if (_targets[target] != 0) revert AlreadyListed();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "the first guard may have no code",
    file: GUARD,
    text: "if (priorGuard != address(0) && priorGuard.code.length == 0) revert NoPriorGuard();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "two accounts share their nonces",
    file: GUARD,
    text: "mstore(0x00, account)",
    replacement: "mstore(0x00, 0)",
    tests: ["contracts/test/Invariants.t.sol"]
  },
  {
    name: "an order runs under the guard of another deployment",
    file: GUARD,
    text: "if (nonce >> 128 != uint128(uint160(address(this)))) revert ForeignNonce();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a router takes an order that leaves the chain",
    file: GUARD,
    text: "mark := shl(255, kind)",
    replacement: "mark := 0",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "any account may enter the guard",
    file: GUARD,
    text: "if (msg.sender.codehash != _delegatedCodeHash) revert NotADelegatedAccount();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a sweep may start inside another one",
    file: GUARD,
    text: "if (_lock != 0) revert Locked();",
    replacement: "",
    tests: ["contracts/test/Tokens.t.sol"]
  },
  {
    name: "a sweep may call a target that is not listed",
    file: GUARD,
    text: "if (!_isActive(target, _mark(kind))) revert TargetNotAllowed();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a target may be called one second before its timelock is over",
    file: GUARD,
    text: "return (_targets[target] ^ mark) - 1 < block.timestamp;",
    replacement: "return (_targets[target] ^ mark) - 1 <= block.timestamp;",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a sweep starts with a used nonce",
    file: GUARD,
    text: "if (_isUsed(slot, nonce)) revert NonceUsed();",
    replacement: "",
    tests: ["contracts/test/GuardNonces.t.sol"]
  },
  {
    name: "an owner that only enters the guard spends a nonce",
    file: GUARD,
    text: "if (_isUsed(slot, nonce)) revert NonceUsed();",
    replacement: "_spend(slot, nonce);",
    tests: ["contracts/test/GuardNonces.t.sol"]
  },
  {
    name: "a finished sweep spends no nonce",
    file: GUARD,
    text: "_spend(slot, nonce);",
    replacement: "",
    tests: ["contracts/test/GuardNonces.t.sol"]
  },
  {
    name: "a nonce may be spent twice",
    file: GUARD,
    text: "if (bits & bit != 0) revert NonceUsed();",
    replacement: "",
    tests: ["contracts/test/GuardNonces.t.sol"]
  },
  {
    name: "spending a nonce frees the others of its word",
    file: GUARD,
    text: "bits |= bit;",
    replacement: "bits = bit;",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "anybody lists targets",
    file: GUARD,
    text: "if (msg.sender != owner) revert Unauthorized();",
    replacement: "",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "the entry runs accounts of any code",
    file: ENTRY,
    text: "if (account.codehash != _delegatedCodeHash) continue;",
    replacement: "",
    tests: ["contracts/test/Entry.t.sol"]
  },
  {
    name: "an item of a batch may be given less gas than its limit",
    file: ENTRY,
    text: "if (gasleft() * 63 < (gasLimit + _CALL_OVERHEAD) * 64) revert InsufficientGas();",
    replacement: "",
    tests: ["contracts/test/Entry.t.sol"]
  }
]
