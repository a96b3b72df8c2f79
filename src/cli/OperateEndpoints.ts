/** `./sweep operate endpoints`: shows and changes RPC endpoints of chains over the orchestrator's operator routes. */
import { Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { ChainId } from "../domain/ChainId.ts"
import { type ChangeOfEndpoints, EndpointsView } from "../domain/EndpointChoice.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"
import { UsageError } from "./UsageError.ts"

const chain = Flag.Int("chain").pipe(Flag.withSchema(ChainId), Flag.withDescription("Id of the chain"))

const id = Argument.String("id").pipe(Argument.withDescription("Id of the endpoint, as `list` shows it"))

const urlFile = Flag.String("url-file").pipe(
  Flag.withDescription(
    "File with the URL alone. `/dev/stdin` reads it from standard input. A URL in the command line would stay in the shell's history"
  )
)

const perSecond = (name: string, what: string) =>
  Flag.Finite(name).pipe(
    Flag.withDescription(`${what} per second that the endpoint grants. Default: no limit`),
    Flag.optional
  )

const requestsPerSecond = perSecond("requests-per-second", "Calls")
const computeUnitsPerSecond = perSecond("compute-units-per-second", "Compute units")

const reason = Flag.String("reason").pipe(Flag.withDescription("Reason, for the record"), Flag.withDefault(""))

const REFUSALS: Readonly<Record<string, string>> = {
  NotFound: "the orchestrator does not serve this chain. GET /chains lists the chains"
}

const limitOf = (limit: number | null): string => (limit === null ? "–" : String(limit))

const rowsOf = ({ chainId, chosen, endpoints }: EndpointsView): ReadonlyArray<ReadonlyArray<string>> =>
  endpoints.map(({ computeUnitsPerSecond, host, id, requestsPerSecond }) => [
    String(chainId),
    id,
    host,
    limitOf(requestsPerSecond),
    limitOf(computeUnitsPerSecond),
    chosen === null ? "chains file" : chosen.isReadable ? chosen.actor : `${chosen.actor} (unreadable)`,
    chosen === null ? "–" : new Date(chosen.sinceMs).toISOString(),
    chosen?.reason ?? ""
  ])

const asTable = (views: ReadonlyArray<EndpointsView>): string => {
  const columns = ["CHAIN", "ID", "HOST", "CALLS/S", "UNITS/S", "BY", "SINCE", "REASON"]
  const warnings = views.flatMap((view) => view.warnings.map((warning) => `warning: ${warning}`))
  return [table(columns, views.flatMap(rowsOf), "no chain is served"), ...warnings].join("\n")
}

/** Reads the URL of a new endpoint. The error does not repeat what the file has. */
const endpointOf = Effect.fnUntraced(function* (flags: {
  readonly urlFile: string
  readonly requestsPerSecond: Option.Option<number>
  readonly computeUnitsPerSecond: Option.Option<number>
}) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    fs.readFileString(flags.urlFile),
    () => new UsageError({ detail: `${flags.urlFile} cannot be read. Write the endpoint's URL into it` })
  )
  const limits = {
    ...(Option.isSome(flags.requestsPerSecond) ? { requestsPerSecond: flags.requestsPerSecond.value } : {}),
    ...(Option.isSome(flags.computeUnitsPerSecond) ? { computeUnitsPerSecond: flags.computeUnitsPerSecond.value } : {})
  }
  return { url: text.trim(), ...limits }
})

const change = Effect.fnUntraced(function* (payload: ChangeOfEndpoints, asJson: boolean) {
  const { endpoints, explained } = yield* OrchestratorClient.connect
  const answer = yield* explained(
    endpoints
      .changeEndpoints({ payload })
      .pipe(Effect.catchTag("EndpointsNotChanged", ({ detail }) => Effect.succeed({ refused: detail }))),
    REFUSALS
  )
  if ("refused" in answer) return yield* new OrchestratorClient.OrchestratorCallFailed({ detail: answer.refused })
  yield* printed(EndpointsView, answer, asJson, (view) => asTable([view]))
})

const add = Command.make(
  "add",
  { chain, urlFile, requestsPerSecond, computeUnitsPerSecond, reason, json },
  ({ chain: chainId, json, reason, ...flags }) =>
    Effect.flatMap(endpointOf(flags), (endpoint) => change({ action: "add", chainId, endpoint, reason }, json))
).pipe(
  Command.withDescription("Add an endpoint behind the others, on every replica within two seconds. It is asked before"),
  Command.withExamples([
    {
      command: 'sweep operate endpoints add --chain 8453 --url-file base.url --reason "provider is down"',
      description: "Ask another provider as well"
    }
  ])
)

const replace = Command.make(
  "replace",
  { id, chain, urlFile, requestsPerSecond, computeUnitsPerSecond, reason, json },
  ({ chain: chainId, id, json, reason, ...flags }) =>
    Effect.flatMap(endpointOf(flags), (endpoint) => change({ action: "replace", chainId, endpoint, id, reason }, json))
).pipe(
  Command.withDescription("Put an endpoint in the place of another one"),
  Command.withExamples([
    {
      command: "sweep operate endpoints replace 5f0c9a31 --chain 8453 --url-file base.url",
      description: "Use another key of the same provider"
    }
  ])
)

const remove = Command.make("remove", { id, chain, reason, json }, ({ chain: chainId, id, json, reason }) =>
  change({ action: "remove", chainId, id, reason }, json)
).pipe(
  Command.withDescription("Take an endpoint away. The last one that works stays"),
  Command.withExamples([
    {
      command: "sweep operate endpoints remove 5f0c9a31 --chain 8453",
      description: "Ask a provider no more"
    }
  ])
)

const clear = Command.make("clear", { chain, reason, json }, ({ chain: chainId, json, reason }) =>
  change({ action: "clear", chainId, reason }, json)
).pipe(
  Command.withDescription("Drop the operator's choice, so that the chains file holds again"),
  Command.withExamples([
    { command: "sweep operate endpoints clear --chain 8453", description: "Return to the chains file" }
  ])
)

const list = Command.make("list", { json }, ({ json }) =>
  Effect.gen(function* () {
    const { endpoints, explained } = yield* OrchestratorClient.connect
    yield* printed(Schema.Array(EndpointsView), yield* explained(endpoints.endpoints()), json, asTable)
  })
).pipe(
  Command.withDescription("List the RPC endpoints of every chain by their hosts, and who changed them"),
  Command.withExamples([{ command: "sweep operate endpoints list", description: "Find the id of an endpoint" }])
)

export const operateEndpoints = Command.make("endpoints").pipe(
  Command.withDescription("RPC endpoints of chains"),
  Command.withSubcommands([list, add, replace, remove, clear])
)
