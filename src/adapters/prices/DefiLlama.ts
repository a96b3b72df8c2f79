/**
 * {@link Prices} from DefiLlama's free price API, `GET /prices/current/{chain:address,…}`. A price is used only if it is
 * recent, has a high confidence, and its token has the expected decimals. Otherwise the token has no price.
 */
import { Array, BigDecimal, Clock, Duration, Effect, Layer, Option, Ref, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type PricedToken, Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as Exchange from "../http/Exchange.ts"
import * as Budget from "../providers/Budget.ts"
import * as DisplayReads from "./DisplayReads.ts"
import * as PriceCache from "./PriceCache.ts"

export const NAME = "defillama"

export interface Options {
  readonly baseUrl?: string
  readonly timeout?: Duration.Input
  readonly cacheLifetime?: Duration.Input
}

/** DefiLlama's names of chains that are not built in. The chains file may name others. */
const SLUGS: Readonly<Record<ChainId, string>> = { 43114: "avax" }

const slugOf = ({ id, priceSlug }: Pick<Chain.Chain, "id" | "priceSlug">): string | undefined => priceSlug ?? SLUGS[id]

/** True if DefiLlama's name of the chain is known. */
export const serves = (chain: Pick<Chain.Chain, "id" | "priceSlug">): boolean => slugOf(chain) !== undefined

/** Maximum number of tokens in one call. */
const KEYS_PER_CALL = 40

const MIN_CONFIDENCE = 0.9
const MAX_AGE = Duration.hours(1)

/** Leaves time for other sources within the limit of a read for users. */
const TIMEOUT = Duration.seconds(1)

/** Pause after a 429, from `Retry-After` within bounds. */
const DEFAULT_PAUSE = Duration.seconds(30)
const MAX_PAUSE = Duration.minutes(5)

/** Requests for the display of unlisted tokens, so that these draw no 429 with a pause that quotes would share. */
const DISPLAY_BUDGET: Budget.Budget = { requests: 300, per: "1 minute" }

const SCALE = 18

/** A decimal number of bounded length. Prices may be as small as 1e-30. */
const DECIMAL = /^[0-9]{1,30}(?:\.[0-9]{1,60})?(?:[eE][+-]?[0-9]{1,2})?$/

/** Converts dollars as text to dollars scaled by 10^18, rounded down. None if it is not a price or rounds to 0. */
export const parsePrice = (text: string): Option.Option<UsdPrice> =>
  Option.liftPredicate(text, (candidate) => DECIMAL.test(candidate)).pipe(
    Option.flatMap(BigDecimal.fromString),
    Option.map((dollars) => BigDecimal.scale(dollars, SCALE).value),
    Option.filter((scaled) => scaled > 0n)
  )

const Coin = Schema.Struct({
  /** The digits of the number as written, see {@link exactPrice}. */
  price: Schema.String,
  /** UNIX seconds. */
  timestamp: Schema.Finite,
  confidence: Schema.optionalKey(Schema.Finite),
  decimals: Schema.optionalKey(Schema.Finite)
})

/** Keeps the digits of a price as written, because a double would round them. */
const exactPrice = (key: string, value: unknown, context?: { readonly source?: string }): unknown =>
  key === "price" && typeof value === "number" ? context?.source : value

/** Coins are decoded one by one, so that one malformed coin does not discard the others. */
const readCoins = Exchange.json(Schema.Struct({ coins: Schema.Record(Schema.String, Schema.Unknown) }), exactPrice)
const decodeCoin = Schema.decodeUnknownOption(Coin)

const usable = (coin: typeof Coin.Type, decimals: number, nowMillis: number): boolean =>
  (coin.confidence ?? 0) >= MIN_CONFIDENCE &&
  (coin.decimals ?? decimals) === decimals &&
  Math.abs(nowMillis - coin.timestamp * 1000) <= Duration.toMillis(MAX_AGE)

const pauseOf = (response: HttpClientResponse.HttpClientResponse): number => {
  const told = Number(response.headers["retry-after"] ?? "")
  const millis = Number.isFinite(told) && told > 0 ? told * 1000 : Duration.toMillis(DEFAULT_PAUSE)
  return Math.min(millis, Duration.toMillis(MAX_PAUSE))
}

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains
  const client = yield* HttpClient.HttpClient
  const pausedUntil = yield* Ref.make(0)
  const baseUrl = options.baseUrl ?? "https://coins.llama.fi"
  const timeout = options.timeout ?? TIMEOUT
  const displayBudget = yield* Budget.make(NAME, DISPLAY_BUDGET)

  const unavailable = (detail: string) => new PricesUnavailable({ detail: `DefiLlama: ${detail}` })

  const fetchCoins = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
    const now = yield* Clock.currentTimeMillis
    if (now < (yield* Ref.get(pausedUntil))) return yield* unavailable("rate limited")
    if (yield* DisplayReads.isDisplay) yield* displayBudget
    const request = HttpClientRequest.get(`/prices/current/${keys.join(",")}`).pipe(
      HttpClientRequest.prependUrl(baseUrl),
      HttpClientRequest.acceptJson
    )
    return yield* Exchange.exchange(client, request, timeout, (response) => {
      if (response.status === 200) return readCoins(response)
      const failure = Effect.fail(Exchange.unexpected(response))
      return response.status === 429 ? Effect.andThen(Ref.set(pausedUntil, now + pauseOf(response)), failure) : failure
    }).pipe(Effect.catchTag("ExchangeFailed", (error) => Effect.fail(unavailable(error.message))))
  })

  const readAll = Effect.fnUntraced(function* (slug: string, chain: Chain.Chain, tokens: ReadonlyArray<PricedToken>) {
    const keyed = tokens.map((token) => ({
      token,
      key: `${slug}:${Chain.erc20(chain, token.address)}`.toLowerCase()
    }))
    const answers = yield* Effect.forEach(
      Array.chunksOf(Array.dedupe(keyed.map(({ key }) => key)), KEYS_PER_CALL),
      fetchCoins
    )
    const now = yield* Clock.currentTimeMillis
    const coins = new Map(
      answers.flatMap((answer) => Object.entries(answer.coins)).map(([key, coin]) => [key.toLowerCase(), coin])
    )
    const prices = new Map<Address.Address, UsdPrice>()
    for (const { key, token } of keyed) {
      decodeCoin(coins.get(key)).pipe(
        Option.filter((coin) => usable(coin, token.decimals, now)),
        Option.flatMap((coin) => parsePrice(coin.price)),
        Option.map((price) => prices.set(token.address, price))
      )
    }
    return prices
  })

  const lookup: PriceCache.Lookup = Effect.fn("DefiLlama.lookup")(function* (chainId, tokens) {
    const { chain } = yield* Effect.mapError(chains.get(chainId), (error) => unavailable(error.message))
    const slug = slugOf(chain)
    if (slug === undefined) return yield* unavailable(`chain ${chainId} has no \`priceSlug\` in the chains file`)
    return yield* Effect.catchTag(
      DisplayReads.read(chain, tokens, (some) => readAll(slug, chain, some)),
      "ProviderUnavailable",
      ({ detail }) => Effect.fail(unavailable(detail))
    )
  })

  return yield* PriceCache.make(NAME, lookup, options.cacheLifetime ?? Duration.seconds(15))
})

export const layer = (options?: Options) => Layer.effect(Prices, make(options))
