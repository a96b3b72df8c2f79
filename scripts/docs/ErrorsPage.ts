/** `docs/reference/errors.md`: every error body of both services, from the tables in their contracts. */
import { MEANINGS } from "../../src/domain/QuoteReason.ts"
import { type Contract, contracts, routesOf } from "./Contract.ts"
import { GENERATED, table } from "./Table.ts"

interface Cause {
  readonly status: string
  readonly error: string
  readonly cause: string
  readonly route: string
}

const ROW = /^\| *(\d{3}) *\| *(.+?) *\| *(.+?) *\|$/gm

const causesOf = (contract: Contract): ReadonlyArray<Cause> =>
  routesOf(contract).flatMap(({ name, operation }) =>
    Array.from(operation.description.matchAll(ROW), ([, status = "", error = "", cause = ""]) => ({
      status,
      error,
      cause,
      route: name
    }))
  )

/** A cause that many routes share is named once. */
const MANY = 5

const routesText = (routes: ReadonlyArray<string>): string =>
  routes.length > MANY ? `${routes.length} routes` : routes.map((route) => `\`${route}\``).join(", ")

const section = (contract: Contract): string => {
  const groups = Map.groupBy(causesOf(contract), ({ cause, error, status }) => [status, error, cause].join("\n"))
  const rows = [...groups.values()].flatMap((causes) => {
    const [first] = causes
    return first === undefined
      ? []
      : [[first.status, first.error, first.cause, routesText(causes.map(({ route }) => route))]]
  })
  const sorted = rows.toSorted(([a = "", b = ""], [c = "", d = ""]) => a.localeCompare(c) || b.localeCompare(d))
  return table(["Status", "`error`", "Cause", "Routes"], sorted)
}

/** Section about the reasons of quotes, which bodies of errors do not have. */
const reasons = [
  "## Reasons of quotes",
  "",
  "A quote that cannot be made has one of these reasons: `POST /quote` in the header `Sweep-Reason`, and `POST /quotes` in the entry of the token. The list is closed.",
  "",
  table(
    ["Reason", "Meaning"],
    Object.entries(MEANINGS).map(([reason, meaning]) => [`\`${reason}\``, meaning])
  ),
  ""
]

/** The page as Markdown. */
export const errorsPage = (): string =>
  [
    "# Errors",
    "",
    GENERATED,
    "",
    'For developers who handle refused requests: every error of both services. An error\'s body is `{ "error": … }`. Decide by the status. The text `internal error` hides the reason on purpose: the operator finds it in the log under the `X-Request-Id` of the response. [HTTP conventions](http-conventions.md#errors) says which errors to retry. The errors of the TypeScript client are in [TypeScript client](sdk.md#errors).',
    "",
    ...contracts.flatMap((contract) => [`## ${contract.title}`, "", section(contract), ""]),
    ...reasons
  ].join("\n")
