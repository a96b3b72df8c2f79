/** Texts and examples of the routes about rate limits, which both services have. */
import type { RateLimitPolicy } from "../../domain/RateLimit.ts"
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "./ErrorTable.ts"
import { documented } from "./Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const example = (policy: RateLimitPolicy) => ({
  policy,
  windowSeconds: 60,
  requests: 60,
  configured: policy === "orchestrator" ? 100 : 300,
  least: 30,
  most: 1_000_000,
  chosen: { requests: 60, actor: "admin-token", reason: "a scraper", sinceMs: 1767225600000 }
})

export const list = (policy: RateLimitPolicy) =>
  documented({
    summary: "List rate limits",
    description: withErrors(
      "Every rate limit of the service's clients: the requests of a window that hold, those of the settings, and the choice of the operator.",
      always
    ),
    response: { status: 200, body: [example(policy)] }
  })

/** `malformed` is the answer to a request that the schema refuses. */
export const change = (policy: RateLimitPolicy, malformed: ReadonlyArray<ErrorRow>) =>
  documented({
    summary: "Change a rate limit",
    description: withErrors(
      "Holds on every replica of the service within two seconds, in place of the settings, also after a restart. It counts for windows that have begun too. Numbers outside `least` and `most` are refused. Null drops the choice. Recorded, and safe to repeat.",
      [...malformed, ...always]
    ),
    request: { policy, requests: 60, reason: "a scraper" },
    response: { status: 200, body: example(policy) }
  })
