/** Stores quotes: many in one statement, as those of a wallet are made at the same moment. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import * as Address from "../../../domain/Address.ts"
import * as TraceContext from "../../../domain/TraceContext.ts"
import type { NewIntent } from "../../../ports/orchestrator/Intents.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentRow from "./IntentRow.ts"

/** First number of a second. A counter makes the numbers of the second. */
const firstNumber = (millis: number) => BigInt(Math.floor(millis / 1_000)) << 24n

/** Text of a caller in a document. JSON can hold half of a surrogate pair, and PostgreSQL refuses the whole statement for it. */
const document = (value: string): string => text(value.toWellFormed())

const given = ({
  attributed,
  cover,
  dataGas,
  gas,
  order,
  orderDigest,
  quote,
  quotedAtBlock,
  runsOthersCode,
  trace,
  userId
}: NewIntent) => ({
  id: quote.id,
  source: quote.sourceChainId,
  owner: order.owner,
  nonce: String(order.nonce),
  digest: orderDigest,
  dest: String(order.destChainId),
  deadline: String(order.deadline),
  block: String(quotedAtBlock),
  gas: String(gas),
  ...(dataGas === undefined ? {} : { data_gas: String(dataGas) }),
  token_in: order.tokenIn,
  amount_in: String(order.amountIn),
  fee_amount: String(order.feeAmount),
  builder_fee: String(order.builderFee),
  token_out: order.tokenOut,
  min_out: String(order.minAmountOut),
  target: order.swapTarget,
  calldata: order.swapCalldata,
  user_id: document(userId),
  quote: { ...IntentRow.encodeQuote(quote), ...(runsOthersCode === true ? { runsOthersCode } : {}) },
  ...(Address.isZero(order.builder) ? {} : { builder: order.builder }),
  ...(order.destination === order.owner ? {} : { destination: order.destination }),
  ...(attributed === undefined ? {} : { builder_id: document(attributed.builderId), payout: attributed.payoutMode }),
  ...(trace === undefined ? {} : { trace: TraceContext.toBytes(trace) }),
  ...(cover === undefined
    ? {}
    : { cover_gas: String(cover.gas), cover_price: String(cover.gasPrice), cover_value: String(cover.value) })
})

const insert = (sql: PgClient.PgClient, intents: ReadonlyArray<NewIntent>, millis: number) => sql<{ id: string }>`
  WITH given AS (
    SELECT * FROM jsonb_to_recordset(${sql.json(intents.map(given))}) AS g (
      id text, source bigint, owner text, nonce numeric, digest text, dest numeric, deadline numeric, block bigint,
      gas bigint, data_gas bigint, token_in text, amount_in numeric, fee_amount numeric, builder_fee numeric, token_out text,
      min_out numeric, target text, calldata text, user_id text, quote jsonb, builder text, destination text,
      builder_id text, payout text, cover_gas bigint, cover_price numeric, cover_value numeric, trace text
    )
  ), state AS (
    INSERT INTO orchestrator.intent_states (
      number, id, source_chain_id, owner, order_nonce, order_digest, dest_chain_id, deadline, builder_id, created_at,
      updated_at, trace
    )
    SELECT ${firstNumber(millis)}::bigint | (nextval('orchestrator.intent_numbers') & 16777215), id, source, owner, nonce,
      decode(substr(digest, 3), 'hex'), dest, deadline, builder_id, ${timestamp(millis)}::timestamptz,
      ${timestamp(millis)}::timestamptz, decode(substr(trace, 3), 'hex')
    FROM given ON CONFLICT DO NOTHING RETURNING number, id
  ), terms AS (
    INSERT INTO orchestrator.intent_terms (
      number, quoted_at_block, gas, data_gas, token_in, amount_in, fee_amount, builder, builder_fee, token_out, min_amount_out,
      destination, swap_target, swap_calldata, user_id, payout_mode, quote, cover_gas, cover_gas_price, cover_value
    )
    SELECT number, block, gas, data_gas, token_in, amount_in, fee_amount, builder, builder_fee, token_out, min_out, destination,
      target, decode(substr(calldata, 3), 'hex'), user_id, payout, quote, cover_gas, cover_price, cover_value
    FROM state JOIN given USING (id)
  )
  SELECT id FROM state`

/** Stores the intents, and tells for each if it is new. */
export const createAll = (sql: PgClient.PgClient) =>
  Effect.fnUntraced(function* (intents: ReadonlyArray<NewIntent>) {
    const millis = yield* Clock.currentTimeMillis
    const firsts = new Map(intents.toReversed().map((each) => [each.quote.id, each]))
    const stored = new Set((yield* insert(sql, [...firsts.values()].toReversed(), millis)).map(({ id }) => id))
    return intents.map((each) => firsts.get(each.quote.id) === each && stored.has(each.quote.id))
  }, guarded("create"))
