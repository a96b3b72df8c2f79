/** The table of an endpoint's errors in its documentation, with the cause of each. */

export type ErrorRow = readonly [status: number, body: string, cause: string]

export const rateLimited: ErrorRow = [
  429,
  "rate limit exceeded",
  "more requests than the window allows; see `Retry-After`"
]
export const unexpected: ErrorRow = [500, "internal error", "an unexpected failure"]
export const unavailable: ErrorRow = [
  503,
  "internal error",
  "the database does not answer, or the request took longer than 4 seconds; retry after the seconds in `Retry-After`"
]
export const providerUnavailable: ErrorRow = [
  503,
  "internal error",
  "the database, or a provider of prices or routes, does not answer, or the request took longer than 4 seconds; retry after the seconds in `Retry-After`"
]
export const chainUnavailable: ErrorRow = [
  503,
  "chain unavailable",
  "a chain that the request needs does not answer, or its base fee is above the chain's limit; retry after the seconds in `Retry-After`"
]
export const notReady = (causes: string): ErrorRow => [
  503,
  "not ready",
  `${causes}; retry after the seconds in \`Retry-After\``
]
export const unauthorized: ErrorRow = [401, "unauthorized", "the credential is missing or wrong"]
export const bodyTooLarge: ErrorRow = [413, "request body too large", "the body is longer than 64 KiB"]

/** Rows of a route that takes a body. */
export const malformedBody: ReadonlyArray<ErrorRow> = [
  bodyTooLarge,
  [422, "invalid JSON body", "the body is not valid JSON"],
  [422, "<field>: <problem>; …", "a field is missing or malformed; every problem is listed"]
]

/** Appends the table of errors to a description. */
export const withErrors = (text: string, rows: ReadonlyArray<ErrorRow>): string =>
  [
    text,
    "",
    "| Status | `error` | Cause |",
    "|---|---|---|",
    ...rows.map(([status, error, cause]) => `| ${status} | \`${error}\` | ${cause} |`)
  ].join("\n")
