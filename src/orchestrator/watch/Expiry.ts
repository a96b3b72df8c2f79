/** Ends intents that no transaction carries and that no block can settle any more. */
import { type Cause, Effect, Option } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { Settlements } from "../settle/Settlements.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { CONCURRENCY, type Finding, isolated, NOTHING, type Patience, resolved } from "./Findings.ts"

/** Time in which a round beside the passes must end, in milliseconds. The next round begins with the intents that it did not come to. */
const ROUND_MILLIS = 60_000

/** State of a chain's rounds. A restart forgets it, and begins with the first intent. */
interface Rounds {
  isGoing: boolean
  /**
   * Deadline of the intent that was looked at last, and the ids of those with this deadline that were looked at. Each round takes the
   * intents after them, so that many undecided ones do not hide the others.
   */
  last: { readonly deadline: bigint; readonly without: ReadonlyArray<string> } | undefined
  /** Result of the last round: if some node answered, and if some did not. */
  findings: ReadonlyArray<Finding>
}

/** Up to one finding of an answer and one of a silence. */
const summary = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => {
  const silence = findings.find(({ unavailable }) => unavailable !== undefined)
  const hasAnswer = findings.some(({ unavailable }) => unavailable === undefined)
  return [...(hasAnswer ? [NOTHING] : []), ...(silence === undefined ? [] : [silence])]
}

const failed = ({ client: { chain } }: ChainView, cause: Cause.Cause<StoreUnavailable>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("watch.undecided", cause), { chain: chain.name, chainId: chain.id })

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
    const rounds = byChain.get(chainId) ?? { isGoing: false, last: undefined, findings: [] }
    byChain.set(chainId, rounds)
    return rounds
  }

  const lookAt = (view: ChainView, overdue: ReadonlyArray<Intent>, begin: (intent: Intent) => void = () => {}) =>
    Effect.forEach(
      overdue,
      (intent) =>
        Effect.suspend(() => {
          begin(intent)
          const detail = "the deadline passed, and no transaction carried it"
          return isolated(Effect.map(settlements.resolve(view, intent, { _tag: "Unsent" }, detail), resolved))
        }),
      { concurrency: CONCURRENCY }
    )

  /** Begins a round, and does not wait for it. */
  const beginRound = (view: ChainView, rounds: Rounds, overdue: ReadonlyArray<Intent>) => {
    const begin = ({ id, order: { deadline } }: Intent) => {
      const without = rounds.last?.deadline === deadline ? rounds.last.without : []
      rounds.last = { deadline, without: [...without, id] }
    }
    const noted = Effect.map(lookAt(view, overdue, begin), (findings) => {
      rounds.findings = summary(findings)
    })
    const ended = Effect.sync(() => {
      rounds.isGoing = false
    })
    const round: Effect.Effect<unknown> = Effect.catchCause(Effect.timeoutOption(noted, ROUND_MILLIS), (cause) =>
      failed(view, cause)
    )
    rounds.isGoing = true
    return Effect.forkIn(Effect.ensuring(round, ended), scope)
  }

  return Effect.fnUntraced(function* (view: ChainView, patience: Patience) {
    if (Option.isNone(view.confirmed)) return []
    const { timestamp } = view.confirmed.value
    const { id } = view.client.chain
    if (patience === "impatient") return yield* lookAt(view, yield* intents.overdue(id, timestamp, batch))
    const rounds = roundsOf(id)
    if (!rounds.isGoing) {
      const others = rounds.last === undefined ? [] : yield* intents.overdue(id, timestamp, batch, rounds.last)
      const overdue = others.length > 0 ? others : yield* intents.overdue(id, timestamp, batch)
      if (overdue.length === 0) {
        byChain.delete(id)
        return []
      }
      yield* beginRound(view, rounds, overdue)
    }
    return rounds.findings.length > 0 ? rounds.findings : [NOTHING]
  })
})
