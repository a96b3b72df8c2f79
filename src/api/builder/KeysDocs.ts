/** Texts and examples of the routes of builders' API keys. */
import {
  bodyTooLarge,
  type ErrorRow,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const first = { id: "default", name: "Default", scopes: ["quote"], prefix: "swp_01234567", createdAtMs: 1767225600000 }

const named = {
  id: "key_4f1d0c2b9a8e7f6d4f1d0c2b",
  name: "Reports",
  scopes: ["read"],
  prefix: "swp_89abcdef",
  createdAtMs: 1767229200000
}

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, unexpected, unavailable]
const foreign: ErrorRow = [403, "forbidden_origin", "the request comes from a page of another site"]
const invalid: ErrorRow = [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]

export const list = documented({
  summary: "List API keys",
  description: withErrors(
    "Prefix of each key that is not revoked, and the time of its last use to about a minute.",
    ownErrors
  ),
  response: { status: 200, body: { keys: [{ ...first, lastUsedAtMs: 1767229200000 }, named] } }
})

export const create = documented({
  summary: "Create an API key",
  description: withErrors(
    "Adds a key beside the default one, up to 20. The key is shown once. Give keys that are in apps the scope `quote` only, because everybody can read them there.",
    [foreign, [409, "key_limit", "the builder has 20 such keys: revoke one first"], bodyTooLarge, invalid, ...ownErrors]
  ),
  request: { name: named.name, scopes: named.scopes },
  response: { status: 201, body: { key: named, apiKey: `swp_${"89abcdef01234567".repeat(4)}` } }
})

export const revoke = documented({
  summary: "Revoke an API key",
  description: withErrors(
    "The key is invalid at once. An orchestrator may cache its attribution for some seconds. A revoked default key is replaced by `POST /me/apikey/rotate`.",
    [foreign, [404, "not found", "the builder has no key of this id"], ...ownErrors]
  ),
  response: { status: 200, body: { ok: true } }
})

export const milestones = documented({
  summary: "Get the first steps",
  description: withErrors(
    "Times of the first quote, the first delivery and the first earning, as the service observed them. Only quotes of an orchestrator with the admin token count.",
    ownErrors
  ),
  response: {
    status: 200,
    body: { keyCreatedAtMs: 1767225600000, firstQuoteAtMs: 1767225660000, firstDeliveryAtMs: 1767225670000 }
  }
})
