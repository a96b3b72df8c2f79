/**
 * Exposure of the relayer by classes of sweeps: reserved before a sweep is signed, and settled with its cost when its transaction
 * ends. Sums are kept by class and step of 5 minutes, so no reader counts sweeps.
 */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Budgets, Denied, ExposureClass, Reservation, Sums, Window } from "../../domain/Exposure.ts"
import type { Claim } from "../../domain/ExposureClaims.ts"
import type { Paid } from "../../domain/OwnerCredit.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** Loss or gain of sweeps of a transaction, for one class. */
export interface Booking extends Window {
  readonly key: ExposureClass
}

/** Loss or gain of one sweep of a transaction, for the classes of first sweeps, their funders and batches that its reservation names. */
export interface Outcome extends Window {
  readonly intentId: string
}

/** Sums of one class. */
export interface Standing extends Sums {
  readonly key: ExposureClass
}

/** Network fees of an owner's sweeps with one token on one chain. */
export interface PaidIn extends Paid {
  readonly owner: Address.Address
  readonly token: Address.Address
}

/** Submissions that can hold the reservation of one sweep at the same time. More than one process runs at once. */
export const MOST_HOLDERS = 256

/** Denial of a sweep that {@link MOST_HOLDERS} submissions hold. It has room again once one of them has ended. */
export const crowded = ({ classes, intentId }: Reservation): Denied => ({
  intentId,
  spent: classes[0] ?? "",
  isBusy: true
})

/** Reservations end, and losses are booked, with their transaction: see `RelayTransactions.finalize`. */
export class Exposures extends Context.Service<
  Exposures,
  {
    /** Sums of the classes by one indexed read. A class without exposure is absent. */
    readonly sums: (
      keys: ReadonlyArray<ExposureClass>
    ) => Effect.Effect<ReadonlyMap<ExposureClass, Sums>, StoreUnavailable>
    /** Classes that sweeps have reserved, by intent id. A sweep without a reservation is absent. */
    readonly reserved: (
      intentIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<ExposureClass>>, StoreUnavailable>
    /**
     * Reserves the sweeps in their order, as far as the budgets allow. Returns those that were denied, which count for nothing.
     * Calls in a class take effect one after the other, also across processes, so the budgets hold.
     *
     * `holder`: a claim, or the id of a submission, whose sweep is not stored yet. If other submissions hold the reservation of the
     * sweep, a submission holds it too, and renews its time. It counts as it is, whatever the budgets have left. A sweep that
     * {@link MOST_HOLDERS} others hold is denied. A reservation of claims, or without holders, stays as it is, since its sweep is stored.
     *
     * For a claim, a sweep that has a reservation gets a new one. It keeps its other claims of the last 2 minutes as holders, since
     * each of them may still send the sweep, and then reserves no less than before, in no fewer classes. If it is denied, it keeps what those have reserved, and otherwise loses the old one. A
     * reservation that an unfinished transaction carries stays as it is. Without `holder`, a sweep that has a reservation gets a new
     * one without holders, and loses the old one if it is denied.
     */
    readonly reserve: (
      reservations: ReadonlyArray<Reservation>,
      budgets: Budgets,
      holder?: string
    ) => Effect.Effect<ReadonlyArray<Denied>, StoreUnavailable>
    /**
     * Withdraws a claim from the reservations of sweeps, and ends those that nobody else holds. Without a claim, it ends those that no
     * claim of the last 2 minutes holds, such as those of submissions and of workers that were killed. An unfinished transaction keeps
     * the reservations of its sweeps, without holders once nobody holds them. Ignores sweeps without one.
     */
    readonly release: (intentIds: ReadonlyArray<string>, claim?: Claim) => Effect.Effect<void, StoreUnavailable>
    /**
     * Withdraws a holder from the reservations of sweeps whose intents are still quoted, and ends those that nobody else holds. It checks
     * that and ends them in one step, so a sweep that another submission of the same quote has stored, or is about to store, keeps its
     * reservation. Ignores unknown intents, and sweeps that the holder has not reserved.
     */
    readonly releaseQuoted: (intentIds: ReadonlyArray<string>, holder: string) => Effect.Effect<void, StoreUnavailable>
    /**
     * Network fees of the owners' sweeps from the chain, by token. Of settled ones, only the newest orders of an owner are looked at, at
     * most 1,000. Failed ones are those of `Intents.burned`, however old. Quotes without a stored cover count as 0.
     */
    readonly paid: (
      chainId: ChainId,
      owners: ReadonlyArray<Address.Address>
    ) => Effect.Effect<ReadonlyArray<PaidIn>, StoreUnavailable>
    /** Up to `limit` classes with the most wei lost in 24 hours, then with the most wei reserved. */
    readonly largest: (limit: number) => Effect.Effect<ReadonlyArray<Standing>, StoreUnavailable>
    /**
     * Ends reservations made before `beforeMs` (UNIX milliseconds) that no unfinished transaction carries, such as those of a
     * process that was killed, and deletes sums that no window has.
     */
    readonly prune: (beforeMs: number) => Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/ports/Exposures") {}
