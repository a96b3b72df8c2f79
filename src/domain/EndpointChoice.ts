/**
 * JSON-RPC endpoints of a chain that an operator chose in place of those of the chains file while the service runs. A URL may hold an
 * API key, so what is shown of an endpoint is its host, its limits and an id.
 */
import { Result, Schema } from "effect"
import { sha256, stringToBytes } from "viem"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import { RpcEndpoint, RpcUrl } from "./RpcEndpoint.ts"

/** Characters of the hash that make up an id: 32 bits, which tell endpoints apart and confirm no guess of a key. */
const ID_LENGTH = 8

/** Longest URL in characters. */
const MAX_URL_LENGTH = 1_024

/** Most endpoints of a chain. Each is asked for its head at every block. */
export const MOST = 10

/** Id of an endpoint: the beginning of its URL's SHA-256. */
export const idOf = (url: string): string => sha256(stringToBytes(url)).slice(2, 2 + ID_LENGTH)

const Id = described(
  Schema.String.check(
    Schema.isPattern(/^[0-9a-f]{8}$/, { message: "expected an id of 8 hex digits, as the list shows" })
  ),
  "Id of the endpoint, as `GET /admin/endpoints` shows it."
)

const hasNoCredentials = (text: string): boolean =>
  !URL.canParse(text) || (new URL(text).username === "" && new URL(text).password === "")

const NewEndpoint = Schema.Struct({
  url: described(
    RpcUrl.check(
      Schema.isMaxLength(MAX_URL_LENGTH),
      Schema.makeFilter((text: string) => hasNoCredentials(text) || "expected a URL without user name and password")
    ),
    "URL of the endpoint, http or https. May hold an API key: it is encrypted in the database, and never shown or logged."
  ),
  requestsPerSecond: described(
    RpcEndpoint.fields.requestsPerSecond,
    "Calls per second that the endpoint grants. Default: no limit."
  ),
  computeUnitsPerSecond: described(
    RpcEndpoint.fields.computeUnitsPerSecond,
    "Compute units per second that the endpoint grants. Default: no limit."
  )
}).annotate({ identifier: "NewRpcEndpoint" })

const common = {
  chainId: described(ChainId, "Chain."),
  reason: described(
    Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
    "Reason of the change, for the record. Default: none."
  )
}

const action = <const Name extends string>(name: Name, meaning: string) => described(Schema.Literal(name), meaning)

/** Change of a chain's endpoints, as operators request it. */
export const ChangeOfEndpoints = Schema.Union([
  Schema.Struct({
    action: action("add", "Adds an endpoint behind the others."),
    endpoint: described(NewEndpoint, "Endpoint to add."),
    ...common
  }).annotate({ identifier: "EndpointAddition" }),
  Schema.Struct({
    action: action("replace", "Puts an endpoint in the place of another one."),
    id: Id,
    endpoint: described(NewEndpoint, "Endpoint that takes the place."),
    ...common
  }).annotate({ identifier: "EndpointReplacement" }),
  Schema.Struct({ action: action("remove", "Takes an endpoint away."), id: Id, ...common }).annotate({
    identifier: "EndpointRemoval"
  }),
  Schema.Struct({
    action: action("clear", "Drops the operator's choice, so that the chains file holds again."),
    ...common
  }).annotate({ identifier: "EndpointClearing" })
]).annotate({ identifier: "EndpointChange" })
export type ChangeOfEndpoints = typeof ChangeOfEndpoints.Type

type Endpoints = ReadonlyArray<RpcEndpoint>

/** The change cannot be made. `unknown`: no endpoint has the id. `present`: another endpoint of the list has this URL. */
export type Objection = "unknown" | "present" | "too_many"

/**
 * The endpoints after a change, preferred first, and the one that is new among them. `present` are those that the chain has now, and
 * `configured` those of the chains file. An addition of what is there already changes its limits alone.
 */
export const changed = (
  change: ChangeOfEndpoints,
  present: Endpoints,
  configured: Endpoints
): Result.Result<{ readonly endpoints: Endpoints; readonly added: RpcEndpoint | undefined }, Objection> => {
  if (change.action === "clear") return Result.succeed({ endpoints: configured, added: undefined })
  if (change.action === "add") {
    const { endpoint } = change
    const isThere = present.some(({ url }) => url === endpoint.url)
    if (isThere) {
      const endpoints = present.map((each) => (each.url === endpoint.url ? endpoint : each))
      return Result.succeed({ endpoints, added: endpoint })
    }
    if (present.length >= MOST) return Result.fail("too_many")
    return Result.succeed({ endpoints: [...present, endpoint], added: endpoint })
  }
  const place = present.findIndex(({ url }) => idOf(url) === change.id)
  if (place === -1) return Result.fail("unknown")
  if (change.action === "remove") return Result.succeed({ endpoints: present.toSpliced(place, 1), added: undefined })
  const { endpoint } = change
  if (present.some(({ url }, index) => index !== place && url === endpoint.url)) return Result.fail("present")
  return Result.succeed({ endpoints: present.with(place, endpoint), added: endpoint })
}

/** Reason for which endpoints are not changed. */
export const EndpointRefusal = Schema.Literals([
  "no_secrets_key",
  "unreadable",
  "unknown",
  "present",
  "too_many",
  "not_public",
  "not_usable",
  "last_working",
  "changed_meanwhile"
])
export type EndpointRefusal = typeof EndpointRefusal.Type

/** An endpoint without its URL. */
const ShownEndpoint = Schema.Struct({
  id: described(Schema.String, "Id of the endpoint, for changes."),
  host: described(Schema.String, "Host of the URL. The rest may hold an API key, and is never shown."),
  requestsPerSecond: described(Schema.NullOr(Schema.Finite), "Calls per second. Null without a limit."),
  computeUnitsPerSecond: described(Schema.NullOr(Schema.Finite), "Compute units per second. Null without a limit.")
}).annotate({ identifier: "RpcEndpoint" })

export const shown = ({ computeUnitsPerSecond, requestsPerSecond, url }: RpcEndpoint) => ({
  id: idOf(url),
  host: new URL(url).host,
  requestsPerSecond: requestsPerSecond ?? null,
  computeUnitsPerSecond: computeUnitsPerSecond ?? null
})

/** Endpoints of a chain, with those that hold without a choice of the operator. */
export const EndpointsView = Schema.Struct({
  chainId: described(ChainId, "Chain."),
  endpoints: described(Schema.Array(ShownEndpoint), "Endpoints that are asked now, preferred first."),
  configured: described(
    Schema.Array(ShownEndpoint),
    "Endpoints of the chains file, which hold again when the choice is cleared."
  ),
  chosen: described(
    Schema.NullOr(
      Schema.Struct({
        actor: described(Schema.String, "Who changed them last."),
        reason: described(Schema.String, "Reason. Empty if none was given."),
        sinceMs: described(Schema.Int, "UNIX time in milliseconds of the change."),
        isReadable: described(
          Schema.Boolean,
          "False if this replica cannot decrypt the choice, and keeps the endpoints that it had."
        )
      })
    ),
    "Choice of the operator in place of the chains file. Null if there is none."
  ),
  warnings: described(
    Schema.Array(Schema.String),
    "Findings about an endpoint that was just added, which do not forbid its use. Empty in lists."
  )
}).annotate({ identifier: "ChainEndpoints" })
export type EndpointsView = typeof EndpointsView.Type
