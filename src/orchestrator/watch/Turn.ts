/**
 * Says which process acts on a relay transaction first. Every replica could, and each step is safe to repeat; so this saves work, and
 * decides nothing. The process that sent a transaction has the first turn. If it has not acted for a moment, because it is slow or
 * gone, every other process may.
 */
import { Clock, Effect } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { worksOn } from "../../domain/Role.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { SentHere } from "../shared/SentHere.ts"
import * as PerTransaction from "./PerTransaction.ts"

/** Time that the process that sent a transaction has for a step, in milliseconds. A crash delays its sweeps by as much. */
export const MOMENT_MILLIS = 3_000

/** Time that a send takes. A transaction that was signed and never offered after it was left behind by a crash, in milliseconds. */
export const SENDING_MILLIS = 1_000

/** Makes `isOurs`, asked of a transaction on which something is due, `rest` for one on which nothing is, and `retain`. */
export const make = Effect.gen(function* () {
  const sentHere = yield* SentHere
  const share = yield* ProcessShare
  /** UNIX milliseconds since when something is due on a transaction of another process. */
  const dueSince = PerTransaction.make<number>()

  const isOurs = Effect.fnUntraced(function* ({ attempts, chainId, id }: RelayTransaction) {
    // A process without relayers would always wait for others.
    if (!worksOn(share, "relay", chainId)) return true
    const nowMs = yield* Clock.currentTimeMillis
    if (sentHere.has(id)) {
      const newest = attempts.at(-1)
      const isBeingSent = newest?.broadcastAtMs === undefined && ageOf(nowMs, newest?.signedAtMs ?? 0) < SENDING_MILLIS
      return !isBeingSent
    }
    // The clock may have been set back meanwhile.
    const sinceMs = Math.min(nowMs, dueSince.get(id) ?? nowMs)
    if (nowMs - sinceMs < MOMENT_MILLIS) {
      dueSince.set({ chainId, id }, sinceMs)
      return false
    }
    dueSince.delete(id)
    sentHere.note(id)
    return true
  })

  return { isOurs, rest: dueSince.delete, retain: dueSince.retain }
})
