/** Sales of collected fees among sweeps. The fee recipient may have changed with the contracts since a sale was quoted. */
import { Effect, Option } from "effect"
import { isOwnSale } from "../../domain/Accrual.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as FeeRecipients from "../shared/FeeRecipients.ts"

/**
 * Makes `among(client, intents)`: ids of the sales of the fee recipient that their own contracts have, and ids of those that nobody can
 * tell while the node does not answer.
 */
export const make = Effect.gen(function* () {
  const recipientOf = yield* FeeRecipients.make

  return Effect.fnUntraced(function* (client: ChainClient, intents: ReadonlyArray<Pick<Intent, "id" | "order">>) {
    const sales = new Set<string>()
    const unclear = new Set<string>()
    for (const { id, order } of intents) {
      if (order.owner !== order.destination) continue
      const { delegate } = Generations.ofNonce(client.chain, order.nonce)
      const recipient = Option.getOrUndefined(yield* Effect.option(recipientOf(client, delegate)))
      if (recipient === undefined) unclear.add(id)
      else if (
        isOwnSale(
          order,
          Option.getOrElse(recipient, () => client.chain.feeRecipient)
        )
      )
        sales.add(id)
    }
    return { sales, unclear }
  })
})
