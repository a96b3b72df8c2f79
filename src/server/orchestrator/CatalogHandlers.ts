/** `GET /chains` and `GET /tokens`: the public part of the configuration. */
import { DateTime, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import * as Catalog from "../../domain/Catalog.ts"
import type { Chain } from "../../domain/Chain.ts"
import { OrchestratorSettings } from "../../orchestrator/shared/OrchestratorSettings.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Cacheable from "../shared/Cacheable.ts"

export const catalog = HttpApiBuilder.group(
  OrchestratorApi,
  "catalog",
  Effect.fnUntraced(function* (handlers) {
    const served = (yield* Chains).all.map(({ chain }) => chain)
    const { relayer } = yield* OrchestratorSettings
    const timestamp = DateTime.formatIso(yield* DateTime.now)

    const chains = yield* Cacheable.make(Catalog.ChainList, Catalog.chainList(served, relayer.pausedChains))
    const tokensOf = (some: ReadonlyArray<Chain>) => {
      const list = Catalog.tokenList(some, timestamp)
      return Cacheable.make(Catalog.TokenList, list, list.tokens)
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
