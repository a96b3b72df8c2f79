/** All that the backend's books have about a sweep: its events, its entries in the ledger, and the messages about it. */
import { Context, Effect, Layer, Option } from "effect"
import { type LedgerEntry } from "../../domain/LedgerEntry.ts"
import type { Sweep } from "../../domain/Sweep.ts"
import { eventId, type SweepEvent, SweepStatus } from "../../domain/SweepEvent.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { Sweeps } from "../../ports/builder/Sweeps.ts"
import { type Delivery, Webhooks } from "../../ports/builder/Webhooks.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

export interface BooksOfSweep {
  readonly builderId: string
  readonly sweep: Sweep
  /** In the order of the statuses. Deleted for their age. */
  readonly events: ReadonlyArray<SweepEvent>
  /**
   * Oldest first. The ledger names settlements by transactions, so another sweep of the builder with the same fee in the same
   * transaction has the same entries.
   */
  readonly entries: ReadonlyArray<LedgerEntry>
  /** Oldest first. Deleted for their age. */
  readonly deliveries: ReadonlyArray<Delivery>
}

export class SweepBooks extends Context.Service<
  SweepBooks,
  {
    /** The books of a sweep of a builder; none if the builder has no such sweep. */
    readonly of: (builderId: string, intentId: string) => Effect.Effect<Option.Option<BooksOfSweep>, StoreUnavailable>
    /** The books of a sweep of any builder; none if it is unknown, or attributed to nobody. */
    readonly ofAny: (intentId: string) => Effect.Effect<Option.Option<BooksOfSweep>, StoreUnavailable>
  }
>()("sweep/builder/SweepBooks") {
  static readonly layer = Layer.effect(
    SweepBooks,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const sweeps = yield* Sweeps
      const webhooks = yield* Webhooks

      const of = Effect.fn("SweepBooks.of")(function* (builderId: string, intentId: string) {
        const found = yield* sweeps.find(builderId, intentId)
        if (Option.isNone(found)) return Option.none()
        const { builderFee, txHash } = found.value
        const messageIds = SweepStatus.literals.map((status) => eventId(intentId, status))
        const [events, entries, deliveries] = yield* Effect.all(
          [
            sweeps.timeline(builderId, intentId),
            txHash === undefined ? Effect.succeed([]) : ledger.ofTransaction(builderId, txHash),
            webhooks.ofMessages(builderId, messageIds)
          ],
          { concurrency: "unbounded" }
        )
        const isOfFee = ({ earned }: LedgerEntry) => earned === builderFee || earned === -builderFee
        return Option.some({ builderId, sweep: found.value, events, entries: entries.filter(isOfFee), deliveries })
      })

      const ofAny = Effect.fn("SweepBooks.ofAny")(function* (intentId: string) {
        const builderId = yield* sweeps.builderOf(intentId)
        return Option.isNone(builderId) ? Option.none() : yield* of(builderId.value, intentId)
      })

      return { of, ofAny }
    })
  )
}
