/** An operator's facts about the prices of one chain's tokens. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { NATIVE } from "./Token.ts"

/** A Chainlink feed of a token's price in US dollars. */
export const PriceFeed = Schema.Struct({
  /** Listed token, or the sentinel of the native currency, which stands for the wrapped one, too. */
  token: Address.NonZeroAddress,
  /** Proxy of the feed (AggregatorV3Interface). */
  feed: Address.NonZeroAddress,
  /** Time within which the feed is updated at the latest. An older price is not used. */
  heartbeatSeconds: Schema.Int.check(Schema.isGreaterThan(0))
})
export type PriceFeed = typeof PriceFeed.Type

/** Fields of a chain. All are optional. */
export const fields = {
  /** Chainlink feeds. Default: none. */
  priceFeeds: Schema.optionalKey(Schema.Array(PriceFeed)),
  /** Name of the chain in the addresses of DefiLlama, e.g. `base`. Absent: DefiLlama is not asked. */
  priceSlug: Schema.optionalKey(Schema.NonEmptyString),
  /** Minimum age of a pool that counts for prices. 0 allows new pools, as on a local network. Default: 86400. */
  minPoolAgeSeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
}

const PriceFacts = Schema.Struct(fields)
export type PriceFacts = typeof PriceFacts.Type

const DAY_SECONDS = 86_400

/** Age in seconds that a pool must have. */
export const minPoolAge = ({ minPoolAgeSeconds }: PriceFacts): number => minPoolAgeSeconds ?? DAY_SECONDS

/** The contradiction in a chain's price feeds, for its operator; undefined without one. */
export const objection = (
  chain: PriceFacts & { readonly tokens: ReadonlyArray<{ readonly address: Address.Address }> }
): string | undefined => {
  const { priceFeeds = [], tokens } = chain
  const unlisted = priceFeeds.find(({ token }) => token !== NATIVE && tokens.every(({ address }) => address !== token))
  if (unlisted !== undefined) return `priceFeeds: ${unlisted.token} is not on the chain's token list`
  const twice = priceFeeds.find(({ token }, index) => priceFeeds.findIndex((other) => other.token === token) !== index)
  return twice === undefined ? undefined : `priceFeeds: ${twice.token} has two feeds`
}
