/** Rules that the delegate holds: signatures, batches, fees, targets, output and allowances. */
import type { Mutant } from "../Mutant.ts"

const DELEGATE = "contracts/src/SweepDelegate.sol"
const HASHES = "contracts/src/OrderHashes.sol"

export const contracts: ReadonlyArray<Mutant> = [
  {
    name: "an account runs orders of other owners",
    file: DELEGATE,
    text: "if (encoded.account(OWNER) != address(this)) revert OwnerMismatch();",
    replacement: "",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "an order needs no signature",
    file: DELEGATE,
    text: "if (!_isAuthorized(orderHash, signature)) revert BadSignature();",
    replacement: "",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "an order runs in the second after its deadline",
    file: DELEGATE,
    text: "if (block.timestamp > order.word(DEADLINE)) revert Expired();",
    replacement: "if (block.timestamp > order.word(DEADLINE) + 1) revert Expired();",
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
    text: "if (order.account(BUILDER) == address(0)) revert BuilderFeeWithoutBuilder();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the target may be the output token",
    file: DELEGATE,
    text: "_isOneOf(target, token, tokenOut)",
    replacement: "target == token",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "an order on one chain needs no minimum output",
    file: DELEGATE,
    text: "if (order.word(MIN_AMOUNT_OUT) == 0) revert ZeroMinOut();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "less than the minimum output is enough",
    file: DELEGATE,
    text: "if (amountOut < order.word(MIN_AMOUNT_OUT)) revert InsufficientOutput();",
    replacement: "if (amountOut + 1 < order.word(MIN_AMOUNT_OUT)) revert InsufficientOutput();",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a delivery here counts as the output of an order that leaves the chain",
    file: DELEGATE,
    text: "if (!leavesChain) amountOut = FixedPointMathLib",
    // Without any condition, the compiler runs out of stack.
    replacement: "if (!leavesChain || outBefore == 0) amountOut = FixedPointMathLib",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the swap may use the protocol fee as well",
    file: DELEGATE,
    text: "rest = order.word(AMOUNT_IN) - feeAmount - builderFee;",
    replacement: "rest = order.word(AMOUNT_IN) - builderFee;",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "more of the input than the order's amount may leave the account",
    file: DELEGATE,
    text: "if (left < floor) revert InputOverspent();",
    replacement: "",
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
    file: HASHES,
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
    text: "if iszero(call(gas(), to, 0, m, 0x64, 0, 0)) {",
    replacement: "if and(iszero(call(gas(), to, 0, m, 0x64, 0, 0)), 0) {",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "anybody cancels an account's nonces",
    file: DELEGATE,
    text: "if (msg.sender != address(this)) revert Unauthorized();\n        ISweepGuard(guard).cancel(nonce);",
    replacement: "ISweepGuard(guard).cancel(nonce);",
    tests: ["contracts/test/Authorization.t.sol"]
  },
  {
    name: "a batch needs no signature",
    file: DELEGATE,
    text: "if (!_isAuthorized(batchHash, signature)) revert BadSignature();",
    replacement: "",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "anybody runs a leg without a signature",
    file: DELEGATE,
    text: "if (msg.sender != address(this)) revert Unauthorized();\n        amountOut = _sweep(",
    replacement: "amountOut = _sweep(",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "a batch may have fewer limits than orders",
    file: DELEGATE,
    text: "if (count > 256 || count != gasLimits.length) revert BadBatch();",
    replacement: "if (count > 256) revert BadBatch();",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "legs may lie outside the hashes that were signed",
    file: DELEGATE,
    text: "if (count > legHashes.length || first > legHashes.length - count) revert BadBatch();",
    replacement: "",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "a leg may be given less gas than its limit",
    file: DELEGATE,
    text: "if (gasleft() * 63 < (gasLimit + _LEG_OVERHEAD) * 64) revert InsufficientGas();",
    replacement: "",
    tests: ["contracts/test/Legs.t.sol"]
  },
  {
    name: "a leg runs on a chain that its owner did not sign",
    file: HASHES,
    text: "EfficientHashLib.hash(_LEG_TYPEHASH, bytes32(block.chainid), _structHash(encoded))",
    replacement: "EfficientHashLib.hash(_LEG_TYPEHASH, legHashes[first + i], _structHash(encoded))",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "a call of an unknown function succeeds",
    file: DELEGATE,
    text: "if (msg.value == 0) revert UnknownFunction();",
    replacement: "",
    tests: ["contracts/test/Delegation.t.sol"]
  },
  {
    name: "the builder's fee goes to the recipient of the protocol fee",
    file: DELEGATE,
    text: "uint256 joined = FixedPointMathLib.ternary(builder == feeRecipient, builderFee, 0);",
    replacement: "uint256 joined = builderFee;",
    tests: ["contracts/test/Settlement.t.sol"]
  },
  {
    name: "an order that the first generation ran runs again",
    file: DELEGATE,
    text: "if (ISweepGuard(priorGuard).isNonceUsed(address(this), nonce)) revert NonceUsedEarlier();",
    replacement: "",
    tests: ["contracts/test/Generations.t.sol"]
  },
  {
    name: "a protocol fee may exceed the amount",
    file: DELEGATE,
    text: "if (fee >= amountIn) revert FeesExceedInput();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the target may be the input token",
    file: DELEGATE,
    text: "_isOneOf(target, token, tokenOut)",
    replacement: "target == tokenOut",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "an order on one chain may return its own token",
    file: DELEGATE,
    text: "if (tokenOut == tokenIn) revert SameToken();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "an order on one chain may turn native currency into itself",
    file: DELEGATE,
    text: "if (tokenOut == tokenIn) revert SameToken();",
    replacement: "if (tokenOut == tokenIn && tokenIn == token) revert SameToken();",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "the target may be the account",
    file: DELEGATE,
    text: "if (target == address(this)) revert BadSwapTarget();",
    replacement: "",
    tests: ["contracts/test/Rules.t.sol"]
  },
  {
    name: "a batch has more legs than its result has bits",
    file: DELEGATE,
    text: "count > 256 || count != gasLimits.length",
    replacement: "count != gasLimits.length",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "a leg's limit overflows",
    file: DELEGATE,
    text: "if (gasLimit > type(uint64).max) revert InsufficientGas();",
    replacement: "",
    tests: ["contracts/test/Legs.t.sol"]
  },
  {
    name: "the hash of an own leg comes from the caller",
    file: HASHES,
    text: "mstore(add(add(hashes, 0x20), shl(5, add(first, i))), legHash)",
    replacement: "pop(legHash)",
    tests: ["contracts/test/Batch.t.sol"]
  },
  {
    name: "a batch counts for any account",
    file: HASHES,
    text: "EfficientHashLib.hash(_BATCH_DOMAIN_TYPEHASH, nameHash, _VERSION_HASH, _account())",
    replacement: "EfficientHashLib.hash(_BATCH_DOMAIN_TYPEHASH, nameHash, _VERSION_HASH, bytes32(0))",
    tests: ["contracts/test/Batch.t.sol"]
  }
]
