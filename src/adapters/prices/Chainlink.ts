/**
 * {@link Prices} from Chainlink's feeds on the chain, which the chains file names. A price older than its feed's heartbeat is not
 * used, and neither is one that is not positive.
 */
import { Array, Clock, Duration, Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { PriceFeed } from "../../domain/PriceFacts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as PriceCache from "./PriceCache.ts"

export const NAME = "chainlink"

const abi = parseAbi([
  "function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)",
  "function decimals() view returns (uint8)"
])

/** Updates are transactions, which may take a while to be included: a tenth of the heartbeat, at least a minute. */
const graceSeconds = (heartbeat: number): number => Math.max(60, heartbeat / 10)

/** Decimals of a price in {@link UsdPrice}. Feeds have 8, and some have 18. */
const SCALE = 18

const READS = [
  encodeFunctionData({ abi, functionName: "latestRoundData" }),
  encodeFunctionData({ abi, functionName: "decimals" })
]

const decode = Option.liftThrowable((round: Hex, digits: Hex) => {
  const [, answer, , updatedAt] = decodeFunctionResult({ abi, functionName: "latestRoundData", data: round })
  return {
    answer,
    updatedAt: Number(updatedAt),
    decimals: decodeFunctionResult({ abi, functionName: "decimals", data: digits })
  }
})

/** Dollars scaled by 10^18; none if the round is old, not positive, or no round. */
const priceOf = (
  { heartbeatSeconds }: PriceFeed,
  round: Option.Option<Hex>,
  digits: Option.Option<Hex>,
  nowMillis: number
): Option.Option<UsdPrice> =>
  Option.all([round, digits]).pipe(
    Option.flatMap(([data, ofDecimals]) => decode(data, ofDecimals)),
    Option.filter(({ answer, decimals, updatedAt }) => {
      const age = nowMillis / 1_000 - updatedAt
      return answer > 0n && decimals <= SCALE && age <= heartbeatSeconds + graceSeconds(heartbeatSeconds)
    }),
    Option.map(({ answer, decimals }) => answer * 10n ** BigInt(SCALE - decimals))
  )

/** True if the chains file names feeds of the chain. */
export const serves = ({ priceFeeds = [] }: Pick<Chain.Chain, "priceFeeds">): boolean => priceFeeds.length > 0

/** The source by the feeds of the configured chains. A chain without feeds has no price. */
export const make = Effect.fnUntraced(function* (cacheLifetime: Duration.Input = Duration.seconds(15)) {
  const chains = yield* Chains
  const unavailable = (detail: string) => new PricesUnavailable({ detail: `Chainlink: ${detail}` })

  const lookup: PriceCache.Lookup = Effect.fn("Chainlink.lookup")(function* (chainId, tokens) {
    const client = yield* Effect.mapError(chains.get(chainId), (error) => unavailable(error.message))
    const { chain } = client
    const asked = tokens.flatMap(({ address }) =>
      (chain.priceFeeds ?? [])
        .filter(({ token }) => Chain.erc20(chain, token) === Chain.erc20(chain, address))
        .map((feed) => ({ address, feed }))
    )
    if (asked.length === 0) return new Map<Address.Address, UsdPrice>()
    const answers = yield* Multicall3.read(
      client,
      asked.flatMap(({ feed }) => READS.map((data) => ({ to: feed.feed, data })))
    ).pipe(Effect.mapError((error) => unavailable(error.message)))
    const now = yield* Clock.currentTimeMillis
    return new Map(
      Array.zip(asked, Array.chunksOf(answers, READS.length)).flatMap(([{ address, feed }, [round, digits]]) =>
        Option.toArray(priceOf(feed, round ?? Option.none(), digits ?? Option.none(), now)).map(
          (price) => [address, price] as const
        )
      )
    )
  })

  return yield* PriceCache.make(NAME, lookup, cacheLifetime)
})
