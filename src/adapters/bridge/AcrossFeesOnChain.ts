/**
 * Relayer fees from the chains alone, for when no Across API answers: the fee of the liquidity by the utilization of the HubPool on
 * Ethereum, and a relayer's gas on the destination, within a maximum that the operator sets. Where one of them cannot be read, the
 * maximum is the fee. There is no route for an amount above the liquidity.
 */
import { Effect, Layer, Option, Schema } from "effect"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import { lpFee, type RateModel } from "../../domain/AcrossLpFee.ts"
import { convert } from "../../domain/AssetAmount.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { equivalent } from "../../domain/TokenEquivalence.ts"
import { NATIVE } from "../../domain/Token.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { NoRoute } from "../../ports/orchestrator/SwapVenue.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import { AcrossFees, type FeeRequest } from "./AcrossFees.ts"

/** Across's contracts on the chain of its liquidity. */
export interface Hub {
  readonly chainId: ChainId
  readonly hubPool: Address.Address
  readonly configStore: Address.Address
}

const ETHEREUM: Hub = {
  chainId: 1,
  hubPool: Address.of("0xc186fA914353c44b2E33eBE05f21846F1048bEda"),
  configStore: Address.of("0x3B03509645713718B78951126E0A6de6f10043f5")
}

export interface Options {
  /** Maximum fee, in basis points of the input. */
  readonly maxFeeBps: number
  /** Time after the quote in which a relayer may fill, in seconds. */
  readonly fillDeadlineSeconds: number
  /** Default: that on Ethereum. */
  readonly hub?: Hub
}

const abi = parseAbi([
  "function liquidityUtilizationCurrent(address l1Token) returns (uint256)",
  "function liquidityUtilizationPostRelay(address l1Token, uint256 relayedAmount) returns (uint256)",
  "function l1TokenConfig(address l1Token) view returns (string)"
])

const Model = Schema.Struct({
  UBar: Schema.BigIntFromString,
  R0: Schema.BigIntFromString,
  R1: Schema.BigIntFromString,
  R2: Schema.BigIntFromString
})

/** The token's configuration. Routes can have models of their own, by their chains' ids. */
const decodeConfig = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      rateModel: Model,
      routeRateModel: Schema.optionalKey(Schema.Record(Schema.String, Model))
    })
  )
)

const configText = Option.liftThrowable((data: `0x${string}`) =>
  decodeFunctionResult({ abi, functionName: "l1TokenConfig", data })
)

/** Gas of a fill, and of one that carries out a message. Measured fills take 90,000 to 130,000. */
const FILL_GAS = 150_000n
const MESSAGE_GAS = 600_000n

/** Part of the input that relayers keep for their capital and risk, in basis points. */
const MARGIN_BPS = 3n

/** Time limit of all reads together, in milliseconds. */
const LIMIT_MILLIS = 1_000

const ESTIMATED_SECONDS = 30

const WHOLE_BPS = 10_000n
const ONE = 10n ** 18n

/** The token of the hub's chain that stands for the input. */
const l1TokenOf = (hub: Chain, { decimals, inputToken, source }: FeeRequest) =>
  source.id === hub.id
    ? Option.some({ address: inputToken, decimals: decimals.from })
    : equivalent(source, inputToken, hub)

/** Makes the part of the input that the liquidity costs, scaled by 10^18. None if the hub does not tell. `NoRoute` above the liquidity. */
const makeLiquidityFee = (hub: Hub) =>
  Effect.fnUntraced(function* (client: ChainClient, request: FeeRequest) {
    const token = Option.getOrUndefined(l1TokenOf(client.chain, request))
    if (token === undefined) return Option.none<bigint>()
    const { address } = token
    const amount = convert(request.inputAmount, { from: request.decimals.from, to: token.decimals })
    const [before, after, config] = yield* Multicall3.read(client, [
      {
        to: hub.hubPool,
        data: encodeFunctionData({ abi, functionName: "liquidityUtilizationCurrent", args: [address] })
      },
      {
        to: hub.hubPool,
        data: encodeFunctionData({ abi, functionName: "liquidityUtilizationPostRelay", args: [address, amount] })
      },
      { to: hub.configStore, data: encodeFunctionData({ abi, functionName: "l1TokenConfig", args: [address] }) }
    ])
    const used = Multicall3.word(after ?? Option.none())
    if (Option.exists(used, (utilization) => utilization > ONE)) {
      return yield* new NoRoute({ detail: "the amount is above the liquidity of Across" })
    }
    return Option.all({
      before: Multicall3.word(before ?? Option.none()),
      after: used,
      model: (config ?? Option.none()).pipe(
        Option.flatMap(configText),
        Option.flatMap(decodeConfig),
        Option.map(
          ({ rateModel, routeRateModel = {} }): RateModel =>
            routeRateModel[`${request.source.id}-${request.destination.id}`] ?? rateModel
        )
      )
    }).pipe(Option.map((read) => lpFee(read.model, read.before, read.after)))
  })

/** Makes the cost of a fill to a relayer, in the output token's smallest unit. None without prices. */
const makeGasCost = (chains: Chains["Service"], prices: Prices["Service"]) =>
  Effect.fnUntraced(function* ({ decimals, destination, message, outputToken }: FeeRequest) {
    const client = yield* chains.get(destination.id)
    const output = outputToken === destination.wrappedNative ? NATIVE : outputToken
    const [{ baseFeePerGas, maxPriorityFeePerGas }, usd] = yield* Effect.all(
      [
        client.feesPerGas,
        prices.usd(destination.id, [
          { address: NATIVE, decimals: 18 },
          ...(output === NATIVE ? [] : [{ address: output, decimals: decimals.to }])
        ])
      ],
      { concurrency: "unbounded" }
    )
    const [nativeUsd, outputUsd] = [usd.get(NATIVE), usd.get(output)]
    if (nativeUsd === undefined || outputUsd === undefined || outputUsd <= 0n) return Option.none<bigint>()
    const wei = (message === undefined ? FILL_GAS : MESSAGE_GAS) * (baseFeePerGas + maxPriorityFeePerGas)
    return Option.some((wei * nativeUsd * 10n ** BigInt(decimals.to)) / (outputUsd * ONE) + 1n)
  })

export const layer = ({ fillDeadlineSeconds, hub = ETHEREUM, maxFeeBps }: Options) =>
  Layer.effect(
    AcrossFees,
    Effect.gen(function* () {
      const chains = yield* Chains
      const prices = yield* Prices

      const liquidityFee = makeLiquidityFee(hub)
      const gasCost = makeGasCost(chains, prices)

      /** Output after all fees. None if one of them is not known in time. */
      const outputOf = Effect.fnUntraced(
        function* (request: FeeRequest) {
          const client = yield* chains.get(hub.chainId)
          // Gas that cannot be read must not hide that the liquidity is too small.
          const cost = Effect.orElseSucceed(gasCost(request), () => Option.none<bigint>())
          const [liquidity, gas] = yield* Effect.all([liquidityFee(client, request), cost], {
            concurrency: "unbounded"
          })
          return Option.map(Option.all({ liquidity, gas }), (read) => {
            const { inputAmount } = request
            const kept = (inputAmount * read.liquidity) / ONE + (inputAmount * MARGIN_BPS) / WHOLE_BPS + 1n
            return convert(inputAmount > kept ? inputAmount - kept : 0n, request.decimals) - read.gas
          })
        },
        Effect.catchTags({
          ChainUnavailable: () => Effect.succeed(Option.none<bigint>()),
          UnsupportedChain: () => Effect.succeed(Option.none<bigint>())
        }),
        within(LIMIT_MILLIS),
        Effect.map(Option.flatten)
      )

      return AcrossFees.of({
        quote: Effect.fn("AcrossFeesOnChain.quote")(function* (request) {
          const least = convert(lessBps(request.inputAmount, maxFeeBps), request.decimals)
          const outputAmount = Option.getOrElse(yield* outputOf(request), () => least)
          if (outputAmount < least) {
            return yield* new NoRoute({ detail: `a relayer costs more than ${maxFeeBps} basis points of the amount` })
          }
          if (outputAmount <= 0n) {
            return yield* new NoRoute({ detail: "the amount does not cover the relayer's fee" })
          }
          return {
            outputAmount,
            quoteTimestamp: request.now,
            fillDeadline: request.now + fillDeadlineSeconds,
            exclusiveRelayer: Address.zero,
            exclusivitySeconds: 0,
            estimatedSeconds: ESTIMATED_SECONDS
          }
        })
      })
    })
  )
