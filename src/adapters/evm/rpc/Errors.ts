/**
 * What nodes mean by their errors. There is no standard for it beyond `code: 3` for a revert, so messages of anvil, geth,
 * erigon, nethermind, besu and reth are matched. What matches nothing is unknown, never a "no".
 */
import { Exit, Option, Predicate } from "effect"
import type { Hex } from "../../../domain/Hex.ts"
import type { SendRejected } from "../../../ports/shared/Chains.ts"
import type { RpcError, RpcFailure } from "./JsonRpc.ts"

/** What a node says of a transaction that it did not simply take. */
export type SendOutcome =
  { readonly _tag: "Known" } | { readonly _tag: "Rejected"; readonly reason: SendRejected["reason"] }

/** In the order in which they are tried: "replacement transaction underpriced" also says "transaction". */
const SEND_MESSAGES: ReadonlyArray<readonly [RegExp, SendOutcome]> = [
  [
    /already known|known transaction|already.?imported|already exists|already_exists|AlreadyKnown|already in mempool|same hash was already/i,
    { _tag: "Known" }
  ],
  [/nonce (is )?too low|OldNonce|nonce too small|old nonce/i, { _tag: "Rejected", reason: "NonceTooLow" }],
  [
    /underpriced|FeeTooLow|max fee per gas less than block base fee|feecap less than block base fee|gas price (is )?too low|below configured minimum|there is another transaction with same nonce|fee too low/i,
    { _tag: "Rejected", reason: "Underpriced" }
  ],
  [
    /insufficient ?(funds|balance)|not enough funds|upfront cost exceeds account balance|transaction would cause overdraft/i,
    { _tag: "Rejected", reason: "InsufficientFunds" }
  ],
  [
    /intrinsic gas|exceeds (the )?block gas limit|gas limit (is )?(too high|exceeded)|GasLimitExceeded|exceeds transaction gas cap|invalid (sender|signature|chain.?id|transaction)|chain id (is )?(invalid|mismatch)|oversized data|transaction too large|transaction type not supported|failed to decode|rlp|max priority fee per gas higher than max fee|tip (above|higher than) (max )?fee cap|exceeds the configured cap|empty authorization list|sender not an eoa|max initcode/i,
    { _tag: "Rejected", reason: "Invalid" }
  ]
]

/**
 * What a node's refusal of a transaction means; `undefined` when it is passing (a full pool, a nonce gap, a rate limit, an
 * authority reserved by another transaction) or not understood, so that nothing follows from it.
 */
export const sendOutcome = (error: RpcError): SendOutcome | undefined =>
  SEND_MESSAGES.find(([pattern]) => pattern.test(error.text))?.[1]

/** The call ran and failed, so another endpoint would say the same: a revert, an exceptional halt, or too little balance. */
const EXECUTION_FAILURE =
  /revert|out of ?gas|invalid opcode|invalid jump|stack (underflow|overflow|limit)|VM execution error|VMExecutionError|bad instruction|write protection|insufficient ?(funds|balance)|EVM error|precompile/i

export const isExecutionFailure = (error: RpcError): boolean => error.code === 3 || EXECUTION_FAILURE.test(error.text)

const HEX_IN_TEXT = /0x(?:[0-9a-fA-F]{2})*/

/** The revert data in an error: a string in `data` itself, or within its `data`, `result` or `originalError`. */
export const revertData = (data: unknown): Hex => {
  if (typeof data === "string") return (HEX_IN_TEXT.exec(data)?.[0] ?? "0x") as Hex
  if (!Predicate.isObject(data)) return "0x"
  if ("data" in data) return revertData(data.data)
  if ("result" in data) return revertData(data.result)
  return "originalError" in data ? revertData(data.originalError) : "0x"
}

/** JSON-RPC 2.0, "Invalid Request": what a single well-formed call is never answered with. */
const INVALID_REQUEST = -32_600

const BATCH_REFUSAL = /\bbatch|response (is )?too (large|big)/i

/** The error is about the batch that the call came in, not about the call. */
export const isBatchRefusal = (exit: Exit.Exit<unknown, RpcFailure>): boolean =>
  Option.exists(
    Exit.findErrorOption(exit),
    (failure) =>
      failure._tag === "EndpointFailed" || failure.code === INVALID_REQUEST || BATCH_REFUSAL.test(failure.text)
  )
