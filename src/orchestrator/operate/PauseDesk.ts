/** Pauses for the operator: shows them, and changes them on all replicas. Every change is recorded. */
import { Array as Arr, Context, Effect, Layer } from "effect"
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

  /** The subject with its other forms, which are paused with it. Choices are stored for the first one. Earlier releases used any. */
  const formsOf = (subject: PauseSubject): Arr.NonEmptyReadonlyArray<PauseSubject> => {
    if (subject.scope !== "token") return [subject]
    const chain = chains.all.find((client) => client.chain.id === subject.chainId)?.chain
    return Arr.map(Pauses.formsOf(chain, subject.token), (token) => ({ ...subject, token }))
  }

  const viewOf = Effect.fnUntraced(function* (wanted: PauseSubject) {
    const choices = Pauses.choicesOf(yield* current)
    const forms = formsOf(wanted)
    const names = forms.map(nameOf)
    const stateIn = (paused: ReadonlySet<string>): PauseState =>
      names.some((name) => paused.has(name)) ? "paused" : "running"
    const made = choices.filter(({ subject }) => names.includes(nameOf(subject)))
    // A sweep is paused if one of the forms is.
    const chosen = made.find(({ state }) => state === "paused") ?? made[0]
    return {
      subject: forms[0],
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
    const chosen = Pauses.choicesOf(yield* current).map(({ subject }) => formsOf(subject)[0])
    const ofSettings = pausedChains.map((chainId): PauseSubject => ({ scope: "chain", chainId }))
    const subjects = new Map([...ofSettings, ...chosen].map((subject) => [nameOf(subject), subject]))
    return yield* Effect.forEach([...subjects.values()], viewOf)
  })

  const set = Effect.fnUntraced(function* (
    subject: PauseSubject,
    state: PauseState | "default",
    { actor, reason }: Change
  ) {
    const value = state === "default" ? undefined : state
    const record = { actor, action: `pause.${state}`, subject: nameOf(subject), details: { reason } }
    const isChanged = yield* overrides.set({ name: Pauses.overrideName(subject), value, reason }, record)
    if (isChanged) yield* Effect.annotateLogs(Effect.logInfo("pause.changed"), { subject: nameOf(subject), to: state })
  })

  const change: PauseDesk["Service"]["change"] = Effect.fn("PauseDesk.change")(function* (subject, state, request) {
    // A choice for a chain that is no longer served can still be dropped.
    if (state !== "default" && "chainId" in subject) yield* chains.get(subject.chainId)
    const [stored, ...others] = formsOf(subject)
    yield* set(stored, state, request)
    // Afterwards, so that a pause has no gap.
    for (const other of others) yield* set(other, "default", request)
    yield* refresh
    return yield* viewOf(stored)
  })

  return PauseDesk.of({ list, change })
})
