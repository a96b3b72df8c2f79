/** Ends of transactions in a scene, and what the budgets count. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import type { scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

export const sumsOf = (key: string) =>
  Effect.flatMap(Exposures, ({ sums }) => Effect.map(sums([key]), (all) => all.get(key)))

export const openOf = (key: string) => Effect.map(sumsOf(key), (sums) => sums?.open ?? 0n)

/** Mines every unfinished transaction. Each of its sweeps costs so many wei. Returns the cost. */
export const conclude = Effect.fnUntraced(function* (
  the: Effect.Success<typeof scene>,
  status: "success" | "reverted",
  wei: bigint
) {
  const intents = yield* Intents
  let cost = 0n
  for (const { attempts, intentIds, nonce } of yield* the.unfinished) {
    const dataFee = wei * BigInt(intentIds.length)
    cost += dataFee
    const logs = status === "success" ? (yield* intents.findAll(intentIds)).map((each) => sweptLog(each)) : []
    yield* the.mineLane({ hash: attempts.at(-1)?.hash ?? "0x", status, logs, gasUsed: 0n, dataFee }, nonce)
  }
  yield* the.bury(2)
  yield* tick
  return cost
})

/** Relays and loses until nothing more is sent. Returns the cost. */
export const exhaust = Effect.fnUntraced(function* (the: Effect.Success<typeof scene>, wei: bigint) {
  let cost = 0n
  for (let sent = 1; sent > 0;) {
    sent = (yield* relay).sent
    cost += yield* conclude(the, "reverted", wei)
    yield* TestClock.adjust(15_000)
  }
  return cost
})
