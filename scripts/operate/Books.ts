/** All that the books say of money, beside what the chains say. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Address, createPublicClient, http, parseAbiItem } from "viem"
import type { Place } from "./Traffic.ts"

const SWEPT = parseAbiItem(
  "event Swept(bytes32 indexed orderHash, address indexed owner, address indexed builder, address tokenIn, uint256 amountIn, uint256 feeAmount, uint256 builderFee, address tokenOut, uint256 amountOut, address destination, address swapTarget, uint256 nonce, uint256 destChainId)"
)

const connected = <A, E>(url: string, use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.scoped(
    Effect.flatMap(PgClient.make({ url: Redacted.make(url), maxConnections: 2 }), use).pipe(
      Effect.provide(Reactivity.layer)
    )
  )

/** Waits until the services have nothing left to do. */
export const idle = (url: string) =>
  connected(
    url,
    (sql) => sql`SELECT 1 AS busy FROM orchestrator.intent_states WHERE status IN ('submitted', 'settled_source')
      UNION ALL SELECT 1 FROM orchestrator.outbox WHERE state = 'pending'
      UNION ALL SELECT 1 FROM orchestrator.relay_transactions WHERE status <> 'final'`
  ).pipe(
    Effect.map((rows) => rows.length),
    Effect.orElseSucceed(() => 1),
    Effect.repeat({ schedule: Schedule.spaced("200 millis"), until: (rows) => rows === 0 }),
    Effect.timeout("120 seconds")
  )

/** Dates the restore of the database a day back. Until a day has passed, a forgotten payment may still be mined. */
export const dateRestoreBack = (url: string) =>
  connected(url, (sql) => sql`UPDATE builder.restores SET recorded_at = recorded_at - interval '1 day'`)

/** Earnings of builders, revenue and gas. */
export const of = (url: string) =>
  connected(url, (sql) =>
    Effect.all({
      accruals: sql<{
        token: string
        earned: string
      }>`SELECT sweep_id, builder_id, token::text AS token, chain_id::text AS chain, earned::text AS earned, paid::text AS paid
        FROM builder.ledger WHERE kind = 'accrual' ORDER BY 1`,
      revenue: sql<{
        sweep_id: string
        token: string
        amount: string
      }>`SELECT sweep_id, token::text AS token, amount::text AS amount
        FROM builder.revenue ORDER BY 1`,
      spending: sql<{ chain: string; wei: string }>`SELECT chain_id::text AS chain, sum(wei)::text AS wei
        FROM orchestrator.relay_spending GROUP BY 1 ORDER BY 1`
    })
  )

export type Books = Effect.Success<ReturnType<typeof of>>

const sumOf = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((sum, each) => sum + each, 0n)

/** Sums by token, as text. Zero and no entry are the same. */
const byToken = (entries: ReadonlyArray<{ readonly token: string; readonly amount: bigint }>): string =>
  [...Map.groupBy(entries, ({ token }) => token.toLowerCase())]
    .map(([token, own]) => `${token} ${sumOf(own.map(({ amount }) => amount))}`)
    .filter((line) => !line.endsWith(" 0"))
    .toSorted()
    .join(", ")

/** UNIX seconds of the newest settlement that the books have. */
export const newest = (url: string) =>
  connected(
    url,
    (sql) => sql<{ at: number }>`SELECT extract(epoch FROM max(settled_at))::float8 AS at FROM builder.revenue`
  ).pipe(Effect.map(([row]) => row?.at ?? 0))

/** Settlements, and fees of the operator and of builders by token. */
export interface Sums {
  readonly settled: number
  readonly fees: string
  readonly builderFees: string
}

/** The sums by the events of the guards, from the first block on. */
export const events = (places: ReadonlyArray<Place>): Effect.Effect<Sums> =>
  Effect.map(
    Effect.forEach(places, ({ dev, info }) =>
      Effect.promise(() =>
        createPublicClient({ transport: http(dev.rpcUrl) }).getLogs({
          address: info.guard,
          event: SWEPT,
          fromBlock: 0n,
          strict: true
        })
      )
    ),
    (all) => {
      const args = all.flat().map((log) => log.args)
      return {
        settled: args.length,
        fees: byToken(args.map(({ feeAmount, tokenIn }) => ({ token: tokenIn, amount: feeAmount }))),
        builderFees: byToken(args.map(({ builderFee, tokenIn }) => ({ token: tokenIn, amount: builderFee })))
      }
    }
  )

/** The same sums by the books. */
export const sums = ({ accruals, revenue }: Books): Sums => ({
  settled: revenue.length,
  fees: byToken(revenue.map(({ amount, token }) => ({ token, amount: BigInt(amount) }))),
  builderFees: byToken(accruals.map(({ earned, token }) => ({ token, amount: BigInt(earned) })))
})

/** Native currency that the lanes hold on both chains, and what the books say that they spent. */
export const lanes = Effect.fnUntraced(function* (
  places: ReadonlyArray<Place>,
  accounts: ReadonlyArray<Address>,
  books: Books
) {
  const balances = yield* Effect.forEach(places, ({ dev }) =>
    Effect.promise(() => {
      const node = createPublicClient({ transport: http(dev.rpcUrl) })
      return Promise.all(accounts.map((address) => node.getBalance({ address })))
    })
  )
  return { held: sumOf(balances.flat()), spent: sumOf(books.spending.map(({ wei }) => BigInt(wei))) }
})
