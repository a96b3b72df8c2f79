/** Books of the present fee recipients: fees of every delegate that pays them, and their sales. */
import { Effect, Option } from "effect"
import { erc20 } from "../../domain/Chain.ts"
import { type Book, booksOf } from "../../domain/TreasuryBooks.ts"
import { type CollectedBy, TreasurySales } from "../../ports/orchestrator/TreasurySales.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as FeeRecipients from "../shared/FeeRecipients.ts"

/** Time limit of a delegate's fee recipient. Without an answer its fees are not in the books, as if they were another account's. */
const READ_LIMIT = "1 second"

const keyOf = ({ chainId, delegate }: Pick<CollectedBy, "chainId" | "delegate">): string => `${chainId} ${delegate}`

/** Makes `books`: one for each token that was collected, sold or received by the fee recipient of a configured chain. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const store = yield* TreasurySales
  const recipientOf = yield* FeeRecipients.make

  /** Keys of the delegates whose fees the present fee recipient of their chain received. */
  const oursOf = Effect.fnUntraced(function* (collected: ReadonlyArray<CollectedBy>) {
    // One delegate collects many tokens.
    const delegates = new Map(collected.map((fees) => [keyOf(fees), fees]))
    const ours = yield* Effect.forEach(
      delegates,
      ([key, { chainId, delegate }]) =>
        Effect.gen(function* () {
          const client = chains.all.find(({ chain }) => chain.id === chainId)
          if (client === undefined) return []
          if (delegate === client.chain.contracts.delegate) return [key]
          const recipient = yield* Effect.option(within(READ_LIMIT)(recipientOf(client, delegate)))
          const found = Option.getOrUndefined(Option.flatten(Option.flatten(recipient)))
          return found === client.chain.feeRecipient ? [key] : []
        }),
      { concurrency: "unbounded" }
    )
    return new Set(ours.flat())
  })

  return Effect.gen(function* () {
    const all = yield* store.collected
    const ours = yield* oursOf(all)
    const collected = all.filter((fees) => ours.has(keyOf(fees)))
    const sold = yield* store.sold
    const chainOf = (id: number) => chains.all.find(({ chain }) => chain.id === id)?.chain
    return booksOf(
      collected.map((fees) => {
        const chain = chainOf(fees.chainId)
        return chain === undefined ? fees : { ...fees, token: erc20(chain, fees.token) }
      }),
      sold.filter(({ chainId, seller }) => chainOf(chainId)?.feeRecipient === seller)
    ) satisfies ReadonlyArray<Book>
  })
})
