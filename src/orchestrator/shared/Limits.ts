/** The operator's choices of limits among the overrides. */
import { Effect, Layer, Option, Schema } from "effect"
import { Uint256 } from "../../domain/Amount.ts"
import { type LimitChoice, type LimitSubject, nameOf, parse } from "../../domain/Limit.ts"
import type { Override } from "../../ports/shared/Overrides.ts"
import { LimitChoices } from "../../ports/shared/LimitChoices.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"

const PREFIX = "limit:"

/** Name of the override of a limit. */
export const overrideName = (subject: LimitSubject): string => `${PREFIX}${nameOf(subject)}`

const decode = Schema.decodeUnknownOption(Uint256)

/** The choices among overrides, with who made them. Names of later releases are left out. */
export const choicesOf = (overrides: ReadonlyArray<Override>): ReadonlyArray<LimitChoice & Override> =>
  overrides.flatMap((each) => {
    const subject = each.name.startsWith(PREFIX) ? parse(each.name.slice(PREFIX.length)) : undefined
    const wei = Option.getOrUndefined(decode(each.value))
    return subject !== undefined && wei !== undefined ? [{ ...each, ...subject, wei }] : []
  })

/** Follows the overrides of this process. */
export const layer = Layer.effect(
  LimitChoices,
  Effect.map(KeptOverrides, ({ current }) => Effect.map(current, choicesOf))
)
