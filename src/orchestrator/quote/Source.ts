/** Finds the chain that a sweep takes its token from: named by the request, or else by the owner's balances (domain/SourceChain). */
import { Array, Effect, Option } from "effect"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import * as RouteHint from "../../domain/RouteHint.ts"
import * as SourceChain from "../../domain/SourceChain.ts"
import { isNative } from "../../domain/Token.ts"
import { type ChainClient, Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as PerChain from "../shared/PerChain.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

export interface Found {
  readonly client: ChainClient
  /** The request names it. It was not asked. */
  readonly isNamed: boolean
}

/**
 * Makes `sourceOf(request)`, which finds the source chain, and `likely(request)`, which returns the client of the
 * chain that it probably is, without a read.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const contracts = yield* SweepContracts
  const settings = yield* OrchestratorSettings

  const holding = Effect.fnUntraced(function* (client: ChainClient, request: QuoteRequest) {
    const chainId = client.chain.id
    if (isNative(request.tokenIn)) {
      return { chainId, tokenExists: true, balance: yield* client.balance(request.owner) }
    }
    const [code, balance] = yield* Effect.all(
      [client.code(request.tokenIn), contracts.balanceOf(client, request.tokenIn, request.owner, "latest")],
      { concurrency: 2 }
    )
    return code === "0x" ? { chainId, tokenExists: false, balance: 0n } : { chainId, tokenExists: true, balance }
  })

  const namedIn = (request: QuoteRequest): ChainId | undefined =>
    RouteHint.sourceOf(
      request,
      chains.all.map(({ chain }) => chain)
    )

  /** None if no chain is configured. */
  const likely = (request: QuoteRequest): Option.Option<ChainClient> => {
    const isListed = ({ chain }: ChainClient) =>
      isNative(request.tokenIn) || Option.isSome(Chain.token(chain, request.tokenIn))
    const listed = chains.all.filter(isListed)
    const candidates = listed.length === 0 ? chains.all : listed
    const preferred = [namedIn(request), settings.defaultSourceChain, request.destChainId]
    return Array.head([
      ...preferred.flatMap((chainId, index) =>
        // The name decides, whatever is listed.
        (index === 0 ? chains.all : candidates).filter(({ chain }) => chain.id === chainId)
      ),
      ...candidates
    ])
  }

  const sourceOf = Effect.fn("Quoter.sourceOf")(function* (
    request: QuoteRequest
  ): Effect.fn.Return<Found, QuoteFailed | UnsupportedChain> {
    const named = namedIn(request)
    if (named !== undefined) return { client: yield* chains.get(named), isNamed: true }
    const { answers, unavailableChains } = yield* PerChain.askAnswering(chains.all, (client) =>
      holding(client, request)
    )
    const found = SourceChain.fromFacts(answers, request.amountIn, settings.defaultSourceChain)
    // While a chain does not answer, the token and the balance may be there: only a sufficient balance decides.
    const isFunded = (chainId: ChainId) =>
      answers.some((candidate) => candidate.chainId === chainId && candidate.balance >= request.amountIn)
    const decided = unavailableChains.length === 0 ? found : Option.filter(found, isFunded)
    if (Option.isSome(decided)) return { client: yield* chains.get(decided.value), isNamed: false }
    return yield* unavailableChains.length === 0
      ? new QuoteFailed({
          reason: "unsupported_chain",
          detail: `${request.tokenIn} is on none or on several of the configured chains, and the request names no source chain`
        })
      : new QuoteFailed({
          reason: "chain_unavailable",
          detail: `the source chain is unknown while these chains do not answer: ${unavailableChains.join(", ")}`,
          unavailableChains
        })
  })

  return { likely, sourceOf }
})
