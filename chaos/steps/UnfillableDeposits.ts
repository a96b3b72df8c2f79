/** A step in which thousands of deposits that no relayer fills wait for their delivery, and later ones must still arrive. */
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { erc20Abi, type Hex, maxUint256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as AcrossDeposit from "../../src/adapters/bridge/AcrossDeposit.ts"
import * as Address from "../../src/domain/Address.ts"
import type * as Client from "../Client.ts"
import { holdingOf, TOKEN_IN } from "../Holdings.ts"
import type { World } from "../World.ts"
import { besides, joined, nothing, type Stage, type Step } from "./Step.ts"

/** A relayer would lose most of what it pays. */
const LOSS = 10n

/** Time in which a later deposit must be delivered. */
const DELIVERY_MILLIS = 30_000

/** Sweeps across chains that are offered after the unfillable ones. */
const LATER = 3

/** Makes the deposit of a quote from another account, on terms that lose the relayer money. Returns call and transaction. */
const deposit = Effect.fnUntraced(function* ({ alpha }: World, calldata: Hex) {
  const { dev } = alpha
  const terms = yield* Effect.fromOption(AcrossDeposit.decode(calldata)).pipe(Effect.orDie)
  const data = AcrossDeposit.encode({ ...terms, outputAmount: terms.inputAmount * LOSS })
  const token = dev.tokens[TOKEN_IN]
  const account = privateKeyToAccount(dev.deployer.privateKey)
  yield* dev.fund(Address.of(account.address), { token: TOKEN_IN, amount: holdingOf(TOKEN_IN) })
  const txHash = yield* dev.node.ask("deposit", async (node) => {
    const approval = await node.writeContract({
      account,
      chain: node.chain,
      address: token,
      abi: erc20Abi,
      functionName: "approve",
      args: [dev.spokePool, maxUint256]
    })
    await node.waitForTransactionReceipt({ hash: approval })
    const hash = await node.sendTransaction({ account, chain: node.chain, to: dev.spokePool, data })
    const { status } = await node.waitForTransactionReceipt({ hash })
    if (status !== "success") throw new Error("the deposit reverted")
    return hash
  })
  return { data, txHash }
})

const PREFIX = "planted-"

/** Rows of settled intents that all wait for this deposit, until the scope closes. */
const planted = Effect.fnUntraced(function* (
  { sql }: World,
  { id, signed: { authorization, signature } }: Client.Sweep,
  made: { readonly data: Hex; readonly txHash: Hex },
  count: number
) {
  // Rows that no sweep moved there, and that nobody may delete: the triggers of the table do not see them come and go, so the
  // count that they keep is changed here, and the rows have no fee, which would be missing in the sums of fees and of money. Without
  // a rate, the fee would count for what the quote says that it is worth.
  const unseen = (change: Effect.Effect<unknown, SqlError>, more: number) =>
    sql.withTransaction(
      Effect.all(
        [
          sql`SET LOCAL session_replication_role = replica`,
          change,
          sql`INSERT INTO orchestrator.intent_count_parts VALUES ('settled_source', ${more})`
        ],
        { discard: true }
      )
    )
  const bytes = (hex: Hex) => `\\x${hex.slice(2)}`
  const signed = { ...authorization, signature }
  yield* Effect.acquireRelease(
    unseen(
      sql`
      WITH state AS (
        INSERT INTO orchestrator.intent_states (
          number, source_chain_id, created_at, updated_at, submitted_at, id, owner, order_nonce, order_digest, dest_chain_id,
          deadline, builder_id, status, tx_hash, fee_rate
        )
        SELECT orchestrator.first_number(now()) | (nextval('orchestrator.intent_numbers') & 16777215), s.source_chain_id,
          now(), now(), now(), ${PREFIX} || n, s.owner, 1000000000 + n, decode(md5('a' || n) || md5('b' || n), 'hex'),
          s.dest_chain_id, s.deadline, s.builder_id, 'settled_source', ${bytes(made.txHash)}::bytea, 0
        FROM orchestrator.intent_states s, generate_series(1, ${count}::int) n WHERE s.id = ${id}
        RETURNING number, id, source_chain_id, dest_chain_id
      ), terms AS (
        INSERT INTO orchestrator.intent_terms
        SELECT copy.* FROM state, orchestrator.intent_terms t, LATERAL jsonb_populate_record(t,
          jsonb_build_object('number', state.number, 'fee_amount', 0, 'swap_calldata', ${bytes(made.data)}::text)) copy
        WHERE t.number = (SELECT number FROM orchestrator.intent_states WHERE id = ${id})
      ), signature AS (
        INSERT INTO orchestrator.intent_signatures (
          number, authorization_chain_id, authorization_nonce, y_parity, delegate, r, s, signature
        )
        SELECT number, (a ->> 'chainId')::bigint, (a ->> 'nonce')::numeric, coalesce((a ->> 'yParity')::smallint, 0),
          decode(substr(a ->> 'address', 3), 'hex'), decode(substr(a ->> 'r', 3), 'hex'),
          decode(substr(a ->> 's', 3), 'hex'), decode(substr(a ->> 'signature', 3), 'hex')
        FROM state, (SELECT ${sql.json(signed)}::jsonb AS a) signed
      )
      INSERT INTO orchestrator.intent_deliveries (intent_id, source_chain_id, dest_chain_id, delivered, since, look_at)
      SELECT id, source_chain_id, dest_chain_id, false, now(), 'epoch' FROM state`,
      count
    ),
    () =>
      Effect.orDie(
        unseen(
          sql`
          WITH state AS (
            DELETE FROM orchestrator.intent_states WHERE id LIKE ${`${PREFIX}%`} RETURNING number, id
          ), delivery AS (
            DELETE FROM orchestrator.intent_deliveries d USING state WHERE d.intent_id = state.id
          ), signature AS (
            DELETE FROM orchestrator.intent_signatures g USING state WHERE g.number = state.number
          )
          DELETE FROM orchestrator.intent_terms t USING state WHERE t.number = state.number`,
          -count
        )
      )
  )
  const [row] = yield* sql<{ count: number }>`
    SELECT count(*)::int AS count FROM orchestrator.intent_deliveries WHERE intent_id LIKE ${`${PREFIX}%`}`
  if (row?.count !== count) return yield* Effect.die(new Error(`only ${row?.count} of ${count} rows are there`))
})

/** A sweep to the other chain, through to its delivery. */
const later = Effect.fnUntraced(function* ({ traffic, world: { alpha, beta, client, sql } }: Stage) {
  const sweep = yield* traffic.quoted(alpha, beta)
  if (sweep === undefined) return ["no quote across chains behind the unfillable deposits"]
  const answer = yield* client.submit(traffic.nextSlot().url, sweep)
  if (answer !== "acknowledged") return [`a submission behind the unfillable deposits was ${answer}`]
  const began = yield* Clock.currentTimeMillis
  for (;;) {
    const [row] = yield* sql<{ status: string }>`SELECT status FROM orchestrator.intents WHERE id = ${sweep.id}`
    if (row?.status === "delivered") return []
    const waited = (yield* Clock.currentTimeMillis) - began
    if (waited > DELIVERY_MILLIS)
      return [`${sweep.id} is ${row?.status} after ${waited} ms behind the unfillable deposits`]
    yield* Effect.sleep("100 millis")
  }
})

export const unfillableDeposits = (count: number): Step => ({
  name: `${count} unfillable deposits`,
  explains: () => false,
  mayFail: false,
  play: (stage) =>
    Effect.gen(function* () {
      const { traffic, world } = stage
      const quoted = yield* traffic.quoted(world.alpha, world.beta)
      if (quoted === undefined) return { ...nothing, findings: ["no quote across chains"] }
      const [row] = yield* world.sql<{ calldata: Hex }>`
        SELECT "order" ->> 'swapCalldata' AS calldata FROM orchestrator.intents WHERE id = ${quoted.id}`
      const made = yield* deposit(world, yield* Effect.orDie(Effect.fromOption(Option.fromNullishOr(row?.calldata))))
      yield* planted(world, quoted, made, count)
      const [beside, ...delivered] = yield* Effect.all(
        [besides(stage, world.beta, 0), ...Array.from({ length: LATER }, () => later(stage))] as const,
        { concurrency: "unbounded" }
      )
      return joined([beside, { ...nothing, findings: delivered.flat() }])
    }).pipe(Effect.scoped)
})
