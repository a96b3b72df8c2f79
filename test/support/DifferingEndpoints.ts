/** A chain client of two endpoints that differ. */
import { Context, Effect, Equal, Result } from "effect"
import { type ChainClient, ChainUnavailable } from "../../src/ports/shared/Chains.ts"

const IsSecond = Context.Reference<boolean>("sweep/test/IsSecond", { defaultValue: () => false })

/** Asks the first endpoint, as a pool does that prefers it. A read that is corroborated runs on the second one as well. */
export const of = (first: ChainClient, second: ChainClient): ChainClient => {
  const asked = <A, E>(ask: (client: ChainClient) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(IsSecond, (isSecond) => ask(isSecond ? second : first))
  return {
    ...first,
    accounts: (addresses) => asked((client) => client.accounts(addresses)),
    block: (which) => asked((client) => client.block(which)),
    call: (request) => asked((client) => client.call(request)),
    feesPerGas: asked((client) => client.feesPerGas),
    recentHead: (maxAge) => asked((client) => client.recentHead(maxAge)),
    simulate: (steps, options) => asked((client) => client.simulate(steps, options)),
    transactionCount: (address, block) => asked((client) => client.transactionCount(address, block)),
    corroborated: (read, { isSame = Equal.equals, isUnknown = () => false } = {}) =>
      Effect.gen(function* () {
        const answer = yield* read
        const other = yield* Effect.result(Effect.provideService(read, IsSecond, true))
        if (Result.isFailure(other) || isUnknown(other.success) || isSame(answer, other.success)) return answer
        return yield* new ChainUnavailable({
          chainId: first.chain.id,
          method: "a read of two endpoints",
          detail: "first and second gave different answers",
          isContradiction: true
        })
      })
  }
}
