/** Pauses for the operator: shows them, and changes them on all replicas. Every change is recorded. */
import { Context, Effect, Layer } from "effect"
import { nameOf, pausedNames, type PauseState, type PauseSubject, type PauseView } from "../../domain/Pause.ts"
import { Overrides } from "../../ports/shared/Overrides.ts"
import { Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import type { Change } from "./LaneDesk.ts"

export class PauseDesk extends Context.Service<
  PauseDesk,
  {
    /** Chains that the settings pause, and every choice of the operator. */
    readonly list: Effect.Effect<ReadonlyArray<PauseView>, StoreUnavailable>
    /** Pauses or resumes a subject, or drops the choice for it (`default`). Repeating a change does nothing. */
    readonly change: (
      subject: PauseSubject,
      state: PauseState | "default",
      change: Change
    ) => Effect.Effect<PauseView, UnsupportedChain | StoreUnavailable>
  }
>()("sweep/orchestrator/PauseDesk") {
  static readonly layer = Layer.effect(
    PauseDesk,
    // The methods are defined below.
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const chains = yield* Chains
  const { current, refresh } = yield* KeptOverrides
  const overrides = yield* Overrides
  const { pausedChains } = (yield* OrchestratorSettings).relayer
  const configured = pausedNames(pausedChains, [])

  const viewOf = Effect.fnUntraced(function* (subject: PauseSubject) {
    const choices = Pauses.choicesOf(yield* current)
    const name = nameOf(subject)
    const stateIn = (names: ReadonlySet<string>): PauseState => (names.has(name) ? "paused" : "running")
    const chosen = choices.find((choice) => nameOf(choice.subject) === name)
    return {
      subject,
      state: stateIn(pausedNames(pausedChains, choices)),
      configured: stateIn(configured),
      chosen:
        chosen === undefined
          ? null
          : { state: chosen.state, actor: chosen.actor, reason: chosen.reason, sinceMs: chosen.sinceMs }
    } satisfies PauseView
  })

  const list = Effect.gen(function* () {
    yield* refresh
    const chosen = Pauses.choicesOf(yield* current).map(({ subject }) => subject)
    const ofSettings = pausedChains.map((chainId): PauseSubject => ({ scope: "chain", chainId }))
    const subjects = new Map([...ofSettings, ...chosen].map((subject) => [nameOf(subject), subject]))
    return yield* Effect.forEach([...subjects.values()], viewOf)
  })

  const change: PauseDesk["Service"]["change"] = Effect.fn("PauseDesk.change")(function* (
    subject,
    state,
    { actor, reason }
  ) {
    // A choice for a chain that is no longer served can still be dropped.
    if (state !== "default" && "chainId" in subject) yield* chains.get(subject.chainId)
    const name = nameOf(subject)
    const value = state === "default" ? undefined : state
    const record = { actor, action: `pause.${state}`, subject: name, details: { reason } }
    const isChanged = yield* overrides.set({ name: Pauses.overrideName(subject), value, reason }, record)
    yield* refresh
    if (isChanged) yield* Effect.annotateLogs(Effect.logInfo("pause.changed"), { subject: name, to: state })
    return yield* viewOf(subject)
  })

  return PauseDesk.of({ list, change })
})
