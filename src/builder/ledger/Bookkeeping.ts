/** Books the earnings of settled sweeps (spec, "Accrual ledger"; design, "Rules of money", 5). Every booking is idempotent. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { type Accrual, lacksPayment, type Revenue } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Builders } from "../../ports/builder/Builders.ts"
import {
  type AccrualConflict,
  type AccrualNotFound,
  type Assigned,
  type Booked,
  Ledger,
  type UnknownBuilder
} from "../../ports/builder/Ledger.ts"
import { RevenueBook, type RevenueConflict } from "../../ports/builder/RevenueBook.ts"
import { Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { BuilderSettings } from "../shared/BuilderSettings.ts"

export class Bookkeeping extends Context.Service<
  Bookkeeping,
  {
    /**
     * Books a builder's accrual, on the default chain if it names none. Different content under a booked sweep id, and any content under
     * one whose accrual was reversed, is refused, and raises an alert. An accrual that is owed to a builder in the on-chain payout mode
     * raises an alert too, since a payout may pay it again, unless it says that its sweep was quoted in the mode `ledger`.
     */
    readonly accrue: (accrual: Accrual) => Effect.Effect<Booked, AccrualConflict | UnknownBuilder | StoreUnavailable>
    /**
     * Assigns a token's accruals that were reported without a chain to a chain, on which payouts then pay them. Idempotent: an
     * assigned accrual keeps its chain. Many accruals take several transactions, each with its record in the audit log. `more` says that
     * some were left when the time of a request was over.
     */
    readonly assign: (
      token: Address.Address,
      chainId: ChainId,
      actor: string
    ) => Effect.Effect<Assigned, UnsupportedChain | StoreUnavailable>
    /** Reverses the accrual of a sweep that did not happen, such as one that a deep reorganisation removed. */
    readonly reverse: (
      sweepId: string,
      reason: string,
      actor: string
    ) => Effect.Effect<Booked, AccrualNotFound | StoreUnavailable>
    /** Books the protocol's revenue. Different content under a booked sweep id is refused, and raises an alert. */
    readonly bookRevenue: (revenue: Revenue) => Effect.Effect<Booked, RevenueConflict | StoreUnavailable>
    /** Books many lines at once. Returns the sweep ids that are booked; offer the others one by one to learn why they are not. */
    readonly bookRevenues: (revenues: ReadonlyArray<Revenue>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
  }
>()("sweep/builder/Bookkeeping") {
  static readonly layer = Layer.effect(
    Bookkeeping,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const audit = yield* AuditLog
      const ledger = yield* Ledger
      const revenue = yield* RevenueBook
      const { atomically } = yield* UnitOfWork

      const alertConflict =
        (kind: "accrual_conflict" | "revenue_conflict") => (conflict: { readonly sweepId: string }) =>
          alerts.raise({
            key: `${kind}:${conflict.sweepId}`,
            severity: "critical",
            kind,
            message: CONFLICTS[kind],
            details: { sweepId: conflict.sweepId }
          })

      /** The last report agrees with the books again. */
      const clearConflict = (kind: "accrual_conflict" | "revenue_conflict", sweepId: string) => (booked: Booked) =>
        booked === "already_booked" ? alerts.clear(`${kind}:${sweepId}`) : Effect.void

      const book = yield* makeBook

      return Bookkeeping.of({
        accrue: Effect.fn("Bookkeeping.accrue")((accrual) =>
          book(accrual).pipe(
            Effect.tap(clearConflict("accrual_conflict", accrual.sweepId)),
            Effect.tapErrorTag("AccrualConflict", alertConflict("accrual_conflict"))
          )
        ),
        assign: yield* makeAssign,
        reverse: Effect.fn("Bookkeeping.reverse")(function* (sweepId, reason, actor) {
          const booked = yield* ledger.reverse(sweepId)
          if (booked === "added") {
            yield* audit.append({ actor, action: "accrual.reverse", subject: sweepId, details: { reason } })
            yield* alerts.clear(`accrual_conflict:${sweepId}`)
          }
          return booked
        }, atomically),
        bookRevenues: (revenues) => revenue.bookAll(revenues),
        bookRevenue: Effect.fn("Bookkeeping.bookRevenue")((line) =>
          revenue
            .book(line)
            .pipe(
              Effect.tap(clearConflict("revenue_conflict", line.sweepId)),
              Effect.tapErrorTag("RevenueConflict", alertConflict("revenue_conflict"))
            )
        )
      })
    })
  )
}

const CONFLICTS = {
  accrual_conflict:
    "An accrual was reported with other content than it was booked with, or again after its reversal, and nothing was booked. If the " +
    "booking is wrong, reverse it. Then book the right accrual under the sweep id with -corrected after it, and close the message in " +
    "the orchestrator's outbox.",
  revenue_conflict:
    "A revenue line was reported with other content than it was booked with, and the booking was kept. A revenue line cannot be " +
    "reversed. Settle the difference outside the books, and close the message in the orchestrator's outbox."
} as const

const UNPAID =
  "An accrual was booked without the transaction that paid it, for a builder in the on-chain payout mode, so the next payout pays it. Look " +
  "at the field builder of the Swept event of each such accrual. If it is the vault, the accrual is owed: change nothing. If it is the " +
  "payout address, the sweep paid it: reverse the accrual, and book it under the sweep id with -corrected after it, with paidTxHash. " +
  "Then clear the alert."

/** Makes `book`, which books an accrual, and raises an alert if a payout may pay it again. A report that is repeated raises it as well. */
const makeBook = Effect.gen(function* () {
  const alerts = yield* Alerts
  const builders = yield* Builders
  const { defaultChainId } = yield* BuilderSettings
  const ledger = yield* Ledger

  return Effect.fnUntraced(function* (accrual: Accrual) {
    const { builderId, paidTxHash, sweepId } = accrual
    const booked = yield* ledger.accrue(accrual, defaultChainId)
    const builder = paidTxHash === undefined ? yield* builders.byId(builderId) : Option.none()
    if (Option.isSome(builder) && lacksPayment(accrual, builder.value.payoutMode)) {
      yield* alerts.raise({
        key: `accrual_unpaid:${builderId}`,
        severity: "warning",
        kind: "accrual_unpaid",
        message: UNPAID,
        details: { builderId, sweepId }
      })
    }
    return booked
  })
})

/** Time after which an assignment begins no other transaction, well before a request's time is over. */
const ASSIGNING_MILLIS = 2_000

const makeAssign = Effect.gen(function* () {
  const audit = yield* AuditLog
  const chains = yield* Chains
  const ledger = yield* Ledger
  const { atomically } = yield* UnitOfWork

  const assignSome = Effect.fnUntraced(function* (token: Address.Address, chainId: ChainId, actor: string) {
    const assigned = yield* ledger.assign(token, chainId)
    if (assigned.sweeps > 0) {
      const details = { chainId, sweeps: assigned.sweeps, amount: assigned.amount.toString() }
      yield* audit.append({ actor, action: "accrual.assign", subject: token, details })
    }
    return assigned
  }, atomically)

  const assign: Bookkeeping["Service"]["assign"] = Effect.fn("Bookkeeping.assign")(function* (token, chainId, actor) {
    yield* chains.get(chainId)
    const endsAt = (yield* Clock.currentTimeMillis) + ASSIGNING_MILLIS
    let all: Assigned = { sweeps: 0, amount: 0n }
    for (;;) {
      const { amount, sweeps, ...rest } = yield* assignSome(token, chainId, actor)
      all = { sweeps: all.sweeps + sweeps, amount: all.amount + amount, ...rest }
      if (all.more === undefined || (yield* Clock.currentTimeMillis) >= endsAt) return all
    }
  })
  return assign
})
