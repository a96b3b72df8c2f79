/**
 * Compares the present cost of a submitted sweep with what its network fee covers, so that its client learns at once that it waits
 * for a lower price of gas. A sweep that waits is accepted. The relayer compares again before each send.
 */
import { Clock, Duration, Effect } from "effect"
import { minimumTip } from "../../domain/ChainMoney.ts"
import * as FeeCover from "../../domain/FeeCover.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import type { WaitingFor } from "../../domain/Intent.ts"
import * as RollupFee from "../../domain/RollupFee.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Time for which the prices of a chain are not read again, in milliseconds. */
const LIFETIME_MILLIS = 1_000

/** Age up to which prices count for other submissions while one reads them again, in milliseconds. A flood would read them for each. */
const LONGEST_MILLIS = 3_000

/** Time after which a submission is accepted without the comparison. */
const PATIENCE = Duration.seconds(1)

/** A signature has 65 bytes. Its content does not change the price of its data noticeably. */
const SIGNATURE: Hex = `0x${"ab".repeat(65)}`

/** Prices of a chain. */
interface Present {
  /** UNIX milliseconds. */
  readonly readAtMs: number
  /** UNIX milliseconds until which nobody reads them again. */
  readonly untilMs: number
  /** Least price of gas in the next block, in wei. */
  readonly price: bigint
  /** Wei that a rollup charges for a sweep besides its gas: for its data in proportion to its bytes, and for its operator. */
  readonly dataFeeOf: (order: Pick<SweepOrder, "swapCalldata">, gas: bigint) => bigint
}

/** Makes `waitsFor(client, intent)`. It is undefined if the fee covers the cost, or if a node does not tell the cost in time. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const { feeCover } = (yield* OrchestratorSettings).relayer
  const presents = new Map<number, Present>()

  const dataFeesFor = Effect.fnUntraced(function* (client: ChainClient, order: SweepOrder) {
    if (client.chain.dataFee !== "op-stack") return () => 0n
    const bytes = size(contracts.encodeExecute(order, SIGNATURE))
    const rest = bytes - size(order.swapCalldata)
    const fee = yield* contracts.rollupFee(client, bytes)
    return ({ swapCalldata }: Pick<SweepOrder, "swapCalldata">, gas: bigint) =>
      RollupFee.share(fee, { bytes, own: rest + size(swapCalldata), gas })
  })

  const presentOf = Effect.fnUntraced(function* (client: ChainClient, order: SweepOrder) {
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
    const present: Present = { readAtMs: nowMs, untilMs: nowMs + LIFETIME_MILLIS, price, dataFeeOf }
    presents.set(chain.id, present)
    return present
  })

  const judge = Effect.fnUntraced(function* (client: ChainClient, { cover, order }: Pick<Intent, "cover" | "order">) {
    if (cover === undefined) return undefined
    const { dataFeeOf, price } = yield* presentOf(client, order)
    const cost = FeeCover.presentCost(cover, { price, dataFee: dataFeeOf(order, cover.gas) })
    // The relayer also counts the rest of the hourly budget, which may lower the limit.
    return cost <= FeeCover.sendingLimit(cover, feeCover) ? undefined : ("gas_price" satisfies WaitingFor)
  })

  return (client: ChainClient, intent: Pick<Intent, "cover" | "order">): Effect.Effect<WaitingFor | undefined> =>
    judge(client, intent).pipe(
      Effect.timeout(PATIENCE),
      Effect.orElseSucceed(() => undefined)
    )
})
