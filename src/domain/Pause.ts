/** Pauses: of everything, of a chain, of a token or of a builder. A paused sweep is neither quoted, accepted nor sent. */
import { Option, Schema } from "effect"
import * as Address from "./Address.ts"
import { BuilderId } from "./Builder.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { nameOf } from "./PauseName.ts"

export { nameOf }

/** Subject of a pause. */
export const PauseSubject = Schema.Union([
  Schema.Struct({ scope: described(Schema.Literal("all"), "Every sweep.") }),
  Schema.Struct({
    scope: described(Schema.Literal("chain"), "Sweeps that start or arrive on a chain."),
    chainId: described(ChainId, "Chain.")
  }),
  Schema.Struct({
    scope: described(Schema.Literal("token"), "Sweeps of a token, or into it."),
    chainId: described(ChainId, "Chain of the token."),
    token: described(Address.NonZeroAddress, "Token. The native currency and its wrapped form are paused together.")
  }),
  Schema.Struct({
    scope: described(Schema.Literal("builder"), "Sweeps that are attributed to a builder."),
    builderId: described(BuilderId, "Builder.")
  })
]).annotate({ identifier: "PauseSubject" })
export type PauseSubject = typeof PauseSubject.Type

export const PauseState = Schema.Literals(["paused", "running"])
export type PauseState = typeof PauseState.Type

const decode = Schema.decodeUnknownOption(PauseSubject)

const parts = (name: string): unknown => {
  const [scope, ...rest] = name.split(":")
  // The id of a builder may have colons.
  if (scope === "builder") return { scope, builderId: rest.join(":") }
  const [first, second] = rest
  return scope === "token"
    ? { scope, chainId: Number(first), token: second }
    : { scope, ...(first === undefined ? {} : { chainId: Number(first) }) }
}

/** The subject with a name, in which addresses may have any case. Undefined if there is none. */
export const parse = (name: string): PauseSubject | undefined => {
  const subject = Option.getOrUndefined(decode(parts(name)))
  return subject !== undefined && nameOf(subject).toLowerCase() === name.toLowerCase() ? subject : undefined
}

/** State that an operator chose for a subject, in place of the settings. */
export interface PauseChoice {
  readonly subject: PauseSubject
  readonly state: PauseState
}

/** Names of the paused subjects: those of the settings, with the choices of the operator in their place. */
export const pausedNames = (
  pausedChains: ReadonlyArray<ChainId>,
  choices: ReadonlyArray<PauseChoice>
): ReadonlySet<string> => {
  const names = new Set(pausedChains.map((chainId) => nameOf({ scope: "chain", chainId })))
  for (const { state, subject } of choices) {
    if (state === "paused") names.add(nameOf(subject))
    else names.delete(nameOf(subject))
  }
  return names
}

/** Facts about a sweep that decide if it is paused. */
export interface SweepFacts {
  readonly chainIds: ReadonlyArray<ChainId>
  readonly tokens: ReadonlyArray<{ readonly chainId: ChainId; readonly token: Address.Address }>
  readonly builderId?: string | undefined
}

/** The subject for which a sweep is paused, the widest first. Undefined if there is none. */
export const pauseOf = (
  paused: ReadonlySet<string>,
  { builderId, chainIds, tokens }: SweepFacts
): PauseSubject | undefined => {
  if (paused.size === 0) return undefined
  const subjects: ReadonlyArray<PauseSubject> = [
    { scope: "all" },
    ...chainIds.map((chainId) => ({ scope: "chain" as const, chainId })),
    ...tokens.map((token) => ({ scope: "token" as const, ...token })),
    ...(builderId === undefined ? [] : [{ scope: "builder" as const, builderId }])
  ]
  return subjects.find((subject) => paused.has(nameOf(subject)))
}

/** Change of a pause, as operators request it. */
export const ChangeOfPause = Schema.Struct({
  subject: described(PauseSubject, "Subject of the change."),
  state: described(
    Schema.Literals(["paused", "running", "default"]),
    "New state. `default` drops the operator's choice, so that the settings hold again."
  ),
  reason: described(
    Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
    "Reason of the change, for the record. Default: none."
  )
}).annotate({ identifier: "PauseChange" })
export type ChangeOfPause = typeof ChangeOfPause.Type

/** A pause, or a choice of the operator against one. */
export const PauseView = Schema.Struct({
  subject: described(PauseSubject, "Subject of the pause."),
  state: described(PauseState, "State that holds."),
  configured: described(PauseState, "State by the settings (`RELAYER_PAUSED_CHAINS`), which a reset restores."),
  chosen: described(
    Schema.NullOr(
      Schema.Struct({
        state: described(PauseState, "State that the operator chose."),
        actor: described(Schema.String, "Who chose it."),
        reason: described(Schema.String, "Reason. Empty if none was given."),
        sinceMs: described(Schema.Int, "UNIX time in milliseconds of the change.")
      })
    ),
    "Choice of the operator in place of the setting. Null if there is none."
  )
}).annotate({ identifier: "Pause" })
export type PauseView = typeof PauseView.Type
