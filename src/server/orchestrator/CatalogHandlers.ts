/** `GET /chains` and `GET /tokens`: the public part of the configuration. */
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import * as Catalog from "../../domain/Catalog.ts"
import type { Chain } from "../../domain/Chain.ts"
import * as Pauses from "../../orchestrator/shared/Pauses.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Cacheable from "../shared/Cacheable.ts"

/** Maximum age of the list of chains in seconds. It is short, since an operator can pause a chain at any time. */
const CHAINS_MAX_AGE = 5

/** Makes the response of `GET /chains`. It is made again when a chain is paused or resumed. */
const makeChains = Effect.fnUntraced(function* (served: ReadonlyArray<Chain>) {
  const pauses = yield* Pauses.make
  const made = new Map<string, Effect.Success<ReturnType<typeof Cacheable.make>>>()
  return Effect.gen(function* () {
    const isPaused = ({ id }: Chain) => Effect.map(pauses.ofChain(id), (subject) => subject !== undefined)
    const paused = (yield* Effect.filter(served, isPaused)).map(({ id }) => id)
    const key = paused.join()
    const response =
      made.get(key) ??
      (yield* Cacheable.make(Catalog.ChainList, Catalog.chainList(served, paused), { maxAge: CHAINS_MAX_AGE }))
    made.clear()
    made.set(key, response)
    return yield* response
  })
})

export const catalog = HttpApiBuilder.group(
  OrchestratorApi,
  "catalog",
  Effect.fnUntraced(function* (handlers) {
    const served = (yield* Chains).all.map(({ chain }) => chain)
    const timestamp = DateTime.formatIso(yield* DateTime.now)

    const chains = yield* makeChains(served)
    const tokensOf = (some: ReadonlyArray<Chain>) => {
      const list = Catalog.tokenList(some, timestamp)
      return Cacheable.make(Catalog.TokenList, list, { identity: list.tokens })
    }
    const everyToken = yield* tokensOf(served)
    const tokens = new Map(
      yield* Effect.forEach(served, (chain) => Effect.map(tokensOf([chain]), (answer) => [chain.id, answer] as const))
    )

    return handlers
      .handle(
        "chains",
        Effect.fn("GET /chains")(() => chains)
      )
      .handle(
        "tokens",
        Effect.fn("GET /tokens")(function* ({ query: { chainId } }) {
          const answer = chainId === undefined ? everyToken : tokens.get(chainId)
          return yield* answer ?? Effect.fail(new NotFound())
        })
      )
  })
)
