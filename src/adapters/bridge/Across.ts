/**
 * The `Bridge` port over Across: a deposit into the source chain's SpokePool, filled by a relayer on the destination chain,
 * and proved by the pools' own state and events. No status service is trusted.
 */
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Amount from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import { accountCode } from "../../domain/Delegation.ts"
import { isNative } from "../../domain/Token.ts"
import * as TokenEquivalence from "../../domain/TokenEquivalence.ts"
import { Bridge, type BridgeRequest } from "../../ports/Bridge.ts"
import { type ChainClient, Chains } from "../../ports/Chains.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/SwapVenue.ts"
import * as Multicall3 from "../evm/Multicall3.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { AcrossFees, type FeeQuote } from "./AcrossFees.ts"
import * as AcrossDelivery from "./AcrossDelivery.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"

export const PROVIDER = "across"

/** Measured 42,000 to 45,000 for ordinary tokens with an unlimited allowance; spending an exact one to zero costs 5,000 more. */
const DEPOSIT_GAS = 60_000n

export interface Options {
  /** How long after its quote an order can still settle: the quote's lifetime and the order's grace, in seconds. */
  readonly orderLifetimeSeconds: number
  /** A deposit must leave relayers at least this long to fill it, however late it is made. */
  readonly minFillSeconds: number
  /** The most of the input that a relayer may keep, in basis points; more is an offer that nobody wants. */
  readonly maxFeeBps: number
  /** The most blocks that one search for a fill's event spans. */
  readonly logWindow: bigint
}

export const defaults: Options = {
  orderLifetimeSeconds: 720,
  minFillSeconds: 600,
  maxFeeBps: 3_000,
  logWindow: 1_000n
}

/** The source chain's latest block may be this much older than the time at which the quote is made. */
const CLOCK_SLACK_SECONDS = 60

const noRoute = (detail: string) => new NoRoute({ detail })

type Getter =
  | "depositQuoteTimeBuffer"
  | "fillDeadlineBuffer"
  | "pausedDeposits"
  | "pausedFills"
  | "wrappedNativeToken"
  | "getCurrentTime"

/** Reads the pool's settings, all of the latest block, each as one word. They may change with an upgrade of the pool. */
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

const spokePoolOf = ({ name, spokePool }: Chain.Chain) =>
  spokePool === undefined ? Effect.fail(noRoute(`Across is not configured on ${name}`)) : Effect.succeed(spokePool)

/**
 * Paying out its wrapped native token, a SpokePool unwraps it for accounts without code and for delegated ones, and hands over
 * the token to contracts (`_unwrapwrappedNativeTokenTo`). So each of the two is offered only where it is what would arrive.
 */
const assertArrives = Effect.fnUntraced(function* (
  client: ChainClient,
  request: BridgeRequest,
  poolsWrappedNative: bigint
) {
  const { chain } = client
  const wanted = Chain.erc20(chain, request.tokenOut)
  const unwraps = BigInt(wanted) === poolsWrappedNative
  if (isNative(request.tokenOut) && !unwraps) {
    return yield* noRoute(`the SpokePool of ${chain.name} does not unwrap to ${chain.nativeSymbol}`)
  }
  if (!unwraps) return
  const isContract = accountCode(yield* client.code(request.recipient))._tag === "Contract"
  if (isNative(request.tokenOut) && isContract) {
    return yield* noRoute(`${request.recipient} is a contract and would get wrapped ${chain.nativeSymbol}`)
  }
  if (!isNative(request.tokenOut) && !isContract) {
    return yield* noRoute(`${request.recipient} is no contract and would get ${chain.nativeSymbol} unwrapped`)
  }
})

const assertFees = ({ amountIn }: BridgeRequest, quote: FeeQuote, maxFeeBps: number) => {
  if (quote.outputAmount <= 0n) return Effect.fail(noRoute("the amount does not cover the relayer's fee"))
  // Both tokens are one asset of equal decimals: nobody pays out more than was paid in.
  if (quote.outputAmount > amountIn) return Effect.fail(noRoute("the offer is above the input"))
  if (quote.outputAmount < Amount.lessBps(amountIn, maxFeeBps)) {
    return Effect.fail(noRoute(`the relayer's fee is above ${maxFeeBps} bps`))
  }
  return AcrossDeposit.isExclusivityBounded(quote.exclusiveRelayer, quote.exclusivitySeconds)
    ? Effect.void
    : Effect.fail(noRoute("the offer reserves the deposit for one relayer for too long"))
}

/**
 * Times that hold whenever the deposit is made within the order's life. The pool refuses a `quoteTimestamp` after the block or
 * older than its buffer, and a `fillDeadline` beyond its buffer from the block.
 */
const times = (
  quote: FeeQuote,
  options: Options,
  pools: {
    readonly now: number
    readonly destinationNow: number
    readonly quoteBuffer: number
    readonly fillBuffer: number
  }
) => {
  const { destinationNow, fillBuffer, now, quoteBuffer } = pools
  const quoteTimestamp = Math.min(quote.quoteTimestamp, now)
  const life = options.orderLifetimeSeconds + CLOCK_SLACK_SECONDS
  if (now + life - quoteTimestamp > quoteBuffer) {
    return Effect.fail(noRoute("the fee quote would be too old for the SpokePool when the order settles"))
  }
  // The deadline is the destination chain's time, its buffer the source chain's.
  const earliest = Math.max(now, destinationNow) + life + options.minFillSeconds
  const latest = now + fillBuffer
  return earliest > latest
    ? Effect.fail(noRoute("the SpokePool allows no fill deadline that outlasts the order"))
    : Effect.succeed({ quoteTimestamp, fillDeadline: Math.min(Math.max(quote.fillDeadline, earliest), latest) })
}

export const layerWith = (options: Partial<Options>) =>
  Layer.effect(
    Bridge,
    Effect.gen(function* () {
      const settled = { ...defaults, ...options }
      const chains = yield* Chains
      const fees = yield* AcrossFees

      const route = Effect.fn("Across.route")(
        function* (request: BridgeRequest) {
          const source = yield* chains.get(request.sourceChainId)
          const destination = yield* chains.get(request.destChainId)
          if (source === destination) return yield* noRoute("source and destination are the same chain")
          if (request.amountIn <= 0n) return yield* noRoute("the amount is zero")
          const pool = yield* spokePoolOf(source.chain)
          const destinationPool = yield* spokePoolOf(destination.chain)
          const outputToken = Chain.erc20(destination.chain, request.tokenOut)
          const counterpart = TokenEquivalence.equivalent(source.chain, request.tokenIn, destination.chain)
          if (!Option.exists(counterpart, ({ address }) => address === outputToken)) {
            return yield* noRoute(`${request.tokenIn} is not ${request.tokenOut} on ${destination.chain.name}`)
          }

          const [[quoteBuffer, fillBuffer, pausedDeposits, now], [pausedFills, wrappedNative, destinationNow]] =
            yield* Effect.all(
              [
                settings(source, pool, [
                  "depositQuoteTimeBuffer",
                  "fillDeadlineBuffer",
                  "pausedDeposits",
                  "getCurrentTime"
                ]),
                settings(destination, destinationPool, ["pausedFills", "wrappedNativeToken", "getCurrentTime"])
              ],
              { concurrency: 2 }
            )
          if (pausedDeposits !== 0n || pausedFills !== 0n) return yield* noRoute("Across is paused")
          yield* assertArrives(destination, request, wrappedNative)

          const quote = yield* fees.quote({
            source: source.chain,
            destination: destination.chain,
            inputToken: request.tokenIn,
            outputToken,
            inputAmount: request.amountIn,
            recipient: request.recipient,
            now: Number(now)
          })
          yield* assertFees(request, quote, settled.maxFeeBps)
          const { fillDeadline, quoteTimestamp } = yield* times(quote, settled, {
            now: Number(now),
            destinationNow: Number(destinationNow),
            quoteBuffer: Number(quoteBuffer),
            fillBuffer: Number(fillBuffer)
          })
          return {
            provider: PROVIDER,
            target: pool,
            calldata: AcrossDeposit.encode({
              depositor: request.depositor,
              recipient: request.recipient,
              inputToken: request.tokenIn,
              outputToken,
              inputAmount: request.amountIn,
              outputAmount: quote.outputAmount,
              destinationChainId: BigInt(destination.chain.id),
              exclusiveRelayer: quote.exclusiveRelayer,
              quoteTimestamp,
              fillDeadline,
              exclusivityParameter: quote.exclusivitySeconds
            }),
            amountOut: quote.outputAmount,
            gas: DEPOSIT_GAS,
            estimatedSeconds: quote.estimatedSeconds
          }
        },
        Effect.catchTags({
          UnsupportedChain: (error) => Effect.fail(noRoute(error.message)),
          ChainUnavailable: (error) =>
            Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
        })
      )

      const decode: Bridge["Service"]["decode"] = Effect.fn("Across.decode")(
        function* (sourceChainId, target, calldata) {
          const { chain } = yield* chains.get(sourceChainId)
          if (target !== (yield* spokePoolOf(chain))) {
            return yield* noRoute(`${target} is not the SpokePool of ${chain.name}`)
          }
          const deposit = yield* Effect.mapError(Effect.fromOption(AcrossDeposit.decode(calldata)), () =>
            noRoute("the calldata is not a plain deposit")
          )
          if (!AcrossDeposit.isExclusivityBounded(deposit.exclusiveRelayer, deposit.exclusivityParameter)) {
            return yield* noRoute("the deposit is reserved for one relayer for too long")
          }
          return {
            tokenIn: deposit.inputToken,
            amountIn: deposit.inputAmount,
            tokenOut: deposit.outputToken,
            amountOut: deposit.outputAmount,
            destChainId: deposit.destinationChainId,
            depositor: deposit.depositor,
            recipient: deposit.recipient
          }
        },
        Effect.catchTag("UnsupportedChain", (error) => Effect.fail(noRoute(error.message)))
      )

      return Bridge.of({ route, decode, delivery: AcrossDelivery.make(chains, settled.logWindow) })
    })
  )

/** {@link layerWith} {@link defaults}. */
export const layer = layerWith({})
