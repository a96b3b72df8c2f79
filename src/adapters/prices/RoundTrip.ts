/**
 * Price of a token on Uniswap v3 by a round trip of a fixed value: buy the token, then sell the bought amount, each over the
 * best pool. It works for any price and any decimals, and detects pools that have no sound price:
 *
 * - in a thin pool, price impact makes the trip end with much less than it began;
 * - if one of several pools was manipulated, the trip ends with more than it began.
 *
 * Both quotes run on the same state, so the second does not undo the price impact of the first. A deep pool whose price is
 * wrong for a whole block goes undetected. That is acceptable, because these prices are used for the network fee and the
 * portfolio, and never for a minimum output.
 *
 * `contracts/src/simulation/RoundTrips.sol` makes the trips, in one `eth_call`.
 */
import { Effect, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { roundTrips } from "../evm/abi/simulation.generated.ts"

/** Every fee tier of Uniswap v3, in hundredths of a basis point. */
const FEES = [100, 500, 3_000, 10_000]

/** Account that has the contract's code during the call. No token can know it as a holder. */
const STAGE = Address.of("0x000000000000000000000000000000000000dEaD")

/** A token that pays for others: its amount at the start of a trip, and the value of that amount in the stable's smallest unit. */
export interface Money {
  readonly token: Address.Address
  readonly amount: bigint
  readonly worth: bigint
}

/** Amount of the token in the middle of the trip, and amount of the stable at its end, in its smallest unit. */
export interface Trip {
  readonly bought: bigint
  readonly returned: bigint
}

export interface Journey {
  readonly quoter: Address.Address
  readonly stable: Money
  /** The wrapped native currency. An amount of 0 is measured first, by a trip of the stable. The zero address if it pays for nothing. */
  readonly native: Money
  /** Loss or gain of that trip up to which the native currency pays for tokens, too. */
  readonly toleranceBps: bigint
  /** Tokens that are bought with the stable only. */
  readonly stables: ReadonlyArray<Address.Address>
  /** Tokens that are bought with the better of the two. */
  readonly tokens: ReadonlyArray<Address.Address>
}

export interface Trips {
  /** None if the native currency was not measured. */
  readonly native: Option.Option<Trip>
  readonly stables: ReadonlyArray<Option.Option<Trip>>
  readonly tokens: ReadonlyArray<Option.Option<Trip>>
}

const decode = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi: roundTrips.abi, functionName: "run", data })
)

/** A token without a pool has no trip. */
const made = (trip: Trip): Option.Option<Trip> => (trip.returned === 0n ? Option.none() : Option.some(trip))

/** Makes all trips on the latest state, in one call. Results are in the order of the tokens. */
export const travel = Effect.fn("RoundTrip.travel")(function* (client: ChainClient, journey: Journey) {
  const unusable = (detail: string) => new ChainUnavailable({ chainId: client.chain.id, method: "eth_call", detail })
  const data = encodeFunctionData({ abi: roundTrips.abi, functionName: "run", args: [{ ...journey, fees: FEES }] })
  const answer = yield* client
    .call({
      to: STAGE,
      data,
      block: "latest",
      codeOverrides: [{ address: STAGE, code: roundTrips.runtimeCode }]
    })
    .pipe(Effect.catchTag("CallReverted", ({ message }) => Effect.fail(unusable(message))))
  const [native, stables, tokens] = yield* Effect.mapError(Effect.fromOption(decode(answer)), () =>
    unusable("the node does not run a call with a state override")
  )
  return { native: made(native), stables: stables.map(made), tokens: tokens.map(made) } satisfies Trips
})
