/** Ends intents that no transaction carries and that no block can settle any more. */
import { type Cause, Effect, Option } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { Settlements } from "../settle/Settlements.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { CONCURRENCY, type Finding, isolated, NOTHING, type Patience, resolved } from "./Findings.ts"

/** Time in which a round beside the passes must end, in milliseconds. The next round begins with the intents that it did not come to. */
const ROUND_MILLIS = 60_000

/** Intents that were looked at in a cycle of rounds, and those that are left. */
interface Cycle {
  /** Deadlines before it belong to the cycle. Later ones wait for the next, so that it ends regardless of how many expire meanwhile. */
  readonly until: bigint
  /** Deadline of the intent that was looked at last, and the ids of those with this deadline that were looked at. */
  last: { readonly deadline: bigint; readonly without: ReadonlyArray<string> }
}

/** State of a chain's rounds. A restart forgets it, and begins with the first intent. */
interface Rounds {
  isGoing: boolean
  /** Each round takes the intents after those of the last one, so that many undecided ones do not hide the others. */
  cycle: Cycle | undefined
  /** Findings of the last round for the passes until the next one ends. */
  findings: ReadonlyArray<Finding>
  /** True if a node was silent in the last round. */
  wasSilent: boolean
}

/**
 * Findings of a round for the passes after it. A silence counts if nothing was answered, or if the round before had one too: each pass
 * until the next round ends counts it again, and a single lost request must not seem to last.
 */
const summary = (findings: ReadonlyArray<Finding>, wasSilent: boolean): ReadonlyArray<Finding> => {
  const silence = findings.find(({ unavailable }) => unavailable !== undefined)
  const hasAnswer = findings.some(({ unavailable }) => unavailable === undefined)
  if (silence === undefined || (hasAnswer && !wasSilent)) return [NOTHING]
  return hasAnswer ? [NOTHING, silence] : [silence]
}

const failed = ({ client: { chain } }: ChainView, cause: Cause.Cause<StoreUnavailable>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("watch.undecided", cause), { chain: chain.name, chainId: chain.id })

const silenceOf = ({ client: { chain } }: ChainView) =>
  new ChainUnavailable({
    chainId: chain.id,
    method: "Expiry.round",
    detail: `no intent was decided within ${ROUND_MILLIS} milliseconds`
  })

/**
 * Makes `expire(view, patience)`, which looks at up to `watcher.batch` overdue intents of a chain. With patience they are looked at beside the
 * passes, in one round at a time: anybody can have many of them expire at once, and until a pass ends, no sweep that was mined since is
 * settled. It then returns what the last round found.
 */
export const make = Effect.gen(function* () {
  const intents = yield* Intents
  const scope = yield* Effect.scope
  const { batch } = (yield* OrchestratorSettings).watcher
  const settlements = yield* Settlements
  const byChain = new Map<ChainId, Rounds>()

  const roundsOf = (chainId: ChainId): Rounds => {
    const rounds = byChain.get(chainId) ?? { isGoing: false, cycle: undefined, findings: [NOTHING], wasSilent: false }
    byChain.set(chainId, rounds)
    return rounds
  }

  const lookAt = (view: ChainView, intent: Intent) => {
    const detail = "the deadline passed, and no transaction carried it"
    return isolated(Effect.map(settlements.resolve(view, intent, { _tag: "Unsent" }, detail), resolved))
  }

  /** The intents after those that were looked at. A cycle that has none left is followed by another one. */
  const next = Effect.fnUntraced(function* (rounds: Rounds, chainId: ChainId, timestamp: bigint) {
    const { cycle } = rounds
    const rest = cycle === undefined ? [] : yield* intents.overdue(chainId, cycle.until, batch, cycle.last)
    if (rest.length > 0) return rest
    const overdue = yield* intents.overdue(chainId, timestamp, batch)
    rounds.cycle = { until: timestamp, last: { deadline: 0n, without: [] } }
    return overdue
  })

  /** Begins a round, and does not wait for it. */
  const beginRound = (view: ChainView, rounds: Rounds, overdue: ReadonlyArray<Intent>) => {
    const found: Array<Finding> = []
    const begin = ({ id, order: { deadline } }: Intent) => {
      if (rounds.cycle === undefined) return
      const { last } = rounds.cycle
      rounds.cycle.last = { deadline, without: [...(last.deadline === deadline ? last.without : []), id] }
    }
    const looked = Effect.forEach(
      overdue,
      (intent) =>
        Effect.suspend(() => {
          begin(intent)
          return Effect.map(lookAt(view, intent), (finding) => found.push(finding))
        }),
      { concurrency: CONCURRENCY, discard: true }
    )
    const ended = Effect.sync(() => {
      const all = found.length > 0 ? found : [{ ...NOTHING, unavailable: silenceOf(view) }]
      rounds.findings = summary(all, rounds.wasSilent)
      rounds.wasSilent = all.some(({ unavailable }) => unavailable !== undefined)
      rounds.isGoing = false
    })
    const round: Effect.Effect<unknown> = Effect.catchCause(Effect.timeoutOption(looked, ROUND_MILLIS), (cause) =>
      failed(view, cause)
    )
    rounds.isGoing = true
    return Effect.forkIn(Effect.ensuring(round, ended), scope)
  }

  return Effect.fnUntraced(function* (view: ChainView, patience: Patience) {
    if (Option.isNone(view.confirmed)) return []
    const { timestamp } = view.confirmed.value
    const { id } = view.client.chain
    if (patience === "impatient") {
      const overdue = yield* intents.overdue(id, timestamp, batch)
      return yield* Effect.forEach(overdue, (intent) => lookAt(view, intent), { concurrency: CONCURRENCY })
    }
    const rounds = roundsOf(id)
    if (!rounds.isGoing) {
      const overdue = yield* next(rounds, id, timestamp)
      if (overdue.length === 0) {
        byChain.delete(id)
        return []
      }
      yield* beginRound(view, rounds, overdue)
    }
    return rounds.findings
  })
})
