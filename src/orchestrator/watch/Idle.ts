/**
 * Tells which chains have nothing to watch, so that an idle service asks their nodes for little more than their heads. Work is seen in
 * the database, also that of other processes.
 */
import { Clock, Effect } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { REORG_DEPTH } from "./Reorganisation.ts"

/** Time after the last work in which new heads are still followed promptly, in milliseconds. */
const PROMPT_MILLIS = 30_000

/** Pause between passes while a reorganisation could still remove what ended last, in milliseconds. */
const SETTLING_PAUSE_MILLIS = 5_000

/** Pause between passes over an idle chain, in milliseconds. They find late receipts and what an operator changed by hand. */
const IDLE_PAUSE_MILLIS = 120_000

/** Orders are valid for less than a day, so every submitted intent without a transaction is overdue by then. */
const DAY_SECONDS = 86_400n

interface Seen {
  /** UNIX milliseconds of the newest pass, and of the newest one with work. */
  readonly passedAt: number
  readonly workedAt: number
  readonly hadWork: boolean
}

const settlingMillis = ({ chain }: ChainClient): number =>
  Math.max(PROMPT_MILLIS, Number(REORG_DEPTH) * chain.blockTimeMillis)

/**
 * Makes `isIdle(client)`, which says if a pass can be left out now, `passed`, which hears of each pass, and `isPrompt`, which says
 * if new heads are worth a pass.
 */
export const make = Effect.gen(function* () {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const seen = new Map<ChainId, Seen>()

  const hasWork = Effect.fnUntraced(function* (chainId: ChainId, nowMs: number) {
    if ((yield* transactions.survey(chainId)).transactions.length > 0) return true
    const tomorrow = BigInt(Math.floor(nowMs / 1_000)) + DAY_SECONDS
    return (yield* intents.overdue(chainId, tomorrow, 1)).length > 0
  })

  const isIdle = Effect.fnUntraced(function* (client: ChainClient) {
    const { id } = client.chain
    const before = seen.get(id)
    if (before === undefined || before.hadWork) return false
    const now = yield* Clock.currentTimeMillis
    if (yield* hasWork(id, now)) {
      seen.set(id, { ...before, workedAt: now })
      return false
    }
    const pause = now - before.workedAt < settlingMillis(client) ? SETTLING_PAUSE_MILLIS : IDLE_PAUSE_MILLIS
    return now - before.passedAt < pause
  })

  const passed = ({ chain }: ChainClient, hadWork: boolean) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const workedAt = hadWork ? now : (seen.get(chain.id)?.workedAt ?? Number.NEGATIVE_INFINITY)
      seen.set(chain.id, { passedAt: now, workedAt, hadWork })
    })

  const isPrompt = ({ chain }: ChainClient) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => now - (seen.get(chain.id)?.workedAt ?? Number.NEGATIVE_INFINITY) < PROMPT_MILLIS
    )

  return { isIdle, passed, isPrompt }
})
