/** Finds the chain that a sweep takes its token from: by the route hint, or else by the owner's balances (domain/SourceChain). */
import { Effect, Option } from "effect"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import * as SourceChain from "../../domain/SourceChain.ts"
import { isNative } from "../../domain/Token.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as PerChain from "../shared/PerChain.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Makes `sourceOf(request)`, which returns the client of the source chain. A chain that the hint names is not asked. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const contracts = yield* SweepContracts
  const settings = yield* OrchestratorSettings

  const holding = Effect.fnUntraced(function* (client: ChainClient, request: QuoteRequest) {
    const { id: chainId, name } = client.chain
    if (isNative(request.tokenIn)) {
      return { chainId, name, tokenExists: true, balance: yield* client.balance(request.owner) }
    }
    const code = yield* client.code(request.tokenIn)
    if (code === "0x") return { chainId, name, tokenExists: false, balance: 0n }
    const balance = yield* contracts.balanceOf(client, request.tokenIn, request.owner)
    return { chainId, name, tokenExists: true, balance }
  })

  return Effect.fn("Quoter.sourceOf")(function* (request: QuoteRequest) {
    const hinted = SourceChain.fromHint(
      Option.flatMap(Option.fromUndefinedOr(request.route), Chain.routeSource),
      chains.all.map(({ chain }) => ({ chainId: chain.id, name: chain.name }))
    )
    if (Option.isSome(hinted)) return { client: yield* chains.get(hinted.value), isHinted: true }
    const { answers, unavailableChains } = yield* PerChain.askEach(chains.all, (client) => holding(client, request))
    const found = SourceChain.fromFacts(answers, request.amountIn, settings.defaultSourceChain)
    // While a chain does not answer, the token and the balance may be there: only a sufficient balance decides.
    const isFunded = (chainId: ChainId) =>
      answers.some((candidate) => candidate.chainId === chainId && candidate.balance >= request.amountIn)
    const decided = unavailableChains.length === 0 ? found : Option.filter(found, isFunded)
    if (Option.isSome(decided)) return { client: yield* chains.get(decided.value), isHinted: false }
    return yield* unavailableChains.length === 0
      ? new QuoteFailed({
          reason: "unsupported_chain",
          detail: `${request.tokenIn} is on none or on several of the configured chains, and the request has no route hint`
        })
      : new QuoteFailed({
          reason: "chain_unavailable",
          detail: `the source chain is unknown while these chains do not answer: ${unavailableChains.join(", ")}`,
          unavailableChains
        })
  })
})
