/**
 * The `Bridge` port over Across: a deposit into the source chain's SpokePool, filled by a relayer on the destination chain,
 * and proved by the pools' own state and events. No status service is trusted. What arrives has to have a counterpart on the
 * source chain; any other token is swapped into that one first, by the SpokePoolPeriphery and in the same call.
 */
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, numberToHex } from "viem"
import * as Address from "../../domain/Address.ts"
import * as Amount from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import { accountCode } from "../../domain/Delegation.ts"
import { isNative } from "../../domain/Token.ts"
import * as TokenEquivalence from "../../domain/TokenEquivalence.ts"
import { Bridge, type BridgeDeposit, type BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { NoRoute, RoutingUnavailable, type SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as AcrossCall from "./AcrossCall.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { AcrossFees, type FeeQuote } from "./AcrossFees.ts"
import * as AcrossDelivery from "./AcrossDelivery.ts"
import { spokePoolAbi } from "./spokePoolAbi.ts"
import { spokePoolPeripheryAbi } from "./spokePoolPeripheryAbi.ts"

export const PROVIDER = "across"

/** Measured 42,000 to 45,000 for ordinary tokens with an unlimited allowance; spending an exact one to zero costs 5,000 more. */
const DEPOSIT_GAS = 60_000n

/** What the periphery and its proxy add, by moving and approving the tokens: measured 77,000 to 92,000 for ordinary ones. */
const PERIPHERY_GAS = 100_000n

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

type Terms = Pick<
  AcrossDeposit.AcrossDeposit,
  "inputAmount" | "outputAmount" | "exclusiveRelayer" | "exclusivityParameter"
>

/** Terms on which a relayer fills, and no owner loses. */
const assertTerms = (
  { exclusiveRelayer, exclusivityParameter, inputAmount, outputAmount }: Terms,
  maxFeeBps: number
) => {
  if (outputAmount <= 0n) return Effect.fail(noRoute("the amount does not cover the relayer's fee"))
  // Both tokens are one asset of equal decimals: nobody pays out more than was paid in.
  if (outputAmount > inputAmount) return Effect.fail(noRoute("the offer is above the input"))
  if (outputAmount < Amount.lessBps(inputAmount, maxFeeBps)) {
    return Effect.fail(noRoute(`the relayer's fee is above ${maxFeeBps} bps`))
  }
  return AcrossDeposit.isExclusivityBounded(exclusiveRelayer, exclusivityParameter)
    ? Effect.void
    : Effect.fail(noRoute("the offer reserves the deposit for one relayer for too long"))
}

/** The token on `source` that the bridge turns into the ERC-20 `outputToken` on `destination`. */
const bridgedToken = (source: Chain.Chain, outputToken: Address.Address, destination: Chain.Chain) =>
  Effect.fromOption(TokenEquivalence.equivalent(destination, outputToken, source)).pipe(
    Effect.mapBoth({
      onSuccess: ({ address }) => address,
      onFailure: () => noRoute(`${outputToken} on ${destination.name} has no counterpart on ${source.name}`)
    })
  )

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

/** What a swap before the deposit changes in the route. */
const swapped = (
  pool: Address.Address,
  deposit: AcrossDeposit.AcrossDeposit,
  { amountIn, tokenIn }: BridgeRequest,
  swap: SwapRoute & { readonly periphery: Address.Address }
) => ({
  provider: `${swap.provider}+${PROVIDER}`,
  target: swap.periphery,
  calldata: AcrossCall.encodeSwap(pool, deposit, {
    tokenIn,
    amountIn,
    exchange: swap.target,
    calldata: swap.calldata
  }),
  amountOut: AcrossCall.outputAmount(deposit, swap.amountOut),
  gas: swap.gas + PERIPHERY_GAS + DEPOSIT_GAS
})

export const layerWith = (options: Partial<Options>) =>
  Layer.effect(
    Bridge,
    Effect.gen(function* () {
      const settled = { ...defaults, ...options }
      const chains = yield* Chains
      const fees = yield* AcrossFees
      const venue = yield* SwapVenue

      /** The swap of the request's token for the one that is bridged; made and received by the periphery's proxy. */
      const swapInto = Effect.fnUntraced(function* (
        source: ChainClient,
        { amountIn, deadline, slippageBps, tokenIn }: BridgeRequest,
        tokenOut: Address.Address
      ) {
        const { id, name, spokePoolPeriphery: periphery } = source.chain
        if (periphery === undefined) {
          return yield* noRoute(
            `${tokenIn} cannot be bridged, and no SpokePoolPeriphery that swaps it is known on ${name}`
          )
        }
        const [answer = Option.none()] = yield* Multicall3.read(source, [
          { to: periphery, data: encodeFunctionData({ abi: spokePoolPeripheryAbi, functionName: "swapProxy" }) }
        ])
        const isAddress = (word: bigint) => word > 0n && word >> 160n === 0n
        const proxy = yield* Effect.fromOption(Option.filter(Multicall3.word(answer), isAddress)).pipe(
          Effect.mapBoth({
            onSuccess: (word) => Address.of(numberToHex(word, { size: 20 })),
            onFailure: () =>
              new RoutingUnavailable({ provider: PROVIDER, detail: `no SpokePoolPeriphery at ${periphery} on ${name}` })
          })
        )
        const route = yield* venue.route({
          chainId: id,
          tokenIn,
          tokenOut,
          amountIn,
          sender: proxy,
          recipient: proxy,
          slippageBps,
          deadline
        })
        return { ...route, periphery }
      })

      const route = Effect.fn("Across.route")(
        function* (request: BridgeRequest) {
          const source = yield* chains.get(request.sourceChainId)
          const destination = yield* chains.get(request.destChainId)
          if (source === destination) return yield* noRoute("source and destination are the same chain")
          if (request.amountIn <= 0n) return yield* noRoute("the amount is zero")
          const pool = yield* spokePoolOf(source.chain)
          const destinationPool = yield* spokePoolOf(destination.chain)
          const outputToken = Chain.erc20(destination.chain, request.tokenOut)
          const inputToken = yield* bridgedToken(source.chain, outputToken, destination.chain)

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

          const swap = inputToken === request.tokenIn ? undefined : yield* swapInto(source, request, inputToken)
          // Relayers' fees fall with the amount, so those for the least are enough for more.
          const inputAmount = swap?.minAmountOut ?? request.amountIn
          const quote = yield* fees.quote({
            source: source.chain,
            destination: destination.chain,
            inputToken,
            outputToken,
            inputAmount,
            recipient: request.recipient,
            now: Number(now)
          })
          const { fillDeadline, quoteTimestamp } = yield* times(quote, settled, {
            now: Number(now),
            destinationNow: Number(destinationNow),
            quoteBuffer: Number(quoteBuffer),
            fillBuffer: Number(fillBuffer)
          })
          const deposit = {
            depositor: request.depositor,
            recipient: request.recipient,
            inputToken,
            outputToken,
            inputAmount,
            outputAmount: quote.outputAmount,
            destinationChainId: BigInt(destination.chain.id),
            exclusiveRelayer: quote.exclusiveRelayer,
            quoteTimestamp,
            fillDeadline,
            exclusivityParameter: quote.exclusivitySeconds
          }
          yield* assertTerms(deposit, settled.maxFeeBps)
          const plain = {
            provider: PROVIDER,
            target: pool,
            calldata: AcrossDeposit.encode(deposit),
            amountOut: deposit.outputAmount,
            minAmountOut: deposit.outputAmount,
            gas: DEPOSIT_GAS,
            estimatedSeconds: quote.estimatedSeconds
          }
          return swap === undefined ? plain : { ...plain, ...swapped(pool, deposit, request, swap) }
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
          const { deposit, swap } = yield* Effect.mapError(
            Effect.fromOption(AcrossCall.decode(chain, target, calldata)),
            () => noRoute(`the calldata is not a deposit of Across on ${chain.name}`)
          )
          const { chain: destination } = yield* chains.get(Number(deposit.destinationChainId))
          yield* assertTerms(deposit, settled.maxFeeBps)
          // A swap could leave the owner with a token that no relayer takes and nobody wants back.
          if (deposit.inputToken !== (yield* bridgedToken(chain, deposit.outputToken, destination))) {
            return yield* noRoute(`${deposit.inputToken} is not what is bridged to ${deposit.outputToken}`)
          }
          return {
            tokenIn: swap?.tokenIn ?? deposit.inputToken,
            amountIn: swap?.amountIn ?? deposit.inputAmount,
            tokenOut: deposit.outputToken,
            minAmountOut: deposit.outputAmount,
            destChainId: deposit.destinationChainId,
            depositor: deposit.depositor,
            recipient: deposit.recipient
          } satisfies BridgeDeposit
        },
        Effect.catchTag("UnsupportedChain", (error) => Effect.fail(noRoute(error.message)))
      )

      return Bridge.of({ route, decode, delivery: AcrossDelivery.make(chains, settled.logWindow) })
    })
  )

/** {@link layerWith} {@link defaults}. */
export const layer = layerWith({})
