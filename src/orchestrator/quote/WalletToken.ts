/** Quotes one token of a wallet, with the reads that the tokens of its chain share. */
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import type { Authorization } from "../../domain/Delegation.ts"
import type { OrderFees } from "../../domain/Fees.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import type { SweepQuotesRequest, SweepToken } from "../../domain/SweepQuotes.ts"
import { isNative } from "../../domain/Token.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Screening, type ScreeningBlocked } from "../../ports/shared/Screening.ts"
import { within } from "../../runtime/Within.ts"
import { RequestTurns } from "../shared/RequestTurns.ts"
import type * as Admission from "./Admission.ts"
import type * as Offering from "./Offering.ts"
import * as OrderNonces from "./OrderNonces.ts"
import { asQuoteFailed, QuoteFailed } from "./QuoteFailed.ts"
import * as Reading from "./Reading.ts"

/** Time limit of each token, in milliseconds. A response begins within 4 seconds, so a slow token is left out. */
const LIMIT_MILLIS = 3_500

export type Failure = QuoteFailed | ScreeningBlocked

/** Steps of a quote of one token. */
export interface Steps {
  readonly check: Effect.Success<typeof Admission.make>["check"]
  readonly offer: Effect.Success<ReturnType<typeof Offering.make>>
  readonly read: Effect.Success<ReturnType<typeof Reading.make>>
}

/** An offer of a token. */
export interface TokenOffer extends Pick<Offering.Offer, "order" | "quote"> {
  readonly fees: OrderFees
  readonly tokenIn: PricedUnits
  /** Absent if the account runs the delegate already. */
  readonly authorization?: Pick<Authorization, "address" | "chainId" | "nonce">
}

/**
 * Makes `placeOf(chainId, request)`, which begins to screen the parties on a chain and to read the owner's account there, and issues the
 * nonces of the orders when the first token asks for its own, once for all tokens.
 */
const makePlace = Effect.gen(function* () {
  const chains = yield* Chains
  const issueNonces = yield* OrderNonces.makeIssue
  const readAccount = yield* Reading.makeAccount
  const screening = yield* Screening

  // Forked in the request's fiber, so that the time limit of no token interrupts what the others wait for.
  return Effect.fnUntraced(function* (chainId: ChainId, request: SweepQuotesRequest) {
    const client = yield* chains.get(chainId)
    const account = yield* Effect.forkChild(readAccount(client, request))
    const cleared = yield* Effect.forkChild(screening.clear(chainId, [request.owner, request.destination]))
    const tokens = request.tokens.filter((token) => token.chainId === chainId)
    const wanted = yield* Deferred.make<void>()
    // Together, since the store issues nonces to an owner one after another. It keeps a row of each owner for ever, so an owner that is
    // listed, or has nothing to sweep, gets none.
    const nonces = yield* Effect.forkChild(
      Effect.andThen(
        Effect.andThen(Deferred.await(wanted), Fiber.join(cleared)),
        issueNonces(client, request.owner, tokens.length)
      )
    )
    return {
      client,
      account: Fiber.join(account),
      cleared: Fiber.join(cleared),
      /** Nonce of the order of one of the tokens. Issues the nonces, so it is for a token that passed its checks. */
      nonceOf: (token: SweepToken) =>
        Effect.andThen(
          Deferred.succeed(wanted, undefined),
          Effect.map(Fiber.join(nonces), (issued) => issued[tokens.indexOf(token)])
        )
    }
  })
})

type Place = Effect.Success<ReturnType<Effect.Success<typeof makePlace>>>

/** Parts of the quotes that are the same for all tokens. */
interface Shared {
  readonly times: Offering.Times
  readonly output: Reading.Shared["output"]
}

/** Makes `quoteToken(place, request, token, shared)`. */
const makeToken = Effect.fnUntraced(function* ({ check, offer, read }: Steps) {
  const contracts = yield* SweepContracts

  const balanceOf = (client: ChainClient, { owner }: SweepQuotesRequest, { token }: SweepToken) =>
    isNative(token) ? client.balance(owner) : contracts.balanceOf(client, token, owner, "latest")

  const routedOf = (
    request: SweepQuotesRequest,
    { maxNetworkFee, tier = "tier1", token }: SweepToken,
    amountIn: bigint
  ): QuoteRequest => {
    const { tokens: _tokens, ...common } = request
    const limit = maxNetworkFee === undefined ? {} : { maxNetworkFee }
    return { ...common, ...limit, tokenIn: token, amountIn, tier }
  }

  return Effect.fnUntraced(function* (
    { account, cleared, client, nonceOf }: Place,
    request: SweepQuotesRequest,
    token: SweepToken,
    { output, times }: Shared
  ) {
    const balance = yield* Effect.forkChild(balanceOf(client, request, token))
    const amountIn = token.amount === "max" ? yield* Fiber.join(balance) : token.amount
    const routed = routedOf(request, token, amountIn)
    yield* check(client, routed)
    // An explicit amount is read beside the balance. All of nothing is not read.
    if (token.amount === "max") yield* requireBalance(amountIn, amountIn)
    const reading = yield* read(client, routed, times.deadline, { account, output })
    yield* requireBalance(yield* Fiber.join(balance), amountIn)
    // Nothing is simulated or stored before.
    yield* cleared
    yield* reading.all
    const { fees, offer: made, terms } = yield* offer(reading, routed, times, yield* nonceOf(token))
    return {
      quote: made.quote,
      order: made.order,
      fees,
      tokenIn: { usd: terms.usd.tokenUsd, decimals: terms.profile.decimals },
      ...(terms.isDelegated ? {} : { authorization: made.signing.authorization })
    } satisfies TokenOffer
  })
})

const requireBalance = (held: bigint, amountIn: bigint) =>
  held > 0n && held >= amountIn
    ? Effect.void
    : Effect.fail(new QuoteFailed({ reason: "insufficient_balance", detail: `the owner holds ${held} of ${amountIn}` }))

/**
 * Makes `quoteEach(request, times, output, network)`, which quotes the tokens side by side. Outcomes are in the order of the tokens, and none depends on
 * another. Fails only if a party is listed.
 */
export const make = Effect.fnUntraced(function* (steps: Steps) {
  const placeOf = yield* makePlace
  const quoteToken = yield* makeToken(steps)
  const turns = yield* RequestTurns

  return Effect.fnUntraced(function* (
    request: SweepQuotesRequest,
    times: Offering.Times,
    output: Shared["output"],
    network: string | undefined
  ) {
    const { destChainId, owner, tokenOut } = request
    const chainIds = [...new Set(request.tokens.map(({ chainId }) => chainId))]
    const begun = yield* Effect.forEach(chainIds, (chainId) => Effect.result(placeOf(chainId, request)))
    const places = new Map(chainIds.map((chainId, index) => [chainId, begun[index]]))
    const outcomes = yield* Effect.forEach(
      request.tokens,
      (token) => {
        const place = places.get(token.chainId)
        return place === undefined
          ? Effect.die(new Error(`chain ${token.chainId} has no place`))
          : Effect.flatMap(Effect.fromResult(place), (at) => quoteToken(at, request, token, { output, times })).pipe(
              turns.take({
                owner,
                swaps: [{ tokenIn: token.token, tokenOut, destChainId }],
                network
              }),
              asQuoteFailed,
              limited
            )
      },
      { concurrency: "unbounded" }
    )
    yield* Effect.forEach(begun, (place) => (Result.isSuccess(place) ? refuseListed(place.success) : Effect.void))
    return outcomes
  })
})

/** Also a token that was refused for another reason has screened its parties. */
const refuseListed = ({ cleared }: Place) =>
  Effect.catchTag(cleared, "ScreeningBlocked", (blocked) =>
    blocked.cause === "listed" ? Effect.fail(blocked) : Effect.void
  )

/** Ends the quote of a token in time. A defect is logged, and fails this token alone. */
const limited = <A>(quote: Effect.Effect<A, Failure>) =>
  quote.pipe(
    Effect.catchDefect((defect) =>
      Effect.andThen(Effect.logError("quote.failed", defect), Effect.fail(late("the quote failed unexpectedly")))
    ),
    within(LIMIT_MILLIS),
    Effect.flatMap(
      Option.match({ onNone: () => Effect.fail(late(`no quote within ${LIMIT_MILLIS} ms`)), onSome: Effect.succeed })
    ),
    Effect.result
  )

const late = (detail: string) => new QuoteFailed({ reason: "upstream_unavailable", detail })
