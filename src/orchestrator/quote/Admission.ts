/** Decides cheaply that a request can be quoted: its parties are screened, its chains are known, its tokens differ. */
import { Effect, Fiber, Option, Result } from "effect"
import type { QuoteRequest } from "../../domain/Quote.ts"
import { type ChainClient, Chains, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { Screening, type ScreeningBlocked } from "../../ports/shared/Screening.ts"
import * as Pauses from "../shared/Pauses.ts"
import * as PerChain from "../shared/PerChain.ts"
import { QuoteFailed, whilePaused } from "./QuoteFailed.ts"
import * as Source from "./Source.ts"

/**
 * Makes `admit(request)`, which returns the client of the source chain, and `foresee(request)`, which returns the client that it
 * probably returns, without a read. None if it will refuse a request from that chain. `check(client, request)` refuses what needs no
 * read to be refused.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const screening = yield* Screening
  const pauses = yield* Pauses.make
  const { likely, sourceOf } = yield* Source.make

  const check = Effect.fnUntraced(function* ({ chain }: ChainClient, request: QuoteRequest) {
    yield* chains.get(request.destChainId)
    if (chain.supportsSetCode === false) {
      return yield* unsupported(`${chain.name} does not support EIP-7702 transactions`)
    }
    const paused = yield* pauses.of({ ...request, sourceChainId: chain.id })
    if (paused !== undefined) return yield* whilePaused(paused)
    if (request.destChainId === chain.id && request.tokenIn === request.tokenOut) {
      return yield* new QuoteFailed({ reason: "same_token", detail: "tokenOut is tokenIn on the same chain" })
    }
  })

  /** Chain to screen on: the source chain, or while it is unknown any chain that answers. */
  const screeningChain = (source: Result.Result<Source.Found, QuoteFailed | UnsupportedChain>, guess: ChainClient) => {
    if (Result.isSuccess(source)) return Effect.succeed(source.success.client)
    const { failure } = source
    const silent = failure._tag === "QuoteFailed" ? (failure.unavailableChains ?? []) : []
    const other = [guess, ...chains.all].find(({ chain }) => !silent.includes(chain.id))
    return other === undefined ? Effect.fail(failure) : Effect.succeed(other)
  }

  const admit = Effect.fn("Quoter.admit")(function* (request: QuoteRequest) {
    const { destination, owner } = request
    const guess = yield* Effect.mapError(Effect.fromOption(likely(request)), () =>
      unsupported("no chain is configured")
    )
    const clear = ({ chain }: ChainClient) => screening.clear(chain.id, [owner, destination])
    // Beside the search for the source chain, and it counts if that is the chain.
    const early = yield* Effect.forkChild(clear(guess))
    const source = yield* Effect.result(sourceOf(request))
    const on = yield* screeningChain(source, guess)
    const isEarly = on.chain.id === guess.chain.id
    if (!isEarly) yield* Fiber.interrupt(early)
    // Screening comes before every other refusal.
    const cleared = isEarly ? Fiber.join(early) : clear(on)
    yield* Result.isSuccess(source) && source.success.isNamed ? answering(on, cleared) : cleared
    const { client } = yield* Effect.fromResult(source)
    yield* check(client, request)
    return client
  })

  const foresee = Effect.fnUntraced(function* (request: QuoteRequest) {
    const guess = likely(request)
    return Option.isSome(guess) && (yield* Effect.isSuccess(check(guess.value, request))) ? guess : Option.none()
  })

  return { admit, check, foresee }
})

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
      detail: `${client.chain.name}, which the request names, does not answer`,
      unavailableChains
    })
  }
  yield* Effect.fromResult(screened)
})

const unsupported = (detail: string) => new QuoteFailed({ reason: "unsupported_chain", detail })
