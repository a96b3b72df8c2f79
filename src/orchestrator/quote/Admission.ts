/** Decides cheaply that a request can be quoted: its parties are screened, its chains are known, its tokens differ. */
import { Effect, Result } from "effect"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import * as Source from "./Source.ts"

/** Makes `admit(request)`, which returns the client of the source chain. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const screening = yield* Screening
  const { pausedChains } = (yield* OrchestratorSettings).relayer
  const sourceOf = yield* Source.make

  return Effect.fn("Quoter.admit")(function* (request: QuoteRequest) {
    const source = yield* Effect.result(sourceOf(request))
    // Screening comes before every other refusal, so it needs a chain even when the source chain is unknown.
    const screeningChain = Result.isSuccess(source) ? source.success.chain.id : chains.all[0]?.chain.id
    if (screeningChain === undefined) return yield* unsupported("no chain is configured")
    yield* screening.clear(screeningChain, [request.owner, request.destination])

    const client = yield* Effect.fromResult(source)
    const { chain } = client
    yield* chains.get(request.destChainId)
    if (chain.supportsSetCode === false) {
      return yield* unsupported(`${chain.name} does not support EIP-7702 transactions`)
    }
    if (pausedChains.includes(chain.id)) {
      return yield* new QuoteFailed({
        reason: "chain_paused",
        detail: `${chain.name} is paused in RELAYER_PAUSED_CHAINS`
      })
    }
    if (request.destChainId === chain.id && request.tokenIn === request.tokenOut) {
      return yield* new QuoteFailed({
        reason: "same_token",
        detail: "tokenIn and tokenOut are the same token on the same chain"
      })
    }
    return client
  })
})

const unsupported = (detail: string) => new QuoteFailed({ reason: "unsupported_chain", detail })
