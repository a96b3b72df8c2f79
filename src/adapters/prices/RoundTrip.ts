/**
 * Reads the Uniswap v3 pools of tokens, in one `eth_call` of `contracts/src/simulation/RoundTrips.sol`. In each pool it buys the
 * token for a fixed value and sells it again, so that the price is what a sale really pays, whatever the decimals. A larger sale
 * shows the depth, and the pool's observations its mean price and its age.
 */
import { Effect } from "effect"
import { encodeFunctionData, prepareEncodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import type { PoolReading } from "../../domain/PriceReadings.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { roundTrips } from "../evm/abi/simulation.generated.ts"
import * as RoundTripAnswer from "./RoundTripAnswer.ts"

/** Every fee tier of Uniswap v3, in hundredths of a basis point. */
const FEES = [100, 500, 3_000, 10_000]

/** Seconds of the time-weighted readings. */
export const WINDOW_SECONDS = 600

/** Account that has the contract's code during the call. No token can know it as a holder. */
const STAGE = Address.of("0x000000000000000000000000000000000000dEaD")

/** A token that pays for others, with its amount at the start of a trip. */
export interface Money {
  readonly token: Address.Address
  readonly amount: bigint
}

/** A pool that trades, with its measurements. */
export interface PoolTrip extends PoolReading {
  readonly pool: Address.Address
  /** Token that the pool pays with. */
  readonly money: Address.Address
  /** Hundredths of a basis point. */
  readonly fee: number
  /** True if the pool's observations reach back over the window. Otherwise the means are the current values. */
  readonly hasMean: boolean
  /** UNIX seconds of the oldest observation that the pool still has. It was initialized then, or earlier. */
  readonly oldest: number
}

export interface Journey {
  readonly quoter: Address.Address
  readonly stable: Money
  /** The wrapped native currency. An amount of 0 is measured first, by a trip of the stable over the deepest pool. */
  readonly native: Money
  /** Tokens that are bought with the stable only. */
  readonly stables: ReadonlyArray<Address.Address>
  /** Tokens that are bought with both. */
  readonly tokens: ReadonlyArray<Address.Address>
}

export interface Trips {
  /** UNIX seconds of the block. */
  readonly time: number
  /** Amount of the native currency at the start of its trips. 0 if it has no pool. */
  readonly nativeAmount: bigint
  /** Pools of the native currency. Empty if its amount was known. */
  readonly native: ReadonlyArray<PoolTrip>
  readonly stables: ReadonlyArray<ReadonlyArray<PoolTrip>>
  readonly tokens: ReadonlyArray<ReadonlyArray<PoolTrip>>
}

/** A pool's tick is the logarithm of the price of the token with the lower address. */
const tripOf = (token: Address.Address, reading: RoundTripAnswer.Reading): PoolTrip => {
  const { money, pool } = reading
  const direction = BigInt(token) < BigInt(money) ? 1 : -1
  return {
    pool,
    money,
    fee: reading.fee,
    bought: reading.bought,
    returned: reading.returned,
    depth: reading.depth,
    tick: direction * reading.tick,
    meanTick: direction * reading.meanTick,
    liquidity: reading.liquidity,
    meanLiquidity: reading.meanLiquidity,
    hasMean: reading.hasMean,
    oldest: reading.oldest
  }
}

// With its selector, which viem would hash for every call.
const RUN = prepareEncodeFunctionData({ abi: roundTrips.abi, functionName: "run" })

/** Makes all trips on the state of a block, in one call. Results are in the order of the tokens. */
export const travel = Effect.fn("RoundTrip.travel")(function* (
  client: ChainClient,
  journey: Journey,
  block: bigint | "latest" = "latest"
) {
  const unusable = (detail: string) => new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })
  const data = encodeFunctionData({
    ...RUN,
    args: [{ ...journey, fees: FEES, window: WINDOW_SECONDS }]
  })
  const answer = yield* client
    .call({
      to: STAGE,
      data,
      block,
      codeOverrides: [{ address: STAGE, code: roundTrips.runtimeCode }]
    })
    .pipe(Effect.catchTag("CallReverted", ({ message }) => Effect.fail(unusable(message))))
  const { native, nativeAmount, stables, time, tokens } = yield* Effect.mapError(
    Effect.fromOption(RoundTripAnswer.decode(answer)),
    () => unusable("the node does not run a call with a state override")
  )
  const of = (
    priced: ReadonlyArray<Address.Address>,
    readings: ReadonlyArray<ReadonlyArray<RoundTripAnswer.Reading>>
  ) => priced.map((token, index) => (readings[index] ?? []).map((reading) => tripOf(token, reading)))
  return {
    time: Number(time),
    nativeAmount,
    native: native.map((reading) => tripOf(journey.native.token, reading)),
    stables: of(journey.stables, stables),
    tokens: of(journey.tokens, tokens)
  } satisfies Trips
})
