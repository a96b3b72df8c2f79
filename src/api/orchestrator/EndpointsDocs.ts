/** Texts and examples of the routes about RPC endpoints. */
import {
  type ErrorRow,
  malformedBody,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const first = { id: "5f0c9a31", host: "base.example.com", requestsPerSecond: null, computeUnitsPerSecond: null }
const added = { id: "c41d7702", host: "rpc.example.org", requestsPerSecond: 50, computeUnitsPerSecond: null }

const view = {
  chainId: 8453,
  endpoints: [first, added],
  configured: [first],
  chosen: { actor: "admin-token", reason: "provider is down", sinceMs: 1767225600000, isReadable: true },
  warnings: []
}

export const endpoints = documented({
  summary: "List RPC endpoints",
  description: withErrors(
    "The endpoints of every chain that are asked now, those of the chains file, and who changed them. An endpoint is shown by its host, since its URL may hold a key.",
    always
  ),
  response: { status: 200, body: [view] }
})

export const change = documented({
  summary: "Change RPC endpoints",
  description: withErrors(
    "Adds, replaces or removes an endpoint of a chain on every replica within two seconds, in place of the chains file, also after a restart. `clear` drops the choice. A new endpoint is asked before it is stored, and refused if it does not answer, serves another chain, has an old head or is on a fork. The last endpoint that works cannot be taken away. Needs `SECRETS_KEY`, which encrypts the URLs. Recorded without the URL.",
    [
      [404, "not found", "the chain is not served"],
      [
        409,
        "endpoints_not_changed",
        "`reason` and `detail` say why: no `SECRETS_KEY`, an endpoint that cannot be used, the last one that works, or a change of somebody else"
      ],
      ...malformedBody,
      ...always
    ]
  ),
  request: {
    action: "add",
    chainId: 8453,
    endpoint: { url: "https://rpc.example.org/v2/<key>", requestsPerSecond: 50 },
    reason: "provider is down"
  },
  response: { status: 200, body: view }
})
