/**
 * Meaning of the errors with which nodes refuse a signed transaction. No standard names them, so the texts of the common clients
 * are matched: geth with op-geth, Bor and Nitro, Nethermind, Erigon, Reth, Besu, anvil and EDR.
 */
import type { SendRefusal } from "../../../ports/shared/Chains.ts"
import * as RpcErrors from "../rpc/Errors.ts"
import type { RpcError } from "../rpc/JsonRpc.ts"

/** Answer to a transaction that the node did not simply accept. `Known`: the node has these bytes already. */
export type SendOutcome = { readonly _tag: "Known" } | { readonly _tag: "Rejected"; readonly reason: SendRefusal }

type Meaning = "Known" | SendRefusal

/** Tried in this order, because some texts match more than one pattern. */
const TABLE: ReadonlyArray<readonly [meaning: Meaning, text: RegExp]> = [
  [
    "Known",
    /already known|known transaction|already.?imported|already exists|already_exists|AlreadyKnown|already in mempool|same hash|existing txn? with same hash/i
  ],
  [
    "AuthorityBusy",
    /authority already reserved|authority has (a )?pending transaction|DelegatorHasPendingTx|delegat(or|ed account) (already )?has (a )?pending transaction/i
  ],
  [
    "DelegatedSender",
    /in-?flight transaction limit reached for delegated|gapped-nonce tx from delegated|delegation nonce gap|NotCurrentNonceForDelegation/i
  ],
  ["NonceTooLow", /nonce (is )?too low|OldNonce|nonce too small|old nonce/i],
  [
    "NonceGap",
    /nonce (is )?too (high|far|distant)|NonceGap|NonceTooFarInFuture|nonce is too distant|nonce gap|transaction with a lower nonce exists/i
  ],
  [
    "SenderFull",
    /account limit exceeded|identified as a spammer|^spammer|sender has too many|too many (pending )?transactions? (from|for) (the )?(sender|account)/i
  ],
  [
    "ReplacementUnderpriced",
    /replacement transaction underpriced|ReplacementNotAllowed|insufficient gas price to replace|could not replace existing|there is another transaction with same nonce|future transaction tries to replace pending/i
  ],
  [
    "FeeCapTooLow",
    /less than (the )?block base fee|below (the )?(current )?base ?fee|MaxFeePerGas too low|maxFeePerGas \(\d+\) is too low for the next block|feeCap \d+ below chain minimum/i
  ],
  [
    "Underpriced",
    /underpriced|FeeTooLow|gas ?price (is )?too low|below (configured )?minimum|fee too low|priority fee below/i
  ],
  [
    "InsufficientFunds",
    /insufficient ?(funds|balance)|not enough funds|doesn't have enough funds|upfront cost exceeds account balance|would cause overdraft|overdraws from account/i
  ],
  [
    "GasAboveBlock",
    /exceeds (the )?block'?s? gas limit|gas limit reached|gas limit (is )?(too high|exceeded|greater than maximum)|GasLimitExceeded|exceeds (max )?transaction gas (cap|limit)|exceeds block gas limit/i
  ],
  [
    "TooLarge",
    /oversized data|transaction (is )?too large|MaxTxSizeExceeded|input data too large|RLPTooLong|rlp is too long/i
  ],
  [
    "PoolFull",
    /tx ?pool is full|pool is full|sub-pool is full|pool size constraints|queue is full|transaction pool (is )?full|FeeTooLowToCompete/i
  ],
  [
    "Invalid",
    /intrinsic ?gas|floor data gas|invalid (sender|signature|chain.?id|transaction)|transaction invalid|^Invalid\b|chain ?id (is )?(invalid|mismatch|not supported)|wrong chain ?id|transaction type (is )?not supported|unsupported transaction type|type not supported|not activated yet|failed to (decode|recover)|rlp|max ?priority ?fee ?per ?gas (is )?(higher|exceeds|bigger|greater)|tip (above|higher than) (max )?fee cap|exceeds the configured cap|fee cap exceeded|empty authorization list|at least one authorization|no items in authorization list|sender not an eoa|SenderIsContract|max initcode/i
  ]
]

/**
 * Meaning of an error answer to `eth_sendRawTransaction`. `undefined` if the text is not known: it decides nothing. Sequencers and
 * private endpoints execute a transaction first, and a contract chooses the text of its revert.
 */
export const outcome = (error: Pick<RpcError, "code" | "text">): SendOutcome | undefined => {
  if (RpcErrors.isRevert(error)) return undefined
  const found = TABLE.find(([, text]) => text.test(error.text))?.[0]
  if (found === undefined) return undefined
  return found === "Known" ? { _tag: "Known" } : { _tag: "Rejected", reason: found }
}

/** The reasons that decide the next step, most decisive first. Endpoints may refuse for different reasons. */
const DECISIVE: ReadonlyArray<SendRefusal> = ["NonceTooLow", "AuthorityBusy", "TooLarge", "Invalid"]

const rank = ({ reason }: { readonly reason: SendRefusal }): number => {
  const index = DECISIVE.indexOf(reason)
  return index < 0 ? DECISIVE.length : index
}

/** The refusal that decides among those of several endpoints. Of equal ones the first; undefined without any. */
export const decisive = <A extends { readonly reason: SendRefusal }>(refusals: ReadonlyArray<A>): A | undefined =>
  refusals.toSorted((a, b) => rank(a) - rank(b))[0]
