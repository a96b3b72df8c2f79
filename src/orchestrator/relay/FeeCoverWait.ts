/** Keeps sweeps in the queue whose network fee does not cover their present cost, and the alert about them. */
import { Clock, Effect } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { blocksUntil } from "../../domain/FeeCover.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Interval from "../shared/Interval.ts"
import { intentFields } from "../shared/LogFields.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { Claimer } from "../shared/Claimer.ts"
import type { Coverage } from "./FeeCoverage.ts"
import type { Signed, Waiting } from "./Prepared.ts"

/** Bounds of the pause before a sweep is judged again, in milliseconds. */
const SHORTEST_PAUSE_MILLIS = 3_000
const LONGEST_PAUSE_MILLIS = 30_000

/** Interval of reviews, and so the longest time that the alert stands after its cause is gone, in milliseconds. */
const REVIEW_MILLIS = 10_000

/** The sweep as one that waits: for at least as long as the base fee needs to fall. Undefined if its fee covers its cost. */
export const shortfall = (
  { chain }: ChainClient,
  intent: Signed,
  coverage: Coverage | undefined,
  gas?: bigint
): Waiting | undefined => {
  if (coverage === undefined) {
    return {
      _tag: "Waiting",
      intent,
      pauseMillis: SHORTEST_PAUSE_MILLIS,
      text: `the node does not have block ${intent.quotedAtBlock}, whose base fee its quote was made with`
    }
  }
  const cost = coverage.costWith(gas)
  if (cost <= coverage.limit) return undefined
  const pause = blocksUntil(cost, coverage.limit) * chain.blockTimeMillis
  return {
    _tag: "Waiting",
    intent,
    pauseMillis: Math.min(LONGEST_PAUSE_MILLIS, Math.max(SHORTEST_PAUSE_MILLIS, pause)),
    text: `it would cost ${cost} wei, and its network fee covers ${coverage.limit} wei`
  }
}

/** Makes `wait(client, waiting)`, which releases the sweeps, and `review(client)`, which clears the alert after the last one. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const intents = yield* Intents
  const isDue = Interval.make<ChainId>(REVIEW_MILLIS)

  const wait = Effect.fnUntraced(function* (client: ChainClient, waiting: ReadonlyArray<Waiting>) {
    const [first] = waiting
    if (first === undefined) return
    const { chain } = client
    const now = yield* Clock.currentTimeMillis
    const worker = yield* Claimer
    for (const [pauseMillis, each] of Map.groupBy(waiting, (one) => one.pauseMillis)) {
      yield* intents.release(
        each.map(({ intent }) => intent.id),
        { notBeforeMs: now + pauseMillis, waitingFor: "gas_price", worker }
      )
    }
    yield* Effect.logWarning("sweep.waits_for_gas_price").pipe(
      Effect.annotateLogs({ ...intentFields(client, first.intent), sweeps: waiting.length, detail: first.text })
    )
    yield* alerts.raise({
      key: keyOf(chain.id),
      severity: "warning",
      kind: "gas_price",
      message: `Sweeps on ${chain.name} wait: gas costs more than their network fees cover. Each is sent when the price has fallen, or fails as network_fee_insufficient after its deadline. New quotes have the present price.`,
      details: { chainId: chain.id, intentId: first.intent.id, reason: first.text }
    })
  })

  const review = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    if (!(yield* isDue(chain.id))) return
    if ((yield* intents.waiting(chain.id, "gas_price")) === 0) yield* alerts.clear(keyOf(chain.id))
  })

  return { wait, review }
})

const keyOf = (chainId: number): string => `gas_price:${chainId}`
