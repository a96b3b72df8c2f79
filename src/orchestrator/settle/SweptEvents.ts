/** Finds the guard's `Swept` events of intents, which prove their settlement. */
import { Effect, Option } from "effect"
import { outboxMessages, sweepId } from "../../domain/Accrual.ts"
import { erc20 } from "../../domain/Chain.ts"
import type { Hash } from "../../domain/Hex.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { settles, type Swept } from "../../domain/Swept.ts"
import type { Intent, Step } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Block, ChainClient, Log, Receipt } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"

/** A receipt with its canonical block, and the intents that its transaction carried. */
export interface Mined {
  readonly receipt: Receipt
  readonly block: Block
  readonly intents: ReadonlyArray<Intent>
}

/** Blocks in one log query. Nodes limit the range. */
const LOG_RANGE = 5_000n

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts

  const proves = (client: ChainClient, intent: Intent) => (log: Pick<Log, "address" | "topics" | "data">) =>
    Option.exists(contracts.decodeSwept(client.chain.contracts.guard, log), (event) =>
      settles(event, intent.order, intent.orderDigest)
    )

  /** True when the receipt holds the guard's event for the intent's order. */
  const isSettledBy = (client: ChainClient, intent: Intent, receipt: Receipt): boolean =>
    receipt.logs.some(proves(client, intent))

  /** The steps that settle those intents whose event the receipt holds. Decodes each log once. */
  const stepsOf = ({ client }: ChainView, { block, intents, receipt }: Mined): ReadonlyArray<Step> => {
    const { chain } = client
    const events = new Map<Hash, { readonly event: Swept; readonly index: number }>()
    for (const [index, log] of receipt.logs.entries()) {
      const event = Option.getOrUndefined(contracts.decodeSwept(chain.contracts.guard, log))
      if (event !== undefined && !events.has(event.orderHash)) events.set(event.orderHash, { event, index })
    }
    const txHash = receipt.transactionHash
    return intents.flatMap(({ attributed, id, order, orderDigest }) => {
      const found = events.get(orderDigest)
      if (found === undefined || !settles(found.event, order, orderDigest)) return []
      const outbox = outboxMessages(
        {
          sweepId: sweepId(txHash, found.index),
          chainId: chain.id,
          feeToken: erc20(chain, order.tokenIn),
          feeAmount: order.feeAmount,
          builderFee: order.builderFee,
          txHash,
          settledAtMs: Number(block.timestamp) * 1000
        },
        attributed
      )
      const delivered = isCrossChain(order, chain.id) ? [] : [{ _tag: "Delivered", txHash } as const]
      return [{ id, events: [{ _tag: "SettledAtSource", txHash }, ...delivered], outbox }]
    })
  }

  /** Searches the guard's logs for the order's settlement since its quote, by any transaction. */
  const search = Effect.fnUntraced(function* ({ client, head }: ChainView, intent: Intent) {
    const { guard } = client.chain.contracts
    const topics = contracts.sweptTopics(intent.orderDigest)
    for (let fromBlock = intent.quotedAtBlock; fromBlock <= head.number; fromBlock += LOG_RANGE) {
      const end = fromBlock + LOG_RANGE - 1n
      const toBlock = end < head.number ? end : head.number
      const logs = yield* client.logs({ address: guard, topics, fromBlock, toBlock })
      const found = logs.find(proves(client, intent))
      if (found !== undefined) return Option.some(found)
    }
    return Option.none<Log>()
  })

  return { isSettledBy, stepsOf, search }
})
