/** Rate limits of clients, whose numbers of requests an operator can change while the service runs. The lengths of windows stay. */
import { Option, Schema } from "effect"
import { described } from "./Described.ts"

/** Endpoints with the same policy share one window for each client. */
export const POLICIES = ["orchestrator", "attribution", "signup", "builder"] as const
export type RateLimitPolicy = (typeof POLICIES)[number]

/** Policies of the builder backend. The orchestrator has one. */
export const BUILDER_POLICIES = ["attribution", "signup", "builder"] as const satisfies ReadonlyArray<RateLimitPolicy>

interface Bounds {
  readonly least: number
  readonly most: number
}

/**
 * Requests in a window that an operator may choose. Fewer would refuse people who do nothing unusual: a client asks for the state of a
 * sweep 20 times a minute, and a dashboard loads several lists at once. A pause stops sweeps instead.
 */
export const BOUNDS: Readonly<Record<RateLimitPolicy, Bounds>> = {
  orchestrator: { least: 30, most: 1_000_000 },
  attribution: { least: 10, most: 1_000_000 },
  signup: { least: 1, most: 10_000 },
  builder: { least: 30, most: 1_000_000 }
}

export const isWithinBounds = (policy: RateLimitPolicy, requests: number): boolean =>
  Number.isInteger(requests) && requests >= BOUNDS[policy].least && requests <= BOUNDS[policy].most

/** Requests of a window that an operator chose. */
export interface RateLimitChoice {
  readonly policy: RateLimitPolicy
  readonly requests: number
}

const isPolicy = Schema.is(Schema.Literals(POLICIES))

/** The choice in a stored policy and number. None if another release wrote it in another form, or with other bounds. */
export const parse = (policy: string, requests: string): Option.Option<RateLimitChoice> =>
  isPolicy(policy) && isWithinBounds(policy, Number(requests))
    ? Option.some({ policy, requests: Number(requests) })
    : Option.none()

const POLICY = "Policy. Its endpoints share one window for each client."

/** Change of a rate limit of a service with these policies, as operators request it. */
export const changeOf = <const Policy extends RateLimitPolicy>(policy: Schema.Codec<Policy>) =>
  Schema.Struct({
    policy: described(policy, POLICY),
    requests: described(
      Schema.NullOr(Schema.Int),
      "Requests of one client in a window. Null drops the operator's choice, so that the settings hold again."
    ),
    reason: described(
      Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
      "Reason of the change, for the record. Default: none."
    )
  })
    .check(
      Schema.makeFilter(
        ({ policy, requests }: { readonly policy: RateLimitPolicy; readonly requests: number | null }) =>
          requests === null || isWithinBounds(policy, requests)
            ? undefined
            : {
                path: ["requests"],
                issue: `must be from ${BOUNDS[policy].least} to ${BOUNDS[policy].most} for the policy ${policy}`
              }
      )
    )
    .annotate({ identifier: "RateLimitChange" })

/** A rate limit, with the number that holds without a choice of the operator. */
export const RateLimitView = Schema.Struct({
  policy: described(Schema.Literals(POLICIES), POLICY),
  windowSeconds: described(Schema.Int, "Length of a window, in seconds. It begins with a client's first request."),
  requests: described(Schema.Int, "Requests of one client in a window that hold."),
  configured: described(Schema.Int, "Requests by the settings, which a cleared choice restores."),
  least: described(Schema.Int, "The smallest number that can be chosen."),
  most: described(Schema.Int, "The largest number that can be chosen."),
  chosen: described(
    Schema.NullOr(
      Schema.Struct({
        requests: described(Schema.Int, "Number that the operator chose."),
        actor: described(Schema.String, "Who chose it."),
        reason: described(Schema.String, "Reason. Empty if none was given."),
        sinceMs: described(Schema.Int, "UNIX time in milliseconds of the change.")
      })
    ),
    "Choice of the operator in place of the setting. Null if there is none."
  )
}).annotate({ identifier: "RateLimit" })
export type RateLimitView = typeof RateLimitView.Type
