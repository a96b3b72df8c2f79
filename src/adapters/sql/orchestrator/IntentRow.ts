/** How an intent lies in its row: the signed documents as jsonb in wire encoding, the rest in columns. */
import { Effect, Schema } from "effect"
import { PayoutMode } from "../../../domain/Builder.ts"
import { Authorization } from "../../../domain/Delegation.ts"
import { Hash, Hex } from "../../../domain/Hex.ts"
import { FailureReason, IntentStatus } from "../../../domain/Intent.ts"
import { Quote } from "../../../domain/Quote.ts"
import { SweepOrder } from "../../../domain/SweepOrder.ts"
import type { Intent, IntentState } from "../../../ports/Intents.ts"

const Submission = Schema.Struct({ signature: Hex, authorization: Authorization })

const IntentRow = Schema.Struct({
  id: Schema.String,
  quote: Quote,
  order: SweepOrder,
  order_digest: Hash,
  quoted_at_block: Schema.BigInt,
  gas: Schema.BigInt,
  user_id: Schema.String,
  builder_id: Schema.NullOr(Schema.String),
  payout_mode: Schema.NullOr(PayoutMode),
  status: IntentStatus,
  submission: Schema.NullOr(Submission),
  submitted_at: Schema.NullOr(Schema.Date),
  tx_hash: Schema.NullOr(Hash),
  delivery_tx_hash: Schema.NullOr(Hash),
  failure_reason: Schema.NullOr(FailureReason),
  failure_detail: Schema.NullOr(Schema.String),
  created_at: Schema.Date,
  updated_at: Schema.Date
})

const toIntent = (row: typeof IntentRow.Type): Intent => ({
  id: row.id,
  quote: row.quote,
  order: row.order,
  orderDigest: row.order_digest,
  quotedAtBlock: row.quoted_at_block,
  gas: row.gas,
  userId: row.user_id,
  ...(row.builder_id !== null && row.payout_mode !== null
    ? { attributed: { builderId: row.builder_id, payoutMode: row.payout_mode } }
    : {}),
  status: row.status,
  ...(row.submission !== null ? { submission: row.submission } : {}),
  ...(row.submitted_at !== null ? { submittedAtMs: row.submitted_at.getTime() } : {}),
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...(row.failure_detail !== null ? { failureDetail: row.failure_detail } : {}),
  createdAtMs: row.created_at.getTime(),
  updatedAtMs: row.updated_at.getTime()
})

const decodeRows = Schema.decodeUnknownEffect(Schema.Array(IntentRow))

/** The intents of rows; rows that this service cannot have written are a defect. */
export const decode = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<Intent>> =>
  decodeRows(rows).pipe(
    Effect.map((decoded) => decoded.map(toIntent)),
    Effect.orDie
  )

/** What its client is told of an intent, as columns. */
const StateRow = Schema.Struct({
  id: Schema.String,
  status: IntentStatus,
  cross_chain: Schema.Boolean,
  tx_hash: Schema.NullOr(Hash),
  delivery_tx_hash: Schema.NullOr(Hash),
  failure_reason: Schema.NullOr(FailureReason)
})

const toState = (row: typeof StateRow.Type): IntentState => ({
  id: row.id,
  status: row.status,
  crossChain: row.cross_chain,
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {})
})

const decodeStateRows = Schema.decodeUnknownEffect(Schema.Array(StateRow))

/** As {@link decode}, of the columns of a state. */
export const decodeStates = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<IntentState>> =>
  decodeStateRows(rows).pipe(
    Effect.map((decoded) => decoded.map(toState)),
    Effect.orDie
  )

export const encodeQuote = Schema.encodeSync(Quote)
export const encodeOrder = Schema.encodeSync(SweepOrder)
export const encodeSubmission = Schema.encodeSync(Submission)
