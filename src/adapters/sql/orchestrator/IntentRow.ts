/** Rows of intents: the order and the signatures are columns, the quote is jsonb in wire encoding. */
import { Option, Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import type { PayoutMode } from "../../../domain/Builder.ts"
import type { Authorization } from "../../../domain/Delegation.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { FeeCover } from "../../../domain/FeeCover.ts"
import * as TraceContext from "../../../domain/TraceContext.ts"
import type { FailureReason, IntentStatus, WaitingFor } from "../../../domain/Intent.ts"
import { Quote } from "../../../domain/Quote.ts"
import type { SweepOrder } from "../../../domain/SweepOrder.ts"
import type { Intent, IntentState } from "../../../ports/orchestrator/Intents.ts"
import type { Searches } from "../../../ports/orchestrator/Searches.ts"
import type { Submission } from "../../../ports/orchestrator/Submission.ts"

/** Fields of a quote that the state of its intent has. */
type Derived = "id" | "crossChain" | "sourceChainId"

/** A quote as it is stored, with a mark of its intent, which the release before ignores. */
export type StoredQuote = Omit<typeof Quote.Encoded, Derived> & Pick<Intent, "runsOthersCode">

/**
 * A row as the driver returns it. This service wrote every column, and the column types hold, so only null and the forms of the
 * quote's fields are checked. Validation by schema would cost more than the query, on a path that every sweep takes three times.
 */
export interface IntentRow {
  readonly id: string
  readonly source_chain_id: bigint
  readonly created_at: Date
  readonly updated_at: Date
  readonly submitted_at: Date | null
  readonly owner: string
  readonly order_nonce: string
  readonly order_digest: Hash
  readonly dest_chain_id: string
  readonly deadline: string
  readonly builder_id: string | null
  readonly status: IntentStatus
  readonly tx_hash: Hash | null
  readonly delivery_tx_hash: Hash | null
  readonly amount_out: string | null
  readonly failure_reason: FailureReason | null
  readonly failure_detail: string | null
  readonly searches: Readonly<Record<string, string>> | null
  readonly trace: string | null
  readonly quoted_at_block: bigint
  readonly gas: bigint
  readonly data_gas: bigint | null
  readonly cover_gas: bigint | null
  readonly cover_gas_price: string | null
  readonly cover_value: string | null
  readonly token_in: string | null
  readonly amount_in: string | null
  readonly fee_amount: string | null
  /** Null for the zero address. */
  readonly builder: string | null
  readonly builder_fee: string | null
  readonly token_out: string | null
  readonly min_amount_out: string | null
  /** Null for the owner. */
  readonly destination: string | null
  readonly swap_target: string | null
  readonly swap_calldata: Hex | null
  readonly user_id: string
  readonly payout_mode: PayoutMode | null
  readonly quote: StoredQuote
  readonly authorization_chain_id?: bigint | null
  readonly authorization_nonce?: string | null
  readonly y_parity?: number | null
  readonly delegate?: Hex | null
  readonly r?: Hex | null
  readonly s?: Hex | null
  readonly signature?: Hex | null
  readonly network?: string | null
  readonly sweep_id?: string | null
  readonly leg?: number | null
  /** Struct hashes of all legs, one after the other. */
  readonly leg_hashes?: Hex | null
  /** Of the leg's chain. Null if the account ran the delegate there. */
  readonly batch_authorization?: StoredAuthorization | null
}

/** An authorization as it is stored with a sweep. */
export interface StoredAuthorization extends Omit<Authorization, "nonce"> {
  readonly nonce: string
}

/** The value, which must be there. */
const given = <A>(value: A | null | undefined, name: string): A => {
  if (value === null || value === undefined) throw new Error(`${name} is missing`)
  return value
}

const address = (value: string | null | undefined, name: string): Address.Address => {
  const text = given(value, name)
  if (typeof text !== "string" || text.length !== 42) throw new Error(`${name} is not an address: ${String(text)}`)
  return Address.stored(text)
}

/** The value, which must be of the type of `sample`. */
const like = <A extends string | number | boolean>(value: A, sample: A, name: string): A => {
  if (typeof value !== typeof sample || Number.isNaN(value)) throw new Error(`${name} is not a ${typeof sample}`)
  return value
}

const toFee = ({ amount, usd }: { readonly amount: string; readonly usd: string }) => ({ amount: BigInt(amount), usd })

const toFees = ({ builder, network, protocol }: StoredQuote["feeBreakdown"] & {}) => ({
  protocol: toFee(protocol),
  network: toFee(network),
  builder: toFee(builder)
})

/** The columns of a quote. */
export type QuoteRow = Pick<IntentRow, "id" | "source_chain_id" | "dest_chain_id" | "quote">

/** Throws if the quote does not have the form in which it was stored. */
export const toQuote = ({
  dest_chain_id,
  id,
  quote: { arrivesInsteadIfSwapFails: instead, feeBreakdown, runsOthersCode: _runsOthersCode, ...quote },
  source_chain_id
}: QuoteRow): Quote => ({
  ...quote,
  id,
  crossChain: dest_chain_id !== String(source_chain_id),
  sourceChainId: Number(source_chain_id),
  expiresAtMs: like(quote.expiresAtMs, 0, "quote.expiresAtMs"),
  total: BigInt(quote.total),
  settlementAddress: address(quote.settlementAddress, "quote.settlementAddress"),
  estimatedAmountOut: BigInt(quote.estimatedAmountOut),
  minAmountOut: BigInt(quote.minAmountOut),
  provider: like(quote.provider, "", "quote.provider"),
  estimatedSeconds: like(quote.estimatedSeconds, 0, "quote.estimatedSeconds"),
  ...(instead === undefined
    ? {}
    : {
        arrivesInsteadIfSwapFails: {
          token: address(instead.token, "quote.arrivesInsteadIfSwapFails.token"),
          minAmount: BigInt(instead.minAmount)
        }
      }),
  // Absent in quotes of releases that did not store it.
  ...(feeBreakdown === undefined ? {} : { feeBreakdown: toFees(feeBreakdown) })
})

const toOrder = (row: IntentRow): SweepOrder => ({
  owner: Address.stored(row.owner),
  tokenIn: address(row.token_in, "order.tokenIn"),
  amountIn: BigInt(given(row.amount_in, "order.amountIn")),
  feeAmount: BigInt(given(row.fee_amount, "order.feeAmount")),
  builder: row.builder === null ? Address.zero : Address.stored(row.builder),
  builderFee: BigInt(given(row.builder_fee, "order.builderFee")),
  tokenOut: address(row.token_out, "order.tokenOut"),
  minAmountOut: BigInt(given(row.min_amount_out, "order.minAmountOut")),
  destination: Address.stored(row.destination ?? row.owner),
  swapTarget: address(row.swap_target, "order.swapTarget"),
  swapCalldata: given(row.swap_calldata, "order.swapCalldata"),
  deadline: BigInt(row.deadline),
  nonce: BigInt(row.order_nonce),
  destChainId: BigInt(row.dest_chain_id)
})

const toAuthorization = (row: IntentRow): Authorization => ({
  address: Address.of(given(row.delegate, "submission.authorization.address")),
  chainId: Number(given(row.authorization_chain_id, "submission.authorization.chainId")),
  nonce: BigInt(given(row.authorization_nonce, "submission.authorization.nonce")),
  r: given(row.r, "submission.authorization.r"),
  s: given(row.s, "submission.authorization.s"),
  yParity: row.y_parity === 1 ? 1 : 0
})

const HASH_DIGITS = 64

/** The hashes that stand one after the other. */
const hashesIn = (bytes: Hex): ReadonlyArray<Hash> =>
  Array.from(
    { length: (bytes.length - 2) / HASH_DIGITS },
    (_, index): Hash => `0x${bytes.slice(2 + index * HASH_DIGITS, 2 + (index + 1) * HASH_DIGITS)}`
  )

/** Absent before the owner has signed, and in rows that were read without it. A submitted intent has it. */
const toSubmission = (row: IntentRow): { readonly submission?: Submission } => {
  const { batch_authorization, leg, leg_hashes, status, sweep_id } = row
  if (row.signature === undefined || (row.signature === null && status !== "submitted")) return {}
  const signature = given(row.signature, "submission.signature")
  if (sweep_id === null || sweep_id === undefined) {
    return { submission: { signature, authorization: toAuthorization(row) } }
  }
  const batch = {
    sweepId: sweep_id,
    legHashes: hashesIn(given(leg_hashes, "submission.batch.legHashes")),
    leg: given(leg, "submission.batch.leg")
  }
  if (batch_authorization === null || batch_authorization === undefined) return { submission: { signature, batch } }
  const authorization = {
    ...batch_authorization,
    address: Address.of(batch_authorization.address),
    nonce: BigInt(batch_authorization.nonce)
  }
  return { submission: { signature, batch, authorization } }
}

/** Absent in rows of releases that did not store it. */
const toCover = (row: IntentRow): { readonly cover?: FeeCover } =>
  row.cover_gas === null || row.cover_gas_price === null || row.cover_value === null
    ? {}
    : { cover: { gas: row.cover_gas, gasPrice: BigInt(row.cover_gas_price), value: BigInt(row.cover_value) } }

const toSearches = ({ cancellations, fill, otherSweeps, settlement }: Readonly<Record<string, string>>): Searches => ({
  ...(settlement === undefined ? {} : { settlement: BigInt(settlement) }),
  ...(otherSweeps === undefined ? {} : { otherSweeps: BigInt(otherSweeps) }),
  ...(cancellations === undefined ? {} : { cancellations: BigInt(cancellations) }),
  ...(fill === undefined ? {} : { fill: BigInt(fill) })
})

const toTrace = (bytes: string): TraceContext.Traced =>
  Option.match(TraceContext.fromBytes(bytes), { onNone: () => ({}), onSome: (trace) => ({ trace }) })

/** Throws if a value is missing or the quote does not have the form in which it was stored. */
export const toIntent = (row: IntentRow): Intent => ({
  id: row.id,
  quote: toQuote(row),
  order: toOrder(row),
  orderDigest: row.order_digest,
  quotedAtBlock: row.quoted_at_block,
  gas: row.gas,
  ...(row.data_gas === null ? {} : { dataGas: row.data_gas }),
  ...(row.quote.runsOthersCode === true ? { runsOthersCode: true } : {}),
  ...toCover(row),
  userId: row.user_id,
  ...(row.builder_id !== null && row.payout_mode !== null
    ? { attributed: { builderId: row.builder_id, payoutMode: row.payout_mode } }
    : {}),
  status: row.status,
  ...toSubmission(row),
  ...(row.network === null || row.network === undefined ? {} : { network: row.network }),
  ...(row.submitted_at !== null ? { submittedAtMs: row.submitted_at.getTime() } : {}),
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.amount_out !== null ? { amountOut: BigInt(row.amount_out) } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...(row.failure_detail !== null ? { failureDetail: row.failure_detail } : {}),
  createdAtMs: row.created_at.getTime(),
  updatedAtMs: row.updated_at.getTime(),
  ...(row.searches !== null ? { searches: toSearches(row.searches) } : {}),
  ...(row.trace !== null ? toTrace(row.trace) : {})
})

/** The columns of an {@link IntentState}. */
export interface StateRow extends Pick<
  IntentRow,
  "id" | "status" | "tx_hash" | "delivery_tx_hash" | "amount_out" | "failure_reason"
> {
  readonly cross_chain: boolean
  readonly waiting_for: WaitingFor | null
  readonly refund_token: string | null
  readonly refund_amount: string | null
  readonly refund_tx_hash: Hash | null
  readonly instead_token: string | null
  readonly instead_amount: string | null
}

const toRefund = (row: StateRow): Pick<IntentState, "refund"> =>
  row.refund_token === null || row.refund_amount === null || row.refund_tx_hash === null
    ? {}
    : {
        refund: {
          token: Address.stored(row.refund_token),
          amount: BigInt(row.refund_amount),
          txHash: row.refund_tx_hash
        }
      }

const toState = (row: StateRow): IntentState => ({
  id: row.id,
  status: row.status,
  crossChain: row.cross_chain,
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.amount_out !== null ? { amountOut: BigInt(row.amount_out) } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...toRefund(row),
  ...(row.instead_token === null || row.instead_amount === null
    ? {}
    : { arrivedInstead: { token: Address.stored(row.instead_token), amount: BigInt(row.instead_amount) } }),
  ...(row.waiting_for !== null ? { waitingFor: row.waiting_for } : {})
})

export const decodeStates = (rows: ReadonlyArray<StateRow>): ReadonlyArray<IntentState> => rows.map(toState)

const encodeWholeQuote = Schema.encodeSync(Quote)

export const encodeQuote = (quote: Quote): StoredQuote => {
  const { crossChain: _crossChain, id: _id, sourceChainId: _sourceChainId, ...stored } = encodeWholeQuote(quote)
  return stored
}
