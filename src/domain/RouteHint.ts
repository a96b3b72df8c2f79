/** Hints of routes in quote requests: `<source>-><destination>`, each the name or id of a chain (spec, "QuoteRequest"). */
import { Option, Result } from "effect"
import type { ChainId } from "./ChainId.ts"

/** A chain as hints name it. */
interface Named {
  readonly id: ChainId
  readonly name: string
}

/** Chains that a hint names. */
interface RouteHint {
  readonly source: Named
  readonly destination: Named
}

/** The chains of a hint. Fails with the text of the problem if it has another form or names a chain that is not served. */
const read = (route: string, served: ReadonlyArray<Named>): Result.Result<RouteHint, string> => {
  const [source, destination, ...others] = route
    .split("->")
    .map((part) => part.trim().toLowerCase())
    .map((part) => served.find(({ id, name }) => name.toLowerCase() === part || String(id) === part))
  return source === undefined || destination === undefined || others.length > 0
    ? Result.fail(
        `expected <source>-><destination> with names or ids of served chains: ${served.map(({ name }) => name).join(", ")}`
      )
    : Result.succeed({ source, destination })
}

/** A request with a hint. Clients that always send the field leave it blank. */
export interface Hinted {
  readonly route?: string
  readonly sourceChainId?: ChainId
  readonly destChainId: ChainId
}

/** Source chain that a request names: itself, or else by its hint. Undefined if it names none. */
export const sourceOf = ({ route, sourceChainId }: Hinted, served: ReadonlyArray<Named>): ChainId | undefined =>
  sourceChainId ??
  (route === undefined ? undefined : Option.getOrUndefined(Result.getSuccess(read(route, served)))?.source.id)

/** Problem of a request's hint: it cannot be read, or it contradicts the request. Undefined if there is none. */
export const problemOf = (
  { destChainId, route, sourceChainId }: Hinted,
  served: ReadonlyArray<Named>
): string | undefined => {
  if (route === undefined || route.trim() === "") return undefined
  const hint = read(route, served)
  if (Result.isFailure(hint)) return hint.failure
  const { destination, source } = hint.success
  if (destination.id !== destChainId)
    return `the destination is chain ${destination.id}, and destChainId is ${destChainId}`
  return sourceChainId === undefined || source.id === sourceChainId
    ? undefined
    : `the source is chain ${source.id}, and sourceChainId is ${sourceChainId}`
}
