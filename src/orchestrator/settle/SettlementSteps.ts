/** Steps that settle intents by the events of a receipt. */
import { Option } from "effect"
import { outboxMessages, sweepId } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import { erc20 } from "../../domain/Chain.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { settles, type Swept } from "../../domain/Swept.ts"
import type { Intent, Step } from "../../ports/orchestrator/Intents.ts"
import type { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Block, Receipt } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"

/** A receipt with its canonical block, and the intents that its transaction carried. */
export interface Mined {
  readonly receipt: Receipt
  readonly block: Block
  readonly intents: ReadonlyArray<Intent>
}

/**
 * Makes `stepsOf`: the steps that settle those intents whose event the receipt holds. `sales`: ids of intents that are sales of the fee
 * recipient. Decodes each log once.
 */
export const make =
  (contracts: SweepContracts["Service"]) =>
  ({ client }: ChainView, { block, intents, receipt }: Mined, sales: ReadonlySet<string>): ReadonlyArray<Step> => {
    const { chain } = client
    const guardsOf = ({ order }: Pick<Intent, "order">) => Generations.guardsOf(chain, order.nonce)
    const guards = new Set(intents.flatMap(guardsOf))
    const events = new Map<string, { readonly event: Swept; readonly index: number }>()
    for (const [index, log] of receipt.logs.entries()) {
      for (const guard of guards) {
        const event = Option.getOrUndefined(contracts.decodeSwept(guard, log))
        if (event === undefined) continue
        const key = keyOf(guard, event.orderHash)
        if (!events.has(key)) events.set(key, { event, index })
      }
    }
    const txHash = receipt.transactionHash
    return intents.flatMap(({ attributed, id, order, orderDigest }) => {
      const found = guardsOf({ order })
        .map((guard) => events.get(keyOf(guard, orderDigest)))
        .find((each) => each !== undefined && settles(each.event, order, orderDigest))
      if (found === undefined) return []
      const outbox = outboxMessages(
        {
          sweepId: sweepId(txHash, found.index),
          chainId: chain.id,
          feeToken: erc20(chain, order.tokenIn),
          feeAmount: order.feeAmount,
          builderFee: order.builderFee,
          txHash,
          settledAtMs: Number(block.timestamp) * 1000,
          isOwnSale: sales.has(id)
        },
        attributed
      )
      const { amountOut } = found.event
      const delivered = isCrossChain(order, chain.id) ? [] : [{ _tag: "Delivered", txHash, amountOut } as const]
      return [{ id, events: [{ _tag: "SettledAtSource", txHash }, ...delivered], outbox }]
    })
  }

const keyOf = (guard: Address.Address, orderHash: Hash): string => `${guard}:${orderHash}`
