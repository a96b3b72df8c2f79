/** Intents in PostgreSQL: the tables are the queue, the lock and the record. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer, Option } from "effect"
import { IllegalTransition } from "../../../domain/Intent.ts"
import { IntentExists, Intents } from "../../../ports/orchestrator/Intents.ts"
import * as Address from "../../../domain/Address.ts"
import { bytes, guarded, text, timestamp } from "../shared/Database.ts"
import * as Gathered from "../shared/Gathered.ts"
import * as DeliveryLooks from "./DeliveryLooks.ts"
import * as GivenUpIntents from "./GivenUpIntents.ts"
import * as IntentMoves from "./IntentMoves.ts"
import * as IntentQueue from "./IntentQueue.ts"
import * as IntentReads from "./IntentReads.ts"
import * as IntentRow from "./IntentRow.ts"
import * as IntentSubmissions from "./IntentSubmissions.ts"
import * as Sweeps from "./Sweeps.ts"
import { UnreadableIntents } from "./UnreadableIntents.ts"
import * as Wakes from "./Wakes.ts"

const CHANNEL = "token_sweep_intents"

/** Two statements at a time: one collects calls while the other commits. */
const GATHERED = { statements: 2, questions: 100 }

const nextOrderNonce = (sql: PgClient.PgClient): Intents["Service"]["nextOrderNonce"] =>
  Effect.fnUntraced(function* (chainId, owner, atLeast, count = 1) {
    const [row] = yield* sql<{ nonce: string }>`
      INSERT INTO orchestrator.owner_nonces AS o (chain_id, owner, next_nonce)
      VALUES (${chainId}, ${owner}, ${String(atLeast)}::numeric + ${count}::integer)
      ON CONFLICT (chain_id, owner)
      DO UPDATE SET next_nonce = greatest(o.next_nonce, ${String(atLeast)}::numeric) + ${count}::integer
      RETURNING next_nonce - ${count}::integer AS nonce`
    return BigInt(row?.nonce ?? atLeast)
  }, guarded("nextOrderNonce"))

/** First number of a second. A counter makes the numbers of the second. */
const firstNumber = (millis: number) => BigInt(Math.floor(millis / 1_000)) << 24n

const create = (sql: PgClient.PgClient): Intents["Service"]["create"] =>
  Effect.fnUntraced(function* ({ attributed, cover, gas, order, orderDigest, quote, quotedAtBlock, userId }) {
    const millis = yield* Clock.currentTimeMillis
    const at = timestamp(millis)
    const inserted = yield* sql`
      WITH state AS (
        INSERT INTO orchestrator.intent_states (
          number, id, source_chain_id, owner, order_nonce, order_digest, dest_chain_id, deadline, builder_id, created_at,
          updated_at
        ) VALUES (
          ${firstNumber(millis)}::bigint | (nextval('orchestrator.intent_numbers') & 16777215), ${quote.id},
          ${quote.sourceChainId}, ${order.owner}, ${String(order.nonce)}::numeric, ${bytes(orderDigest)},
          ${String(order.destChainId)}::numeric, ${String(order.deadline)}::numeric,
          ${attributed === undefined ? null : text(attributed.builderId)}, ${at}, ${at}
        ) ON CONFLICT DO NOTHING RETURNING number
      )
      INSERT INTO orchestrator.intent_terms (
        number, quoted_at_block, gas, token_in, amount_in, fee_amount, builder, builder_fee, token_out, min_amount_out,
        destination, swap_target, swap_calldata, user_id, payout_mode, quote, cover_gas, cover_gas_price, cover_value
      )
      SELECT number, ${quotedAtBlock}::bigint, ${gas}::bigint, ${order.tokenIn}, ${String(order.amountIn)}::numeric,
        ${String(order.feeAmount)}::numeric, ${Address.isZero(order.builder) ? null : order.builder},
        ${String(order.builderFee)}::numeric, ${order.tokenOut}, ${String(order.minAmountOut)}::numeric,
        ${order.destination === order.owner ? null : order.destination}, ${order.swapTarget}, ${bytes(order.swapCalldata)},
        ${text(userId)}, ${attributed?.payoutMode ?? null}, ${sql.json(IntentRow.encodeQuote(quote))}::jsonb,
        ${cover?.gas ?? null}::bigint, ${cover === undefined ? null : String(cover.gasPrice)}::numeric,
        ${cover === undefined ? null : String(cover.value)}::numeric
      FROM state RETURNING number`
    if (inserted.length === 0) return yield* new IntentExists({ id: quote.id })
  }, guarded("create"))

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { wake, wakes } = yield* Wakes.make(CHANNEL)
  const unreadable = yield* UnreadableIntents
  const findTogether = yield* Gathered.make({ ...GATHERED, run: IntentReads.findEach(sql, unreadable) })
  const hasSettledTogether = yield* Gathered.make({ ...GATHERED, run: IntentReads.hasSettledEach(sql) })
  const submitTogether = yield* Gathered.make({ ...GATHERED, run: IntentSubmissions.submitAll(sql, unreadable, wake) })

  const find: Intents["Service"]["find"] = Effect.fnUntraced(function* (id) {
    return yield* Effect.orDie(Effect.fromResult(yield* findTogether(id)))
  })

  const submit: Intents["Service"]["submit"] = Effect.fnUntraced(function* (id, submission, network, waitingFor) {
    const submitted = yield* Effect.orDie(
      Effect.fromResult(yield* submitTogether({ id, submission, network, waitingFor }))
    )
    if (Option.isSome(submitted)) return submitted.value
    const from = yield* IntentMoves.statusOf(sql, id)
    return yield* new IllegalTransition({ from, event: IntentSubmissions.SUBMITTED._tag })
  }, guarded("submit"))

  return Intents.of({
    nextOrderNonce: nextOrderNonce(sql),
    create: create(sql),
    find,
    findAll: IntentReads.findAll(sql, unreadable),
    states: IntentReads.states(sql),
    quotes: IntentReads.quotes(sql, unreadable),
    submit,
    submitSweep: Sweeps.submit(sql, wake),
    findSweep: Sweeps.find(sql),
    sweepsOf: Sweeps.ofOwner(sql),
    claim: IntentQueue.claim(sql, unreadable),
    release: IntentQueue.release(sql),
    waiting: IntentQueue.waiting(sql),
    overdue: IntentQueue.overdue(sql, unreadable),
    giveUp: GivenUpIntents.giveUp(sql),
    givenUp: GivenUpIntents.givenUp(sql),
    givenUpReasons: GivenUpIntents.givenUpReasons(sql),
    apply: IntentMoves.apply(sql),
    applyAll: IntentMoves.applyAll(sql),
    burned: IntentReads.burned(sql),
    hasSettled: (owner, chainIds) => hasSettledTogether({ owner, chainIds }),
    inStatus: IntentReads.inStatus(sql, unreadable),
    deliveriesDue: DeliveryLooks.due(sql, unreadable),
    fillsDue: DeliveryLooks.fillsDue(sql, unreadable),
    noteFill: DeliveryLooks.noteFill(sql),
    noteSearches: DeliveryLooks.noteSearches(sql),
    postponeDeliveries: DeliveryLooks.postpone(sql),
    counts: IntentReads.counts(sql),
    wakes
  })
})

/** Requires the schema of `Migrated.layer`. Listens for other processes until its scope closes. */
export const layer = Layer.effect(Intents, make).pipe(Layer.provide(UnreadableIntents.layer))
