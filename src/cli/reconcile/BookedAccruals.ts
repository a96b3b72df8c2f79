/** Compares accruals of the books with the settlements on the chain whose ids they have. Pure and total. */
import type { BookedAccrual } from "../../adapters/sql/builder/LostMoney.ts"
import type { Attributions, SettledSweep, SweepBooking } from "../../domain/LostSweeps.ts"
import type { Open } from "./Report.ts"

/** True if the line stands for another settlement of the transaction, which had this id before a reorganisation. */
const isOfAnother = (line: BookedAccrual, bookings: ReadonlyArray<SweepBooking>): boolean =>
  bookings.some(
    ({ sweep }) =>
      sweep.sweepId !== line.sweepId &&
      sweep.sweepId.split("_")[0] === line.sweepId.split("_")[0] &&
      sweep.feeToken === line.token &&
      sweep.builderFee === line.amount
  )

/** Builder, amount, token and chain that the chain's event shows otherwise. A builder is shown only by an intent that is known. */
const isDifferent = (
  line: BookedAccrual,
  { builderFee, chainId, feeToken }: SettledSweep,
  builderId: string | undefined
): boolean =>
  line.token !== feeToken ||
  line.amount !== builderFee ||
  // An accrual without a chain is from an early release, and was not assigned to one yet.
  (line.chainId !== undefined && line.chainId !== chainId) ||
  (builderId !== undefined && line.builderId !== builderId)

const told = (line: BookedAccrual, { builderFee, chainId, feeToken }: SettledSweep, builderId: string | undefined) =>
  `the accrual of sweep ${line.sweepId} is booked with ${line.amount} of ${line.token} on chain ${line.chainId ?? "unknown"} for ` +
  `${line.builderId}, and the chain ${chainId} shows ${builderFee} of ${feeToken}` +
  `${builderId === undefined ? "" : ` for ${builderId}`}. Reverse it, book the right one as ${line.sweepId}-corrected, and run this again`

/**
 * Accruals that differ from the settlements. `bookings` are those of a chain, without what is booked under other ids. `intents` are
 * those that the database knows, by the hash of their orders.
 */
export const differing = (
  bookings: ReadonlyArray<SweepBooking>,
  lines: ReadonlyMap<string, BookedAccrual>,
  intents: Attributions["intents"]
): ReadonlyArray<Open> =>
  bookings.flatMap((booking) => {
    const { sweep } = booking
    const line = lines.get(sweep.sweepId)
    const builderId = intents.get(sweep.orderHash)?.builderId
    if (line === undefined || !isDifferent(line, sweep, builderId)) return []
    // A fee without a part that waits to be booked is booked under another id. The line is then that of another settlement, which may
    // have settled again in another transaction, or not at all yet.
    const isDue = booking.accrual !== undefined || booking.unassigned !== undefined
    if (!isDue && (sweep.builderFee > 0n || isOfAnother(line, bookings))) return []
    return [{ stopsPayouts: true, text: told(line, sweep, builderId) }]
  })
