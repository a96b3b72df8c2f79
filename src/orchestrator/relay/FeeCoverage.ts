/**
 * Compares the present cost of sweeps with what their network fees cover. It reads the fees of the next block, which the relayer
 * needs anyway, and on rollups that charge wei for data one price of data for all sweeps.
 */
import { Effect, Option } from "effect"
import { minimumTip } from "../../domain/ChainMoney.ts"
import * as FeeCover from "../../domain/FeeCover.ts"
import { size } from "../../domain/Hex.ts"
import * as RollupFee from "../../domain/RollupFee.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable, FeesPerGas } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as LossLeft from "../shared/LossLeft.ts"
import * as LowerPrices from "../shared/LowerPrices.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as AccountCall from "./AccountCall.ts"

/** Coverage of one sweep at present. */
export interface Coverage {
  /** Least cost in wei. A sweep that needs more gas than its quote counted costs more. */
  readonly costWith: (gas?: bigint) => bigint
  /** Highest cost in wei at which it is sent. */
  readonly limit: bigint
  readonly prices: FeeCover.PriceLimits
  /** Wei that the chain charges in addition to the gas. */
  readonly dataFee: bigint
  /** Price in wei per gas that its quote counted with. */
  readonly quotedPrice: bigint
}

interface Options {
  /** Reads the price of a rollup's data on two endpoints, of which the lower one counts. Default: false. */
  readonly isConfirmed?: boolean
}

/**
 * Makes `policyOf(client, sweeps)`: the operator's limits for losses on sweeps of one chain. So many sweeps share what is left of the
 * hourly loss budget.
 */
const makePolicy = Effect.gen(function* () {
  const lossLeft = yield* LossLeft.make
  const { feeCover } = (yield* OrchestratorSettings).relayer

  return Effect.fnUntraced(function* ({ chain }: ChainClient, sweeps: number) {
    const left = yield* lossLeft(chain)
    return { ...feeCover, lossLeft: left / BigInt(Math.max(1, sweeps)) } satisfies FeeCover.CoverPolicy
  })
})

/** Makes `coverageOf(client, intents, fees, options)`: the coverage of each intent by id. It is absent where it is unknown yet. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const policyOf = yield* makePolicy

  /** Wei that the chain charges for each sweep besides its gas: for the data of the longest one, in proportion to the bytes. */
  const dataFeesOf = Effect.fnUntraced(function* (
    client: ChainClient,
    intents: ReadonlyArray<Intent>,
    { isConfirmed = false }: Options
  ) {
    const longest = intents.reduce<Intent | undefined>(
      (so, each) => (so !== undefined && size(so.order.swapCalldata) >= size(each.order.swapCalldata) ? so : each),
      undefined
    )
    if (client.chain.dataFee !== "op-stack" || longest === undefined) return () => 0n
    const bytes = size(AccountCall.dataOf(contracts, [longest]))
    const read = contracts.rollupFee(client, bytes)
    const fee = yield* isConfirmed
      ? LowerPrices.of(client, read, { isSame: RollupFee.areAlike, lower: RollupFee.lower })
      : read
    const rest = bytes - size(longest.order.swapCalldata)
    return ({ cover, gas, order }: Intent) =>
      RollupFee.share(fee, { bytes, own: rest + size(order.swapCalldata), gas: cover?.gas ?? gas })
  })

  /**
   * Base fees of the blocks in which quotes without a stored cover were made. Such a quote is taken to cover its gas at that
   * price, without a margin.
   */
  const formerBaseFees = Effect.fnUntraced(function* (client: ChainClient, intents: ReadonlyArray<Intent>) {
    const numbers = new Set(intents.flatMap(({ cover, quotedAtBlock }) => (cover === undefined ? [quotedAtBlock] : [])))
    const blocks = yield* Effect.forEach(numbers, (number) => client.block(number), { concurrency: "unbounded" })
    return new Map(blocks.flatMap((block) => Option.toArray(block)).map((block) => [block.number, block.baseFeePerGas]))
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    intents: ReadonlyArray<Intent>,
    fees: Effect.Effect<FeesPerGas, ChainUnavailable>,
    options: Options = {}
  ): Effect.fn.Return<ReadonlyMap<string, Coverage>, ChainUnavailable | StoreUnavailable> {
    const [market, policy, dataFeeOf, formerFees] = yield* Effect.all(
      [fees, policyOf(client, intents.length), dataFeesOf(client, intents, options), formerBaseFees(client, intents)],
      { concurrency: "unbounded" }
    )
    const price = FeeCover.leastPrice(market, minimumTip(client.chain))
    const coverOf = (intent: Intent, dataFee: bigint): FeeCover.FeeCover | undefined => {
      const { gas, quotedAtBlock } = intent
      const former = formerFees.get(quotedAtBlock)
      if (intent.cover !== undefined || former === undefined) return intent.cover
      const gasPrice = former + market.maxPriorityFeePerGas
      return { gas, gasPrice, value: gas * gasPrice + dataFee }
    }
    return new Map(
      intents.flatMap((intent): ReadonlyArray<readonly [string, Coverage]> => {
        const dataFee = dataFeeOf(intent)
        const cover = coverOf(intent, dataFee)
        if (cover === undefined) return []
        const coverage: Coverage = {
          costWith: (gas) => FeeCover.presentCost(cover, { price, dataFee, gas }),
          limit: FeeCover.sendingLimit(cover, policy),
          dataFee,
          prices: {
            sending: FeeCover.sendingPrice(cover, policy, dataFee),
            ceiling: FeeCover.ceiling(cover, policy, dataFee)
          },
          quotedPrice: cover.gasPrice
        }
        return [[intent.id, coverage]]
      })
    )
  })
})
