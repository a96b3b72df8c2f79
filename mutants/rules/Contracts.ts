/** Rules that the contracts hold: signatures, fees, targets, output, allowances, nonces and the lock. */
import type { Mutant } from "../Mutant.ts"

const DELEGATE = "contracts/src/SweepDelegate.sol"
const ENTRY = "contracts/src/SweepEntry.sol"
const GUARD = "contracts/src/SweepGuard.sol"

export const contracts: ReadonlyArray<Mutant> = [
  {
    name: "an account runs orders of other owners",
    file: DELEGATE,
    text: "if (signed.owner != address(this)) revert OwnerMismatch();",
    replacement: "",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "an order needs no signature",
    file: DELEGATE,
    text: "if (!_isAuthorized(signed.orderHash, signature)) revert BadSignature();",
    replacement: "signature;",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "an order runs in the second after its deadline",
    file: DELEGATE,
    text: "if (block.timestamp > order.deadline) revert Expired();",
    replacement: "if (block.timestamp > order.deadline + 1) revert Expired();",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "fees may take the whole amount",
    file: DELEGATE,
    text: "if (builderFee >= amountIn - fee) revert FeesExceedInput();",
    replacement: "if (builderFee > amountIn - fee) revert FeesExceedInput();",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a builder fee goes to nobody",
    file: DELEGATE,
    text: "if (order.builder == address(0)) revert BuilderFeeWithoutBuilder();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the target may be the output token",
    file: DELEGATE,
    text: "if (target == tokenOut) revert BadSwapTarget();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "an order on one chain needs no minimum output",
    file: DELEGATE,
    text: "if (order.minAmountOut == 0) revert ZeroMinOut();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "less than the minimum output is enough",
    file: DELEGATE,
    text: "if (amountOut < order.minAmountOut) revert InsufficientOutput();",
    replacement: "if (amountOut + 1 < order.minAmountOut) revert InsufficientOutput();",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a delivery here counts as the output of an order that leaves the chain",
    file: DELEGATE,
    text: "if (order.destChainId != block.chainid) return 0;",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the swap may use the protocol fee as well",
    file: DELEGATE,
    text: "if (fee != 0) token.safeTransfer(feeRecipient, fee);\n            rest -= fee;",
    replacement: "if (fee != 0) token.safeTransfer(feeRecipient, fee);",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "more of the input than the order's amount may leave the account",
    file: DELEGATE,
    text: "if (token.balanceOf(address(this)) < floor) revert InputOverspent();",
    replacement: "floor;",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "the rest of an allowance stays",
    file: DELEGATE,
    text: "if (_allowance(token, target) != 0) token.safeApprove(target, 0);",
    replacement: "",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "an allowance that the token does not tell stays",
    file: DELEGATE,
    text: "or(mload(0x00), iszero(and(ok, gt(returndatasize(), 0x1f))))",
    replacement: "mload(0x00)",
    tests: ["contracts/test/Tokens.t.sol"]
  },
  {
    name: "an allowance that the token tells in less than a word stays",
    file: DELEGATE,
    text: "iszero(and(ok, gt(returndatasize(), 0x1f)))",
    replacement: "iszero(ok)",
    tests: ["contracts/test/Tokens.t.sol"]
  },
  {
    name: "bit 160 of an address is ignored",
    file: DELEGATE,
    text: "if shr(160, bits) { revert(0, 0) }",
    replacement: "if shr(161, bits) { revert(0, 0) }",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "a sweep that the guard does not log goes through",
    file: DELEGATE,
    text: "if iszero(call(gas(), to, 0, m, 0x184, 0, 0)) {",
    replacement: "if and(iszero(call(gas(), to, 0, m, 0x184, 0, 0)), 0) {",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "a sweep that the guard refuses goes through",
    file: DELEGATE,
    text: "if iszero(call(gas(), to, 0, m, 0x44, 0, 0)) {",
    replacement: "if and(iszero(call(gas(), to, 0, m, 0x44, 0, 0)), 0) {",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "anybody cancels an account's nonces",
    file: DELEGATE,
    text: "if (msg.sender != address(this)) revert Unauthorized();",
    replacement: "",
    tests: ["contracts/test/Authorization.t.sol"]
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
    text: "if (_holder != 0) revert Locked();",
    replacement: "",
    tests: ["contracts/test/Tokens.t.sol"]
  },
  {
    name: "a sweep may call a target that is not listed",
    file: GUARD,
    text: "if (!isTarget(target)) revert TargetNotAllowed();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a target may be called one second before its timelock is over",
    file: GUARD,
    text: "return activeFrom[target] - 1 < block.timestamp;",
    replacement: "return activeFrom[target] - 1 <= block.timestamp;",
    tests: ["contracts/test/Guard.t.sol"]
  },
  {
    name: "a nonce may be spent twice",
    file: GUARD,
    text: "if (bits & bit != 0) revert NonceUsed();",
    replacement: "",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "spending a nonce frees the others of its word",
    file: GUARD,
    text: "word.bits = bits | bit;",
    replacement: "word.bits = bit;",
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
    name: "an item of a batch may be given less gas than its limit",
    file: ENTRY,
    text: "if (gasleft() * 63 < (gasLimit + _CALL_OVERHEAD) * 64) revert InsufficientGas();",
    replacement: "",
    tests: ["contracts/test/Entry.t.sol"]
  }
]
