/** Decides cheaply that a request can be quoted: its parties are screened, its chains are known, its tokens differ. */
import { Effect, Result } from "effect"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { type ChainClient, Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { Screening, type ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as PerChain from "../shared/PerChain.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import * as Source from "./Source.ts"

/** Makes `admit(request)`, which returns the client of the source chain. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const screening = yield* Screening
  const { pausedChains } = (yield* OrchestratorSettings).relayer
  const sourceOf = yield* Source.make

  /** Screening comes before every other refusal, so it needs a chain even when the source chain is unknown. */
  const screen = Effect.fnUntraced(function* (
    { destination, owner }: QuoteRequest,
    source: Result.Result<Found, QuoteFailed | UnsupportedChain>
  ) {
    const parties = [owner, destination]
    if (Result.isSuccess(source)) {
      const { client, isHinted } = source.success
      const cleared = screening.clear(client.chain.id, parties)
      return yield* isHinted ? answering(client, cleared) : cleared
    }
    const { failure } = source
    const silent = failure._tag === "QuoteFailed" ? (failure.unavailableChains ?? []) : []
    const other = chains.all.find(({ chain }) => !silent.includes(chain.id))
    if (other === undefined) return yield* silent.length === 0 ? unsupported("no chain is configured") : failure
    yield* screening.clear(other.chain.id, parties)
  })

  return Effect.fn("Quoter.admit")(function* (request: QuoteRequest) {
    const source = yield* Effect.result(sourceOf(request))
    yield* screen(request, source)
    const { client } = yield* Effect.fromResult(source)
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

type Found = Effect.Success<ReturnType<Effect.Success<typeof Source.make>>>

/** Tells a chain that cannot screen because it does not answer from one that refuses. */
const answering = Effect.fnUntraced(function* (client: ChainClient, cleared: Effect.Effect<void, ScreeningBlocked>) {
  const [screened, { unavailableChains }] = yield* Effect.all(
    [Effect.result(cleared), PerChain.askEach([client], ({ block }) => block("latest"))],
    { concurrency: "unbounded" }
  )
  const isListed = Result.isFailure(screened) && screened.failure.cause === "listed"
  if (unavailableChains.length > 0 && !isListed) {
    return yield* new QuoteFailed({
      reason: "chain_unavailable",
      detail: `${client.chain.name}, which the route names, does not answer`,
      unavailableChains
    })
  }
  yield* Effect.fromResult(screened)
})

const unsupported = (detail: string) => new QuoteFailed({ reason: "unsupported_chain", detail })
