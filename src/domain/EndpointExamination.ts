/** Decides by answers of RPC endpoints if an operator's change of a chain's endpoints may be stored. Pure. */
import { Result } from "effect"
import { type ChainFacts, type EndpointFacts, judgeEndpoint } from "./doctor/Endpoints.ts"
import type { Finding } from "./doctor/Finding.ts"

/** `not_usable`: the new endpoint must not be asked. `last_working`: no endpoint that works would be left. */
export interface Refusal {
  readonly reason: "not_usable" | "last_working"
  /** For people. Has hosts, and no URLs. */
  readonly detail: string
}

const said = ({ host }: EndpointFacts, findings: ReadonlyArray<Finding>): string =>
  `${host}: ${findings.map(({ seen }) => seen).join("; ")}`

const errorsOf = (facts: ChainFacts, endpoint: EndpointFacts): ReadonlyArray<Finding> =>
  judgeEndpoint(facts, endpoint).filter(({ level }) => level === "error")

/** An endpoint of the others that works, and has another block at the common height. */
const forkedFrom = (facts: ChainFacts, added: EndpointFacts): EndpointFacts | undefined =>
  facts.endpoints.find(
    (other) =>
      other !== added &&
      other.commonHash !== undefined &&
      added.commonHash !== undefined &&
      other.commonHash !== added.commonHash &&
      errorsOf(facts, other).length === 0
  )

/**
 * Decides on the endpoints that the chain would have. `added` is the one among them that is new. `takesAway`: one that is asked now is
 * not among them, so one that works and simulates must be left. The result has warnings about the new endpoint.
 */
export const decide = (
  facts: ChainFacts,
  { added, takesAway }: { readonly added: EndpointFacts | undefined; readonly takesAway: boolean }
): Result.Result<ReadonlyArray<string>, Refusal> => {
  if (added !== undefined) {
    const errors = errorsOf(facts, added)
    if (errors.length > 0) return Result.fail({ reason: "not_usable", detail: said(added, errors) })
    const other = forkedFrom(facts, added)
    if (other !== undefined) {
      const detail = `${added.host}: it has another block than ${other.host} at height ${facts.commonHeight}`
      return Result.fail({ reason: "not_usable", detail })
    }
  }
  if (takesAway) {
    const isLeft = facts.endpoints.some(
      (endpoint) => endpoint.stateOverrides === true && errorsOf(facts, endpoint).length === 0
    )
    if (!isLeft) {
      const why = facts.endpoints.map((endpoint) => said(endpoint, errorsOf(facts, endpoint)))
      const detail = ["no endpoint would be left that works and takes state overrides", ...why].join(". ")
      return Result.fail({ reason: "last_working", detail })
    }
  }
  const warnings = added === undefined ? [] : judgeEndpoint(facts, added).filter(({ level }) => level === "warning")
  return Result.succeed(added === undefined ? [] : warnings.map((each) => said(added, [each])))
}
