/** Texts and examples of the routes that take an API key with the scope `read`. */
import { type ErrorRow, rateLimited, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { examples as account } from "./Docs.ts"
import { examples as ofSweeps } from "./SweepsDocs.ts"

const keyErrors: ReadonlyArray<ErrorRow> = [
  unauthorized,
  [403, "scope_missing", "the key lacks the scope `read`"],
  rateLimited,
  unexpected,
  unavailable
]

const malformed: ErrorRow = [422, "limit: <problem>", "a query parameter is malformed"]

export const builder = documented({
  summary: "Get the builder of a key",
  description: withErrors("Same as `GET /me`, also while the builder is suspended.", keyErrors),
  response: { status: 200, body: account.builder }
})

export const accruals = documented({
  summary: "Get the amounts earned and owed, with a key",
  description: withErrors("Same as `GET /me/accruals`.", keyErrors),
  response: { status: 200, body: account.accruals }
})

export const activity = documented({
  summary: "List accruals, with a key",
  description: withErrors("Same as `GET /me/activity`.", [malformed, ...keyErrors]),
  response: { status: 200, body: account.activity }
})

export const sweeps = documented({
  summary: "List sweeps, with a key",
  description: withErrors("Same as `GET /me/sweeps`.", [malformed, ...keyErrors]),
  response: { status: 200, body: { sweeps: [ofSweeps.sweep] } }
})

export const sweep = documented({
  summary: "Get a sweep and its history, with a key",
  description: withErrors("Same as `GET /me/sweeps/:id`.", [
    [404, "not found", "no sweep of this id is attributed to the builder"],
    [422, "id: <problem>", "a parameter is malformed"],
    ...keyErrors
  ]),
  response: { status: 200, body: { sweep: ofSweeps.sweep, events: ofSweeps.events, earnings: [], deliveries: [] } }
})
