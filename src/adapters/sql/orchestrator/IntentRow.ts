/** Rows of intents: the order and the signatures are columns, the quote is jsonb in wire encoding. */
import { Schema, Struct } from "effect"
import * as Address from "../../../domain/Address.ts"
import { Uint256 } from "../../../domain/Amount.ts"
import { PayoutMode } from "../../../domain/Builder.ts"
import { ChainId } from "../../../domain/ChainId.ts"
import type { Authorization } from "../../../domain/Delegation.ts"
import { Hash, Hex } from "../../../domain/Hex.ts"
import { FailureReason, IntentStatus, type WaitingFor } from "../../../domain/Intent.ts"
import { Quote } from "../../../domain/Quote.ts"
import type { SweepOrder } from "../../../domain/SweepOrder.ts"
import type { Intent, IntentState } from "../../../ports/orchestrator/Intents.ts"
import type { Submission } from "../../../ports/orchestrator/Submission.ts"
import { Millis } from "../shared/Millis.ts"

const { crossChain: _crossChain, id: _id, sourceChainId: _sourceChainId, ...storedFields } = Quote.fields

/** A quote as it is stored, without the fields that the state of its intent has. */
const StoredQuote = Schema.Struct(storedFields)

export type StoredQuote = typeof StoredQuote.Encoded

/** In JSON, numbers of any size are text. */
const StoredSearches = Schema.Struct({
  settlement: Schema.optionalKey(Uint256),
  otherSweeps: Schema.optionalKey(Uint256),
  cancellations: Schema.optionalKey(Uint256),
  fill: Schema.optionalKey(Uint256)
})

/** An authorization as it is stored with a sweep. */
const StoredAuthorization = Schema.Struct({
  address: Address.Address,
  chainId: ChainId,
  nonce: Uint256,
  r: Hash,
  s: Hash,
  yParity: Schema.Literals([0, 1])
})

export type StoredAuthorization = typeof StoredAuthorization.Encoded

/** Columns that are null before the owner has signed, and absent in rows that were read without them. */
const signed = <S extends Schema.Top>(column: S) => Schema.optionalKey(Schema.NullOr(column))

const Row = Schema.Struct({
  id: Schema.String,
  source_chain_id: Schema.BigInt,
  created_at: Millis,
  updated_at: Millis,
  submitted_at: Schema.NullOr(Millis),
  owner: Address.Address,
  order_nonce: Uint256,
  order_digest: Hash,
  dest_chain_id: Uint256,
  deadline: Uint256,
  builder_id: Schema.NullOr(Schema.String),
  status: IntentStatus,
  tx_hash: Schema.NullOr(Hash),
  delivery_tx_hash: Schema.NullOr(Hash),
  amount_out: Schema.NullOr(Uint256),
  failure_reason: Schema.NullOr(FailureReason),
  failure_detail: Schema.NullOr(Schema.String),
  searches: Schema.NullOr(StoredSearches),
  quoted_at_block: Schema.BigInt,
  gas: Schema.BigInt,
  /** Null in rows of releases that did not store it. */
  cover_gas: Schema.NullOr(Schema.BigInt),
  cover_gas_price: Schema.NullOr(Uint256),
  cover_value: Schema.NullOr(Uint256),
  token_in: Address.Address,
  amount_in: Uint256,
  fee_amount: Uint256,
  /** Null for the zero address. */
  builder: Schema.NullOr(Address.Address),
  builder_fee: Uint256,
  token_out: Address.Address,
  min_amount_out: Uint256,
  /** Null for the owner. */
  destination: Schema.NullOr(Address.Address),
  swap_target: Address.Address,
  swap_calldata: Hex,
  user_id: Schema.String,
  payout_mode: Schema.NullOr(PayoutMode),
  quote: StoredQuote,
  authorization_chain_id: signed(Schema.BigInt),
  authorization_nonce: signed(Uint256),
  y_parity: signed(Schema.Literals([0, 1])),
  delegate: signed(Address.Address),
  r: signed(Hash),
  s: signed(Hash),
  signature: signed(Hex),
  network: signed(Schema.String),
  sweep_id: signed(Schema.String),
  leg: signed(Schema.Int),
  /** Struct hashes of all legs, one after the other. */
  leg_hashes: signed(Hex),
  /** Of the leg's chain. Null if the account ran the delegate there. */
  batch_authorization: signed(StoredAuthorization)
})

type Row = typeof Row.Type

/** A row as the driver returns it. */
export type IntentRow = typeof Row.Encoded

const QUOTE_COLUMNS = ["id", "source_chain_id", "dest_chain_id", "quote"] as const

const QuoteRow = Schema.Struct(Struct.pick(Row.fields, QUOTE_COLUMNS))

/** The columns of a quote. */
export type QuoteRow = typeof QuoteRow.Encoded

const decodeRow = Schema.decodeUnknownSync(Row)

const decodeQuoteRow = Schema.decodeUnknownSync(QuoteRow)

const quoteOf = ({ dest_chain_id, id, quote, source_chain_id }: typeof QuoteRow.Type): Quote => ({
  ...quote,
  id,
  crossChain: dest_chain_id !== source_chain_id,
  sourceChainId: Number(source_chain_id)
})

/** Throws if the quote does not have the form in which it was stored. */
export const toQuote = (row: QuoteRow): Quote => quoteOf(decodeQuoteRow(row))

const toOrder = (row: Row): SweepOrder => ({
  owner: row.owner,
  tokenIn: row.token_in,
  amountIn: row.amount_in,
  feeAmount: row.fee_amount,
  builder: row.builder ?? Address.zero,
  builderFee: row.builder_fee,
  tokenOut: row.token_out,
  minAmountOut: row.min_amount_out,
  destination: row.destination ?? row.owner,
  swapTarget: row.swap_target,
  swapCalldata: row.swap_calldata,
  deadline: row.deadline,
  nonce: row.order_nonce,
  destChainId: row.dest_chain_id
})

/** The value of a column that a signed row has. */
const given = <A>(value: A | null | undefined, column: string): A => {
  if (value === null || value === undefined) throw new Error(`${column} is missing`)
  return value
}

const toAuthorization = (row: Row): Authorization => ({
  address: given(row.delegate, "delegate"),
  chainId: Number(given(row.authorization_chain_id, "authorization_chain_id")),
  nonce: given(row.authorization_nonce, "authorization_nonce"),
  r: given(row.r, "r"),
  s: given(row.s, "s"),
  yParity: given(row.y_parity, "y_parity")
})

const HASH_DIGITS = 64

/** The hashes that stand one after the other. */
const hashesIn = (bytes: Hex): ReadonlyArray<Hash> =>
  Array.from(
    { length: (bytes.length - 2) / HASH_DIGITS },
    (_, index): Hash => `0x${bytes.slice(2 + index * HASH_DIGITS, 2 + (index + 1) * HASH_DIGITS)}`
  )

const toSubmission = (row: Row): { readonly submission?: Submission } => {
  const { batch_authorization: authorization, leg, leg_hashes, signature, sweep_id: sweepId } = row
  if (signature === null || signature === undefined) return {}
  if (sweepId === null || sweepId === undefined) {
    return { submission: { signature, authorization: toAuthorization(row) } }
  }
  const batch = { sweepId, legHashes: hashesIn(given(leg_hashes, "leg_hashes")), leg: given(leg, "leg") }
  const isDelegated = authorization === null || authorization === undefined
  return { submission: isDelegated ? { signature, batch } : { signature, batch, authorization } }
}

const toCover = ({ cover_gas: gas, cover_gas_price: gasPrice, cover_value: value }: Row) =>
  gas === null || gasPrice === null || value === null ? {} : { cover: { gas, gasPrice, value } }

const ofRow = (row: Row): Intent => ({
  id: row.id,
  quote: quoteOf(row),
  order: toOrder(row),
  orderDigest: row.order_digest,
  quotedAtBlock: row.quoted_at_block,
  gas: row.gas,
  ...toCover(row),
  userId: row.user_id,
  ...(row.builder_id !== null && row.payout_mode !== null
    ? { attributed: { builderId: row.builder_id, payoutMode: row.payout_mode } }
    : {}),
  status: row.status,
  ...toSubmission(row),
  ...(row.network === null || row.network === undefined ? {} : { network: row.network }),
  ...(row.submitted_at !== null ? { submittedAtMs: row.submitted_at } : {}),
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.amount_out !== null ? { amountOut: row.amount_out } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...(row.failure_detail !== null ? { failureDetail: row.failure_detail } : {}),
  createdAtMs: row.created_at,
  updatedAtMs: row.updated_at,
  ...(row.searches !== null ? { searches: row.searches } : {})
})

/** Throws if the row is not one that this service writes. */
export const toIntent = (row: IntentRow): Intent => ofRow(decodeRow(row))

/** The columns of an {@link IntentState}. */
export interface StateRow extends Pick<
  IntentRow,
  "id" | "status" | "tx_hash" | "delivery_tx_hash" | "amount_out" | "failure_reason"
> {
  readonly cross_chain: boolean
  readonly waiting_for: WaitingFor | null
}

const toState = (row: StateRow): IntentState => ({
  id: row.id,
  status: row.status,
  crossChain: row.cross_chain,
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.amount_out !== null ? { amountOut: BigInt(row.amount_out) } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...(row.waiting_for !== null ? { waitingFor: row.waiting_for } : {})
})

export const decodeStates = (rows: ReadonlyArray<StateRow>): ReadonlyArray<IntentState> => rows.map(toState)

const encodeWholeQuote = Schema.encodeSync(Quote)

export const encodeQuote = (quote: Quote): StoredQuote => {
  const { crossChain: _crossChain, id: _id, sourceChainId: _sourceChainId, ...stored } = encodeWholeQuote(quote)
  return stored
}
