/** Decides which exchange sells a fee (VenueSales.ts), by what the exchanges answered. */
import { Array, Option, Result } from "effect"
import { identity } from "effect/Function"
import { RoutingUnavailable, type SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { Offer } from "./SaleRehearsal.ts"

export interface BoundedOffer extends Offer {
  readonly atMost: bigint
  /** Failure of exchanges that did not answer, and may pay more. Absent if each answered. */
  readonly unanswered?: ChainUnavailable
}

/** Part of the present output that the exchange must have paid before. */
const PAST_PART = 2n

/** An exchange, or the node that reads it, did not answer. */
type Silence = ChainUnavailable | RoutingUnavailable

/** The offer of an exchange; none if it does not count. A failure is that the exchange did not answer. */
type Offered = Result.Result<Option.Option<BoundedOffer>, Silence>

export type Offers = ReadonlyArray<Offered>

/** An exchange that does not count. */
const NONE: Offered = Result.succeed(Option.none())

/** The offer of an exchange as it was found out. */
export interface Heard {
  readonly offered: Offered
  /** True if the exchange answered about its present route. */
  readonly isAnswered: boolean
}

/** An exchange that does not count, whatever it would answer. */
export const UNASKED: Heard = { offered: NONE, isAnswered: false }

/** Exchanges whose routers the guard may list or not, since its list could not be read. */
export const unread = (exchanges: ReadonlyArray<string>): Heard => ({
  offered: Result.fail(
    new RoutingUnavailable({ provider: exchanges.join(", "), detail: "the guard's list of routers could not be read" })
  ),
  isAnswered: false
})

/** An exchange's answers about a sale. A failure is that it did not answer. */
export interface Answers {
  /** Its route of the sale now. */
  readonly found: Answer<SwapRoute>
  /** Output of the whole sale now, if that is a larger one. */
  readonly whole: Answer<bigint>
  /** Outputs of the whole sale in the earlier blocks. */
  readonly before: Answer<ReadonlyArray<bigint>>
}

/** None: the exchange has no route. */
type Answer<A> = Result.Result<Option.Option<A>, Silence>

const isNone = <A>(answer: Answer<A>): boolean => Result.isSuccess(answer) && Option.isNone(answer.success)

/** The outputs in all earlier blocks. None if one of them has none, whatever is not answered. */
export const earlierOf = (outputs: ReadonlyArray<Answer<bigint>>): Answer<ReadonlyArray<bigint>> =>
  outputs.some(isNone) ? Result.succeed(Option.none()) : Result.map(Result.all(outputs), (all) => Option.all(all))

/**
 * The sale by an exchange, if that counts. Fails if an answer that decides this is missing. `share`: part of the whole sale's output that the
 * sale counts for. Undefined: nothing is to be sold beside it.
 */
export const offerBy = (
  { before, found, whole }: Answers,
  share: ((output: bigint) => bigint) | undefined
): Offered => {
  if (isNone(found) || isNone(before) || (share !== undefined && isNone(whole))) return NONE
  return Result.map(Result.all([found, whole, before]), ([route, paid, earlier]) =>
    Option.flatMap(Option.all([route, earlier]), ([{ amountOut, calldata, target: router }, outputs]) => {
      const now = share === undefined ? amountOut : share(Option.getOrElse(paid, () => 0n))
      const least = [now, ...outputs.map(share ?? identity)].reduce((a, b) => (a < b ? a : b))
      return least > 0n && least * PAST_PART >= now ? Option.some({ router, calldata, atMost: least }) : Option.none()
    })
  )
}

const better = (best: Option.Option<BoundedOffer>, offer: Option.Option<BoundedOffer>): Option.Option<BoundedOffer> =>
  Option.isNone(offer) || Option.exists(best, ({ atMost }) => atMost >= offer.value.atMost) ? best : offer

const silenceOf = (
  { chain }: Pick<ChainClient, "chain">,
  silent: ReadonlyArray<Silence>
): ChainUnavailable | undefined =>
  silent.length === 0
    ? undefined
    : new ChainUnavailable({
        chainId: chain.id,
        method: "eth_call",
        detail: `no exchange that answers pays enough for the fee, and some did not answer: ${silent.map(({ message }) => message).join("; ")}`
      })

/** The offer that counts for most. Fails without one if an exchange did not answer, since that one may pay for the fee. */
export const bestOf = (
  client: Pick<ChainClient, "chain">,
  offers: Offers
): Result.Result<Option.Option<BoundedOffer>, ChainUnavailable> => {
  const [answered, silent] = Array.separate(offers)
  const best = answered.reduce(better, Option.none())
  const unanswered = silenceOf(client, silent)
  if (unanswered === undefined) return Result.succeed(best)
  return Option.match(best, {
    onNone: () => Result.fail(unanswered),
    onSome: (offer) => Result.succeedSome({ ...offer, unanswered })
  })
}
