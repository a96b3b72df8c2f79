/** Settings and payout rules of Across's SpokePools, read from the chains. */
import { Effect, Option } from "effect"
import { encodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import { accountCode } from "../../domain/Delegation.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

/** Name of the bridge in quotes and errors. */
export const PROVIDER = "across"

export const noRoute = (detail: string) => new NoRoute({ detail })

type Getter =
  | "depositQuoteTimeBuffer"
  | "fillDeadlineBuffer"
  | "pausedDeposits"
  | "pausedFills"
  | "wrappedNativeToken"
  | "getCurrentTime"

/** Reads up to four settings of a pool at the latest block, each as one word. An upgrade of the pool may change them. */
const settings = Effect.fnUntraced(function* (
  client: ChainClient,
  pool: Address.Address,
  getters: ReadonlyArray<Getter>
) {
  const reads = getters.map((functionName) => ({
    to: pool,
    data: encodeFunctionData({ abi: spokePoolAbi, functionName })
  }))
  const words = Option.all((yield* Multicall3.read(client, reads)).map(Multicall3.word))
  if (Option.isNone(words)) {
    return yield* new RoutingUnavailable({
      provider: PROVIDER,
      detail: `no SpokePool at ${pool} on ${client.chain.name}`
    })
  }
  const [first = 0n, second = 0n, third = 0n, fourth = 0n] = words.value
  return [first, second, third, fourth] as const
})

/** The chain's pool. */
export const spokePoolOf = ({ name, spokePool }: Chain.Chain) =>
  spokePool === undefined ? Effect.fail(noRoute(`Across is not configured on ${name}`)) : Effect.succeed(spokePool)

export interface PoolSettings {
  /** Chain times of the source and of the destination, in UNIX seconds. */
  readonly now: number
  readonly destinationNow: number
  /** Maximum age of a quote in seconds. */
  readonly quoteBuffer: number
  /** Maximum distance of a fill deadline in seconds. */
  readonly fillBuffer: number
  readonly isPaused: boolean
  /** The token that the destination's pool unwraps, as one word. */
  readonly wrappedNative: bigint
}

/** Reads the settings of both pools that a deposit has to respect. */
export const read = Effect.fnUntraced(function* (
  source: ChainClient,
  pool: Address.Address,
  destination: ChainClient,
  destinationPool: Address.Address
) {
  const [[quoteBuffer, fillBuffer, pausedDeposits, now], [pausedFills, wrappedNative, destinationNow]] =
    yield* Effect.all(
      [
        settings(source, pool, ["depositQuoteTimeBuffer", "fillDeadlineBuffer", "pausedDeposits", "getCurrentTime"]),
        settings(destination, destinationPool, ["pausedFills", "wrappedNativeToken", "getCurrentTime"])
      ],
      { concurrency: 2 }
    )
  return {
    now: Number(now),
    destinationNow: Number(destinationNow),
    quoteBuffer: Number(quoteBuffer),
    fillBuffer: Number(fillBuffer),
    isPaused: pausedDeposits !== 0n || pausedFills !== 0n,
    wrappedNative
  } satisfies PoolSettings
})

/** True if the payout of a request to the destination may be its wrapped native token, so that the recipient's code decides. */
export const mayUnwrap = ({ chain }: ChainClient, request: BridgeRequest): boolean =>
  Chain.erc20(chain, request.tokenOut) === chain.wrappedNative

/**
 * True if the recipient gets native currency though it asked for the wrapped native token. When a SpokePool pays out its wrapped native
 * token, it unwraps it for accounts without code and for delegated ones, and transfers the token to contracts
 * (`_unwrapwrappedNativeTokenTo`). Fails if the recipient asked for native currency and would not get it. `code` is that of the recipient.
 */
export const unwrapsUnasked = Effect.fnUntraced(function* (
  { chain }: ChainClient,
  request: BridgeRequest,
  poolsWrappedNative: bigint,
  code: Effect.Effect<Hex, ChainUnavailable>
) {
  const wanted = Chain.erc20(chain, request.tokenOut)
  const unwraps = BigInt(wanted) === poolsWrappedNative
  if (isNative(request.tokenOut) && !unwraps) {
    return yield* noRoute(`the SpokePool of ${chain.name} does not unwrap to ${chain.nativeSymbol}`)
  }
  if (!unwraps) return false
  const isContract = accountCode(yield* code)._tag === "Contract"
  if (isNative(request.tokenOut) && isContract) {
    return yield* noRoute(`${request.recipient} is a contract and would get wrapped ${chain.nativeSymbol}`)
  }
  return !isNative(request.tokenOut) && !isContract
})
