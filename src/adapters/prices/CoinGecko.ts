/**
 * {@link Prices} from CoinGecko with an API key: `/simple/token_price/{platform}` for tokens that it lists, and the prices of the deepest
 * pools (`/onchain`) for the others. A price is used only if it is recent, or its pools are deep.
 */
import { Array, Clock, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { type PricedToken, Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Answer from "../providers/Answer.ts"
import * as Provider from "../providers/Provider.ts"
import { parsePrice } from "./DefiLlama.ts"
import * as DisplayReads from "./DisplayReads.ts"
import * as PriceCache from "./PriceCache.ts"

export const NAME = "coingecko"

export interface Options {
  readonly apiKey: Redacted.Redacted
  /** Default: the paid API. Keys of the demo plan need `https://api.coingecko.com/api/v3`. */
  readonly baseUrl?: string
  readonly cacheLifetime?: Duration.Input
}

interface Slugs {
  readonly platform: string
  readonly network: string
}

/** CoinGecko's names of chains, for listed tokens and for pools. */
const SLUGS: Readonly<Record<ChainId, Slugs>> = {
  1: { platform: "ethereum", network: "eth" },
  10: { platform: "optimistic-ethereum", network: "optimism" },
  56: { platform: "binance-smart-chain", network: "bsc" },
  137: { platform: "polygon-pos", network: "polygon_pos" },
  8453: { platform: "base", network: "base" },
  42161: { platform: "arbitrum-one", network: "arbitrum" }
}

/** True if CoinGecko's name of the chain is known. */
export const serves = (chainId: ChainId): boolean => SLUGS[chainId] !== undefined

/** Maximum number of tokens in one call of each kind. */
const LISTED_PER_CALL = 50
const POOLED_PER_CALL = 30

const MAX_AGE = Duration.hours(1)

/** Time limit of all calls of one lookup. Leaves time for other sources within the limit of a read for users. */
const LIMIT_MILLIS = 1_000

/** US dollars in a token's deepest pool. */
const MIN_RESERVE_USD = 50_000

/** Unlisted tokens that are kept until their pools are asked for. */
const UNLISTED_CAPACITY = 10_000

const unlistedKey = (network: string, key: string): string => `${network} ${key}`

const DEMO_HOST = "api.coingecko.com"

/** Keeps the digits of a price as written, because a double would round them. */
const exactPrice: Answer.JsonReviver = (key, value, context) =>
  key === "usd" && typeof value === "number" ? context?.source : value

const readListed = Answer.json(Schema.Record(Schema.String, Schema.Unknown), exactPrice)
const decodeListed = Schema.decodeUnknownOption(
  Schema.Struct({
    usd: Schema.String,
    /** UNIX seconds. */
    last_updated_at: Schema.Finite
  })
)

const Texts = Schema.Record(Schema.String, Schema.NullOr(Schema.String))
const readPooled = Answer.json(
  Schema.Struct({
    data: Schema.Struct({
      attributes: Schema.Struct({ token_prices: Texts, total_reserve_in_usd: Schema.optionalKey(Texts) })
    })
  })
)

const lowerKeys = <A>(record: Readonly<Record<string, A>>): ReadonlyMap<string, A> =>
  new Map(Object.entries(record).map(([key, value]) => [key.toLowerCase(), value]))

/** Makes `listed(platform, addresses)` and `pooled(network, addresses)`: prices by lower-case address. */
const makeRequests = Effect.fnUntraced(function* (options: Options) {
  const baseUrl = options.baseUrl ?? "https://pro-api.coingecko.com/api/v3"
  const header = new URL(baseUrl).host === DEMO_HOST ? "x-cg-demo-api-key" : "x-cg-pro-api-key"
  const provider = yield* Provider.make({
    name: NAME,
    baseUrl,
    headers: { [header]: Redacted.value(options.apiKey) },
    deadline: LIMIT_MILLIS,
    budget: { requests: 30, per: "10 seconds", reservedFor: "quote" }
  })

  const ask = <A>(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (answer: Answer.Answer) => Effect.Effect<A, ReturnType<typeof Answer.unexpected>>
  ) =>
    provider.ask(HttpClientRequest.get(path).pipe(HttpClientRequest.setUrlParams(query)), (answer) =>
      answer.status === 200 ? read(answer) : Effect.fail(Answer.unexpected(answer))
    )

  const listed = Effect.fnUntraced(function* (platform: string, addresses: ReadonlyArray<string>) {
    const body = yield* ask(
      `/simple/token_price/${platform}`,
      {
        contract_addresses: addresses.join(","),
        vs_currencies: "usd",
        include_last_updated_at: "true",
        precision: "full"
      },
      readListed
    )
    const now = yield* Clock.currentTimeMillis
    return Array.fromIterable(lowerKeys(body)).flatMap(([address, coin]) =>
      decodeListed(coin).pipe(
        Option.filter(({ last_updated_at }) => Math.abs(now - last_updated_at * 1_000) <= Duration.toMillis(MAX_AGE)),
        Option.flatMap(({ usd }) => parsePrice(usd)),
        Option.map((price) => [address, price] as const),
        Option.toArray
      )
    )
  })

  const pooled = Effect.fnUntraced(function* (network: string, addresses: ReadonlyArray<string>) {
    const { data } = yield* ask(
      `/onchain/simple/networks/${network}/token_price/${addresses.join(",")}`,
      { include_total_reserve_in_usd: "true" },
      readPooled
    )
    const reserves = lowerKeys(data.attributes.total_reserve_in_usd ?? {})
    return Array.fromIterable(lowerKeys(data.attributes.token_prices)).flatMap(([address, text]) =>
      Option.fromNullishOr(text).pipe(
        Option.filter(() => Number(reserves.get(address) ?? 0) >= MIN_RESERVE_USD),
        Option.flatMap(parsePrice),
        Option.map((price) => [address, price] as const),
        Option.toArray
      )
    )
  })

  return { listed, pooled }
})

/**
 * Tokens that are not listed, and whose pools are still to be asked for. The next lookup asks for the pools alone. Otherwise each retry
 * would spend a request before its request for the pools is refused, and a spent budget would stay spent.
 */
const makeUnlisted = (lifetimeMillis: number) => {
  const untilMs = LatestMap.make<string, number>(UNLISTED_CAPACITY)
  /** A longer time than the lifetime is left only after the clock was set back. */
  const has = (key: string, now: number) => {
    const leftMillis = (untilMs.get(key) ?? 0) - now
    return leftMillis > 0 && leftMillis <= lifetimeMillis
  }
  return {
    has,
    /** Does not extend the time of those that are kept. */
    keep: (keys: ReadonlyArray<string>, now: number) => {
      for (const key of keys.filter((each) => !has(each, now))) untilMs.set(key, now + lifetimeMillis)
    }
  }
}

export const make = Effect.fnUntraced(function* (options: Options) {
  const chains = yield* Chains
  const { listed, pooled } = yield* makeRequests(options)
  const lifetime = Duration.fromInputUnsafe(options.cacheLifetime ?? Duration.seconds(30))
  const unlisted = makeUnlisted(Duration.toMillis(lifetime))

  /** Prices by pools. A request that fails, or for which there is no time left, does not discard the prices that are known. */
  const pools = Effect.fnUntraced(function* (network: string, keys: ReadonlyArray<string>, untilMs: number) {
    const all = (reading: DisplayReads.Reading) => keys.map((key) => [key, reading] as const)
    const now = yield* Clock.currentTimeMillis
    const unsent = (reading: DisplayReads.Reading) => {
      unlisted.keep(
        keys.map((key) => unlistedKey(network, key)),
        now
      )
      return all(reading)
    }
    if (untilMs <= now) return unsent("failed")
    const isForDisplay = yield* DisplayReads.isDisplay
    return yield* pooled(network, keys).pipe(
      Effect.timeout(untilMs - now),
      Effect.catch((error) =>
        Effect.sync(() => {
          if (!DisplayReads.isRefusal(error)) return all("failed")
          return unsent(isForDisplay ? "skipped" : "failed")
        })
      )
    )
  })

  const readAll = Effect.fnUntraced(function* (
    { network, platform }: Slugs,
    chain: Chain.Chain,
    tokens: ReadonlyArray<PricedToken>
  ) {
    const begun = yield* Clock.currentTimeMillis
    const keyed = tokens.map(({ address }) => ({ address, key: Chain.erc20(chain, address).toLowerCase() }))
    const keys = Array.dedupe(keyed.map(({ key }) => key))
    const asked = keys.filter((key) => !unlisted.has(unlistedKey(network, key), begun))
    const first = yield* Effect.forEach(Array.chunksOf(asked, LISTED_PER_CALL), (some) => listed(platform, some))
    const known = new Map(first.flat())
    const rest = keys.filter((key) => !known.has(key))
    // The prices of listed tokens do not depend on those of the others.
    const others = yield* Effect.forEach(Array.chunksOf(rest, POOLED_PER_CALL), (some) =>
      pools(network, some, begun + LIMIT_MILLIS)
    )
    const prices = new Map<string, DisplayReads.Reading>([...others.flat(), ...known])
    return new Map<Address.Address, DisplayReads.Reading>(
      keyed.flatMap(({ address, key }) => {
        const price = prices.get(key)
        return price === undefined ? [] : [[address, price] as const]
      })
    )
  })

  const lookup: PriceCache.Lookup = Effect.fn("CoinGecko.lookup")(
    function* (chainId, tokens) {
      const slugs = SLUGS[chainId]
      if (slugs === undefined) return new Map()
      const { chain } = yield* chains.get(chainId)
      return yield* DisplayReads.read(chain, tokens, (some) => readAll(slugs, chain, some))
    },
    Effect.mapError((error) => new PricesUnavailable({ detail: error.message }))
  )

  return yield* PriceCache.make(NAME, lookup, lifetime)
})

export const layer = (options: Options) => Layer.effect(Prices, make(options))
