/** `./sweep operate rate-limits`: shows and changes the rate limits of clients, over the operator routes of both services. */
import { Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { BOUNDS, isWithinBounds, POLICIES, type RateLimitPolicy, RateLimitView } from "../domain/RateLimit.ts"
import * as BothServices from "./BothServices.ts"
import * as BuilderClient from "./BuilderClient.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const policy = Flag.Literals("policy", POLICIES).pipe(
  Flag.withDescription(
    "Policy: `orchestrator` for all its public routes, or one of the builder backend's: `attribution`, `signup` or `builder`"
  )
)

const requests = Flag.Int("requests").pipe(Flag.withDescription("Requests of one client in a window"))

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, for the record"), Flag.withDefault(""))

const rowOf = ({ chosen, configured, least, most, policy, requests, windowSeconds }: RateLimitView) => [
  policy,
  String(requests),
  String(windowSeconds),
  String(configured),
  `${least}–${most}`,
  chosen === null ? "–" : new Date(chosen.sinceMs).toISOString(),
  chosen?.actor ?? "–",
  chosen?.reason ?? ""
]

const asTable = (limits: ReadonlyArray<RateLimitView>): string =>
  table(
    ["POLICY", "REQUESTS", "SECONDS", "SETTING", "BOUNDS", "SINCE", "BY", "REASON"],
    limits.map(rowOf),
    "no rate limits"
  )

const changed = Effect.fnUntraced(function* (policy: RateLimitPolicy, requests: number | null, reason: string) {
  if (requests !== null && !isWithinBounds(policy, requests)) {
    const { least, most } = BOUNDS[policy]
    return yield* new UsageError({
      detail: `--requests ${requests} is out of bounds: the policy ${policy} takes from ${least} to ${most}`
    })
  }
  if (policy === "orchestrator") {
    const { explained, rateLimits } = yield* OrchestratorClient.connect
    return yield* explained(rateLimits.changeRateLimit({ payload: { policy, requests, reason } }))
  }
  const { explained, rateLimits } = yield* BuilderClient.connect
  return yield* explained(rateLimits.changeRateLimit({ payload: { policy, requests, reason } }))
})

const change = (policy: RateLimitPolicy, requests: number | null, reason: string, asJson: boolean) =>
  Effect.flatMap(changed(policy, requests, reason), (view) =>
    printed(RateLimitView, view, asJson, (each) => asTable([each]))
  )

const set = Command.make("set", { policy, requests, reason, json }, ({ json, policy, reason, requests }) =>
  change(policy, requests, reason, json)
).pipe(
  Command.withDescription("Set the requests of a window in place of the settings, on every replica within two seconds"),
  Command.withExamples([
    {
      command: 'sweep operate rate-limits set --policy orchestrator --requests 60 --reason "a scraper"',
      description: "Fewer requests of each client"
    }
  ])
)

const clear = Command.make("clear", { policy, reason, json }, ({ json, policy, reason }) =>
  change(policy, null, reason, json)
).pipe(
  Command.withDescription("Drop the operator's choice, so that the settings hold again"),
  Command.withExamples([
    { command: "sweep operate rate-limits clear --policy orchestrator", description: "Return to the setting" }
  ])
)

const ofOrchestrator = Effect.gen(function* () {
  const { explained, rateLimits } = yield* OrchestratorClient.connect
  return yield* explained(rateLimits.rateLimits())
})

const ofBackend = Effect.gen(function* () {
  const { explained, rateLimits } = yield* BuilderClient.connect
  return yield* explained(rateLimits.rateLimits())
})

const list = Command.make("list", { json }, ({ json }) =>
  BothServices.listed(ofOrchestrator, ofBackend, (all) => printed(Schema.Array(RateLimitView), all, json, asTable))
).pipe(
  Command.withDescription("List the rate limits of both services, with the settings that choices replace"),
  Command.withExamples([{ command: "sweep operate rate-limits list", description: "Show who changed what, and why" }])
)

export const operateRateLimits = Command.make("rate-limits").pipe(
  Command.withDescription("Rate limits of clients: requests of each address in a window"),
  Command.withSubcommands([list, set, clear])
)
