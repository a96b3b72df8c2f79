/**
 * The database goes back to an earlier moment while sweeps run and after builders were paid, and `sweep reconcile` brings the books
 * back. They must equal those of the database that was lost, and the chain, to the wei.
 */
import * as BunServices from "@effect/platform-bun/BunServices"
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { createPublicClient, http } from "viem"
import { inject } from "vitest"
import { MAX_PAYMENT_SECONDS } from "../../src/builder/payout/PaymentProof.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import { CHAINS_FILE } from "../../src/devnet/DevNetwork.ts"
import type { Report } from "../../src/cli/reconcile/Report.ts"
import { balanceOf, place, type Place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import { patch, quoteWith, shell, signUp, sweepWith } from "./BuilderScene.ts"

type Printed = { readonly reconciled: boolean } & {
  readonly [Key in "payments" | "sweeps" | "unassigned" | "transactions" | "open"]: ReadonlyArray<
    Record<string, string> & Partial<Report[Key][number]>
  >
}

const connect = (database: string) =>
  PgClient.make({ url: Redacted.make(`${inject("postgres")}/${database}`), maxConnections: 2 }).pipe(
    Effect.provide(Reactivity.layer)
  )

/** Blocks that confirm the one of the restore, a second apart: those of one second can have the time of the restore. */
const CONFIRMING = { blocks: 5, interval: 1 }

const pause = Schedule.spaced("100 millis")

/** Ends all connections to a database, and keeps new ones away while `change` runs. */
const alone = <A, E, R>(admin: PgClient.PgClient, database: string, change: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    yield* admin`ALTER DATABASE ${admin(database)} ALLOW_CONNECTIONS false`
    yield* admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${database}`
    // A backend ends some time after it was told.
    yield* Effect.retry(change, { times: 50, schedule: pause })
  })

/** Copies the database as it is at this moment. The services lose their connections, and come back. */
const snapshot = Effect.fnUntraced(function* (admin: PgClient.PgClient, database: string, copy: string) {
  yield* alone(admin, database, admin`CREATE DATABASE ${admin(copy)} TEMPLATE ${admin(database)}`)
  yield* admin`ALTER DATABASE ${admin(database)} ALLOW_CONNECTIONS true`
})

/** Puts the copy in the place of the database, which gets another name. */
const goBack = Effect.fnUntraced(function* (admin: PgClient.PgClient, database: string, copy: string, lost: string) {
  yield* alone(admin, database, admin`ALTER DATABASE ${admin(database)} RENAME TO ${admin(lost)}`)
  yield* admin`ALTER DATABASE ${admin(lost)} ALLOW_CONNECTIONS true`
  yield* admin`ALTER DATABASE ${admin(copy)} RENAME TO ${admin(database)}`
})

/** Waits until a query returns no row. */
const none = (database: string, query: (sql: PgClient.PgClient) => Effect.Effect<ReadonlyArray<unknown>, unknown>) =>
  Effect.scoped(Effect.flatMap(connect(database), query)).pipe(
    Effect.map((rows) => rows.length),
    Effect.orElseSucceed(() => 1),
    Effect.repeat({ schedule: pause, until: (rows) => rows === 0 })
  )

/** Waits until the services have nothing left to do. */
const idle = (database: string) =>
  none(
    database,
    (sql) => sql`SELECT 1 AS busy FROM orchestrator.intent_states WHERE status IN ('submitted', 'settled_source')
      UNION ALL SELECT 1 FROM orchestrator.outbox WHERE state = 'pending'
      UNION ALL SELECT 1 FROM orchestrator.relay_transactions WHERE status <> 'final'`
  )

/** All that the books say of money. Claims and batches have other ids after a restore, and are compared by what is owed. */
const booksOf = (database: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* connect(database)
      const ledger = yield* sql`SELECT builder_id, token, chain_id, sum(earned)::text AS earned, sum(paid)::text AS paid
        FROM builder.ledger GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`
      const revenue =
        yield* sql`SELECT sweep_id, token, amount::text AS amount, settled_at FROM builder.revenue ORDER BY 1`
      const accruals = yield* sql`SELECT sweep_id, builder_id, earned::text AS earned, paid::text AS paid
        FROM builder.ledger WHERE kind = 'accrual' ORDER BY 1`
      const spending = yield* sql`SELECT chain_id, sum(wei)::text AS wei FROM orchestrator.relay_spending
        GROUP BY 1 ORDER BY 1`
      return { ledger, revenue, accruals, spending }
    })
  )

/** Moves the record of the restore a day back, as if a day had passed since. No forgotten payment can be mined then. */
const passADay = (database: string) =>
  Effect.scoped(
    Effect.flatMap(
      connect(database),
      (sql) => sql`UPDATE builder.restores SET recorded_at = recorded_at - ${MAX_PAYMENT_SECONDS} * interval '1 second'`
    )
  )

const lanesHold = ({ dev }: Place, database: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* connect(database)
      const lanes = yield* sql<{ lane: `0x${string}` }>`SELECT lane::text AS lane FROM orchestrator.lanes
        WHERE chain_id = ${dev.chain.id}`
      const [spent] = yield* sql<{ wei: string | null }>`SELECT sum(wei)::text AS wei FROM orchestrator.relay_spending
        WHERE chain_id = ${dev.chain.id}`
      const node = createPublicClient({ transport: http(dev.rpcUrl) })
      const held = yield* Effect.promise(() => Promise.all(lanes.map(({ lane }) => node.getBalance({ address: lane }))))
      return { held: held.reduce((sum, each) => sum + each, 0n), spent: BigInt(spent?.wei ?? 0), lanes: lanes.length }
    })
  )

layer(Services.layer(), { excludeTestServices: true })("a database that was restored to an earlier moment", (it) => {
  it.effect(
    "pays nobody before it is reconciled, and then has every fee, payment and gas",
    () =>
      Effect.gen(function* () {
        const services = yield* Services
        const { info, network } = services
        const alpha = place(services, 0)
        const database = new URL(network.databaseUrl).pathname.slice(1)
        const [copy, lost] = [`${database}_copy`, `${database}_lost`]
        const admin = yield* connect("postgres")
        yield* Effect.addFinalizer(() =>
          Effect.forEach([copy, lost], (name) => admin`DROP DATABASE IF EXISTS ${admin(name)} WITH (FORCE)`).pipe(
            Effect.ignore
          )
        )
        yield* Effect.scoped(
          Effect.flatMap(
            connect(database),
            (sql) => sql`INSERT INTO builder.database_identity (identity) VALUES (builder.current_identity())`
          )
        )
        const { outputOf, run } = yield* shell
        const settings = `export DATABASE_URL='${inject("postgres")}/${database}' CHAINS_FILE=.sweep/${CHAINS_FILE}`
        const reconcile = (flags: string) =>
          Effect.map(run(`${settings}; ./sweep reconcile ${flags} --json`), ({ code, error, out }) => ({
            code,
            error,
            report: out === "" ? undefined : (JSON.parse(out) as Printed)
          }))
        const tokenOf = (symbol: string) => alpha.info.tokens[symbol]?.address ?? ""
        const open = (symbol: string) =>
          `./sweep payouts open --chain ${alpha.info.id} --token ${tokenOf(symbol)} --json`

        // Before the moment: fees of both payout modes, an open batch, and sweeps that have not settled.
        const ledger = yield* signUp(info)
        const onchain = yield* signUp(info)
        yield* patch(info, ledger.id, { maxBuilderBps: 100, builderBps: 30, payoutMode: "ledger" })
        yield* patch(info, onchain.id, { maxBuilderBps: 100, builderBps: 45 })
        const usdt = yield* sweepWith(ledger.apiKey, "USDT", "41.234567")
        const dai = yield* sweepWith(ledger.apiKey, "DAI", "17.5")
        yield* idle(database)
        const start = yield* lanesHold(alpha, database)
        const opened = JSON.parse(yield* outputOf(open("USDT"))) as { id: string }
        const quoted = yield* quoteWith(ledger.apiKey, "USDT", "12.000001")
        const inFlight = yield* Effect.forEach([11, 12, 13], (amount) =>
          Effect.gen(function* () {
            const each = yield* quoteWith(onchain.apiKey, "DAI", String(amount))
            const signed = yield* Effect.promise(() => SweepClient.sign(each.owner, each.quote))
            yield* Effect.promise(() => each.client.submitAccepted(signed))
            return { client: each.client, id: signed.quoteId }
          })
        )
        const moment = new Date().toISOString()
        yield* snapshot(admin, database, copy)

        // After it: everything that the database will forget.
        for (const { client, id } of inFlight) {
          const ended = yield* Effect.promise(() => client.ended(id))
          assert.strictEqual(ended.string("status"), "delivered", ended.text)
        }
        const signed = yield* Effect.promise(() => SweepClient.sign(quoted.owner, quoted.quote))
        yield* Effect.promise(() => quoted.client.submitAccepted(signed))
        assert.strictEqual(
          (yield* Effect.promise(() => quoted.client.ended(signed.quoteId))).string("status"),
          "delivered"
        )
        const unknown = yield* sweepWith(ledger.apiKey, "USDT", "23.456789")
        yield* sweepWith(onchain.apiKey, "WBTC", "0.0123")
        yield* outputOf(`./sweep payouts send ${opened.id}`)
        const forgotten = JSON.parse(yield* outputOf(open("DAI"))) as { id: string; total: string }
        assert.strictEqual(forgotten.total, String(dai.builderFee))
        yield* outputOf(`./sweep payouts send ${forgotten.id}`)
        yield* idle(database)
        const before = yield* booksOf(database)
        const spentBefore = yield* lanesHold(alpha, database)
        assert.strictEqual(start.held - spentBefore.held, spentBefore.spent - start.spent)

        yield* goBack(admin, database, copy, lost)
        yield* idle(database)

        // Nobody recorded the restore. The database is another one, so nothing leads to a payment.
        for (const script of [open("DAI"), `./sweep payouts export ${opened.id} --format safe`]) {
          const refused = yield* run(script)
          assert.strictEqual(refused.code, 1, refused.out)
          assert.include(refused.error, "sweep reconcile")
        }
        const unnamed = yield* reconcile("")
        assert.include(unnamed.error, "--since")

        const dry = yield* reconcile(`--since ${moment} --dry-run`)
        assert.strictEqual(dry.code, 1)
        const first = yield* reconcile(`--since ${moment}`)
        assert.strictEqual(first.code, 1, first.error)
        // Everything is booked. A payment of the lost time could still be in the next block.
        assert.isFalse(first.report?.reconciled)
        for (const { dev } of [alpha, place(services, 1)]) {
          yield* dev.node.ask("mine", (node) => node.mine(CONFIRMING))
        }
        const early = yield* reconcile("")
        assert.isFalse(early.report?.reconciled)
        assert.isTrue(early.report?.open.some(({ text }) => text?.includes("may still be mined")))
        yield* passADay(database)
        const second = yield* reconcile("")
        assert.isTrue(second.report?.reconciled, JSON.stringify(second.report?.open))
        assert.deepStrictEqual(
          first.report?.payments.map(({ outcome }) => outcome),
          ["open_batch", "lost_batch"]
        )
        assert.deepStrictEqual(
          first.report?.unassigned.map(({ amount, recipient, sweepId }) => [amount, recipient, sweepId?.split("_")[0]]),
          [[String(unknown.builderFee), Accounts.builderVault().address, unknown.txHash]]
        )
        assert.isAtLeast(first.report?.transactions.length ?? 0, 3)
        assert.deepStrictEqual(dry.report?.sweeps, first.report?.sweeps)
        assert.deepStrictEqual(dry.report?.transactions, first.report?.transactions)
        // The second run finds nothing to book, and the fee still waits for its builder.
        assert.deepStrictEqual([second.code, second.report?.sweeps, second.report?.transactions], [1, [], []])

        const sweepId = String(first.report?.unassigned[0]?.sweepId)
        yield* outputOf(`${settings}; ./sweep reconcile assign --builder ${ledger.id} ${sweepId}`)
        const last = yield* reconcile("")
        assert.deepStrictEqual([last.code, last.report?.open], [0, []], last.error)

        assert.deepStrictEqual(yield* booksOf(database), before)
        const spentAfter = yield* lanesHold(alpha, database)
        assert.deepStrictEqual(spentAfter, spentBefore)
        const vault = Accounts.builderVault().address
        const due = BigInt(quoted.quote.string("order.builderFee")) + unknown.builderFee
        assert.strictEqual(yield* balanceOf(alpha, "USDT", vault), due)
        assert.strictEqual(yield* balanceOf(alpha, "DAI", vault), 0n)

        // The rest is owed and paid once, and nothing else is.
        const empty = yield* run(open("DAI"))
        assert.include(empty.error, "no builder is owed the minimum amount")
        const rest = JSON.parse(yield* outputOf(open("USDT"))) as { id: string; total: string }
        assert.strictEqual(rest.total, String(due))
        yield* outputOf(`./sweep payouts send ${rest.id}`)
        assert.strictEqual(yield* balanceOf(alpha, "USDT", vault), 0n)
        assert.strictEqual(yield* balanceOf(alpha, "USDT", ledger.wallet.address), usdt.builderFee + due)
        assert.strictEqual(yield* balanceOf(alpha, "DAI", ledger.wallet.address), dai.builderFee)
      }).pipe(Effect.scoped, Effect.provide(BunServices.layer)),
    300_000
  )
})
