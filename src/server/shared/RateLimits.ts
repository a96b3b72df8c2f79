/** Rate limits as they hold now: those of the settings, with the operator's choices among the overrides in their place. */
import { Effect, Option } from "effect"
import { parse, type RateLimitChoice, type RateLimitPolicy } from "../../domain/RateLimit.ts"
import type { Override } from "../../ports/shared/Overrides.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"
import { type RateLimitWindow, ServerSettings } from "./ServerSettings.ts"

const PREFIX = "rate_limit:"

/** Name of the override of a policy's limit. */
export const overrideName = (policy: RateLimitPolicy): string => `${PREFIX}${policy}`

/** The choices among overrides, with who made them. Those of other releases that this one does not understand are left out. */
export const choicesOf = (overrides: ReadonlyArray<Override>): ReadonlyArray<RateLimitChoice & Override> =>
  overrides.flatMap((each) =>
    each.name.startsWith(PREFIX)
      ? Option.match(parse(each.name.slice(PREFIX.length), each.value), {
          onNone: () => [],
          onSome: (choice) => [{ ...each, ...choice }]
        })
      : []
  )

type Windows = Readonly<Record<RateLimitPolicy, RateLimitWindow>>

const withChoices = (windows: Windows, choices: ReadonlyArray<RateLimitChoice>): Windows => ({
  ...windows,
  ...Object.fromEntries(choices.map(({ policy, requests }) => [policy, { ...windows[policy], limit: requests }]))
})

/** Makes `windowOf(policy)`, which every counted request asks: the choices are read again only after the overrides have changed. */
export const make = Effect.gen(function* () {
  const { rateLimits } = yield* ServerSettings
  const { current } = yield* KeptOverrides
  let read: ReadonlyArray<Override> = []
  let windows = rateLimits
  return (policy: RateLimitPolicy): Effect.Effect<RateLimitWindow> =>
    Effect.map(current, (overrides) => {
      if (overrides !== read) {
        read = overrides
        windows = withChoices(rateLimits, choicesOf(overrides))
      }
      return windows[policy]
    })
})
