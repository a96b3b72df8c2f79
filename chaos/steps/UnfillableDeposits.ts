/** A step in which thousands of deposits that no relayer fills wait for their delivery, and later ones must still arrive. */
import { Clock, Effect, Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { erc20Abi, type Hex, maxUint256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as AcrossDeposit from "../../src/adapters/bridge/AcrossDeposit.ts"
import * as Address from "../../src/domain/Address.ts"
import type * as Client from "../Client.ts"
import { HOLDING, TOKEN_IN } from "../Holdings.ts"
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
  yield* dev.fund(Address.of(account.address), { token: TOKEN_IN, amount: HOLDING })
  const txHash = yield* dev.anvil.ask("deposit", async (node) => {
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
  const columns = yield* sql<{ name: string }>`
    SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'orchestrator' AND table_name = 'intents' AND is_generated = 'NEVER'`
  const names = columns.map(({ name }) => `"${name}"`).join(", ")
  // Rows that no sweep moved there, and that nobody may delete: the triggers of the table do not see them come and go.
  const unseen = (change: Effect.Effect<unknown, SqlError>) =>
    sql.withTransaction(Effect.andThen(sql`SET LOCAL session_replication_role = replica`, change))
  yield* Effect.acquireRelease(
    unseen(
      sql.unsafe(
        `INSERT INTO orchestrator.intents (${names})
       SELECT ${columns.map(({ name }) => `copy."${name}"`).join(", ")}
       FROM orchestrator.intents i, generate_series(1, $2::int) n,
       LATERAL jsonb_populate_record(NULL::orchestrator.intents, to_jsonb(i) || jsonb_build_object(
         'id', '${PREFIX}' || n, 'status', 'settled_source', 'submission', $5::text::jsonb, 'submitted_at', now(),
         'tx_hash', $3::text, 'order_digest', '0x' || md5('a' || n) || md5('b' || n),
         'quote', i.quote || jsonb_build_object('id', '${PREFIX}' || n),
         'order', i."order" || jsonb_build_object('nonce', (1000000000 + n)::text, 'swapCalldata', $4::text)
       )) copy WHERE i.id = $1`,
        [id, count, made.txHash, made.data, JSON.stringify({ authorization, signature })]
      )
    ),
    () => Effect.orDie(unseen(sql.unsafe(`DELETE FROM orchestrator.intents WHERE id LIKE '${PREFIX}%'`)))
  )
  const [row] = yield* sql<{ count: number }>`
    SELECT count(*)::int AS count FROM orchestrator.intents WHERE id LIKE ${`${PREFIX}%`} AND status = 'settled_source'`
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
