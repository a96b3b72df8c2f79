/** Reads the books of a chain, and compares its settlements with them. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import * as Money from "../../adapters/sql/builder/LostMoney.ts"
import * as Transactions from "../../adapters/sql/orchestrator/LostTransactions.ts"
import * as Chain from "../../domain/Chain.ts"
import type * as LostPayments from "../../domain/LostPayments.ts"
import * as LostSweeps from "../../domain/LostSweeps.ts"
import * as LostTreasury from "../../domain/LostTreasury.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import { Payouts } from "../../ports/builder/Payouts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as BookedAccruals from "./BookedAccruals.ts"

const PAGE = 500

const allPayees = Effect.gen(function* () {
  const builders = yield* Builders
  const found: Array<LostPayments.Payee> = []
  for (let after: string | undefined; ;) {
    const page = yield* builders.list({ limit: PAGE, ...(after === undefined ? {} : { after }) })
    found.push(...page.map(({ id, payoutAddress }) => ({ builderId: id, payoutAddress })))
    if (page.length < PAGE) return found
    after = page.at(-1)?.id
  }
})

const allBatches = Effect.gen(function* () {
  const payouts = yield* Payouts
  const found: Array<PayoutBatch> = []
  for (let before: string | undefined; ;) {
    const page = yield* payouts.list({ limit: PAGE, ...(before === undefined ? {} : { before }) })
    found.push(...page)
    if (page.length < PAGE) return found
    before = page.at(-1)?.id
  }
})

/** Finds the parts of these settlements that the books may lack. An order that settled again stays booked under its first settlement. */
const lacking = Effect.fnUntraced(function* (bookings: ReadonlyArray<LostSweeps.SweepBooking>) {
  const sql = yield* PgClient.PgClient
  const first = yield* Transactions.firstSettlements(
    sql,
    bookings.map(({ sweep }) => sweep.orderHash)
  )
  const remembered = bookings.flatMap(({ sweep }) => (first.has(sweep.orderHash) ? [sweep] : []))
  if (remembered.length === 0) return bookings
  const hashes = new Set(remembered.flatMap(({ orderHash, txHash }) => [...(first.get(orderHash) ?? []), txHash]))
  const lines = [
    // Messages are read first: one that is delivered meanwhile is then in the books.
    ...(yield* Transactions.undelivered(
      sql,
      remembered.map(({ orderHash }) => orderHash)
    )),
    ...(yield* Money.linesOf(sql, [...hashes]))
  ]
  return LostSweeps.withoutBooked(bookings, first, lines)
})

/** Finds what the books lack of these settlements of a chain. Returns also the books as they are after the bookings. */
export const of = Effect.fnUntraced(function* (client: ChainClient, sweeps: ReadonlyArray<LostSweeps.SettledSweep>) {
  const sql = yield* PgClient.PgClient
  const { id } = client.chain
  const vaults = Chain.vaults(client.chain)
  const payees = yield* allPayees
  const { intents, statuses } = yield* Transactions.attributions(
    sql,
    sweeps.map(({ orderHash }) => orderHash)
  )
  const attributions = { vaults, payees, intents }
  const bookings = yield* lacking(LostSweeps.plan(attributions, sweeps))
  const accruals = yield* Money.accruals(
    sql,
    sweeps.map(({ sweepId }) => sweepId)
  )
  return {
    bookings,
    differing: BookedAccruals.differing(bookings, accruals, intents),
    named: LostSweeps.unnamedVaults(attributions, sweeps),
    treasury: LostTreasury.missing(sweeps, statuses),
    /** The books as they are after the bookings. */
    after: Effect.gen(function* () {
      const batches = (yield* allBatches).filter(({ chainId }) => chainId === id)
      const owed = yield* Money.owed(sql, id)
      return { vaults, batches, owed, payees, explained: yield* Money.explained(sql, id) }
    })
  }
})
