/** Present prices of a chain, as submissions are judged by them. */
import { Clock, Effect } from "effect"
import { minimumTip } from "../../domain/ChainMoney.ts"
import * as FeeCover from "../../domain/FeeCover.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import * as RollupFee from "../../domain/RollupFee.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** Time for which the prices of a chain are not read again, in milliseconds. */
const LIFETIME_MILLIS = 1_000

/** Age up to which prices count for other submissions while one reads them again, in milliseconds. A flood would read them for each. */
const LONGEST_MILLIS = 3_000

/** A signature has 65 bytes. Its content does not change the price of its data noticeably. */
const SIGNATURE: Hex = `0x${"ab".repeat(65)}`

/** Prices of a chain. */
export interface Present {
  /** UNIX milliseconds. */
  readonly readAtMs: number
  /** UNIX milliseconds until which nobody reads them again. */
  readonly untilMs: number
  /** Fee cap of a transaction for the next blocks, in wei per gas. */
  readonly maxFeePerGas: bigint
  /** Least price of gas in the next block, in wei. */
  readonly price: bigint
  /** Wei that a rollup charges for a sweep besides its gas: for its data in proportion to its bytes, and for its operator. */
  readonly dataFeeOf: (order: Pick<SweepOrder, "swapCalldata">, gas: bigint) => bigint
}

/** Makes `presentOf(client, order)`: the prices of the order's chain, up to a few seconds old. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const presents = new Map<number, Present>()

  const dataFeesFor = Effect.fnUntraced(function* (client: ChainClient, order: SweepOrder) {
    if (client.chain.dataFee !== "op-stack") return () => 0n
    const bytes = size(contracts.encodeExecute(order, SIGNATURE))
    const rest = bytes - size(order.swapCalldata)
    const fee = yield* contracts.rollupFee(client, bytes)
    return ({ swapCalldata }: Pick<SweepOrder, "swapCalldata">, gas: bigint) =>
      RollupFee.share(fee, { bytes, own: rest + size(swapCalldata), gas })
  })

  return Effect.fnUntraced(function* (client: ChainClient, order: SweepOrder) {
    const { chain } = client
    const nowMs = yield* Clock.currentTimeMillis
    const known = presents.get(chain.id)
    if (known !== undefined && nowMs < known.untilMs) return known
    if (known !== undefined && nowMs < known.readAtMs + LONGEST_MILLIS) {
      const untilMs = Math.min(nowMs + LIFETIME_MILLIS, known.readAtMs + LONGEST_MILLIS)
      presents.set(chain.id, { ...known, untilMs })
    }
    const [market, dataFeeOf] = yield* Effect.all([client.feesPerGas, dataFeesFor(client, order)], {
      concurrency: "unbounded"
    })
    const price = FeeCover.leastPrice(market, minimumTip(chain))
    const { maxFeePerGas } = market
    const present: Present = { readAtMs: nowMs, untilMs: nowMs + LIFETIME_MILLIS, maxFeePerGas, price, dataFeeOf }
    presents.set(chain.id, present)
    return present
  })
})
