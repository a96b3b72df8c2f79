/** Refuses requests that are well formed and cannot be meant: the output would be lost, or the route hint is wrong. */
import { Effect, Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Destination from "../../domain/Destination.ts"
import * as RouteHint from "../../domain/RouteHint.ts"
import { Chains } from "../../ports/shared/Chains.ts"

/** A request that the client must correct (422, unmasked). */
export class RequestRefused extends Schema.TaggedError<RequestRefused>()("RequestRefused", {
  /** Each begins with the name of its field. */
  problems: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.problems.join("; ")
  }
}

const BURNING = "destination: expected an account that can spend the token, not a token or a contract of the service"

/** A request, with the tokens that it names. */
export interface Reviewed extends RouteHint.Hinted {
  readonly destination: Address.Address
  readonly tokens: ReadonlyArray<Address.Address>
}

/** Makes `refuse(request)`, which fails with every problem of the request, without a read. */
export const make = Effect.map(Chains, (chains) =>
  Effect.fnUntraced(function* (request: Reviewed) {
    const served = chains.all.map(({ chain }) => chain)
    // A chain that is not served is refused for that.
    const arrival = Option.fromUndefinedOr(served.find(({ id }) => id === request.destChainId))
    const burns = Option.exists(arrival, (chain) => Destination.burns(chain, request.destination, request.tokens))
    const hint = RouteHint.problemOf(request, served)
    const problems = [...(burns ? [BURNING] : []), ...(hint === undefined ? [] : [`route: ${hint}`])]
    if (problems.length > 0) return yield* new RequestRefused({ problems })
  })
)
