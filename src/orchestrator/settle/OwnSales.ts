/** Sales of collected fees among sweeps. The fee recipient may have changed with the contracts since a sale was quoted. */
import { Effect, Option, Result } from "effect"
import { isOwnSale } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as FeeRecipients from "../shared/FeeRecipients.ts"

/** Time limit of the fee recipient of a delegate, in milliseconds. Every sweep of the same blocks waits for it. */
const READ_MILLIS = 2_000

export interface OwnSales {
  /** Ids of the sales of the fee recipient that their own contracts have. */
  readonly sales: ReadonlySet<string>
  /** Ids of sweeps that may be sales. A node did not tell the fee recipient of their contracts. */
  readonly unclear: ReadonlySet<string>
  /** Set if some are unclear. */
  readonly unavailable?: ChainUnavailable
}

/** Makes `among(client, intents)`. Asks the node about each delegate at most once. */
export const make = Effect.gen(function* () {
  const recipientOf = yield* FeeRecipients.make

  const read = Effect.fnUntraced(function* (client: ChainClient, delegate: Address.Address) {
    const { id: chainId } = client.chain
    const answer = yield* within(READ_MILLIS)(recipientOf(client, delegate)).pipe(
      Effect.flatMap(
        Option.match({
          onNone: () =>
            Effect.fail(
              new ChainUnavailable({
                chainId,
                method: "eth_call",
                detail: `the fee recipient of the delegate ${delegate} was not read within ${READ_MILLIS} ms`
              })
            ),
          onSome: Effect.succeed
        })
      ),
      Effect.result
    )
    if (Result.isFailure(answer)) {
      yield* Effect.logWarning("settle.fee_recipient_unknown").pipe(
        Effect.annotateLogs({ chainId, delegate, detail: answer.failure.message })
      )
    }
    return [delegate, answer] as const
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    intents: ReadonlyArray<Pick<Intent, "id" | "order">>
  ): Effect.fn.Return<OwnSales> {
    const suspects = intents
      .filter(({ order }) => order.owner === order.destination)
      .map(({ id, order }) => ({ id, order, ...Generations.ofNonce(client.chain, order.nonce) }))
    const delegates = new Set(suspects.map(({ delegate }) => delegate))
    const answers = new Map(
      yield* Effect.forEach(delegates, (delegate) => read(client, delegate), { concurrency: "unbounded" })
    )
    const sales = new Set<string>()
    const unclear = new Set<string>()
    let unavailable: ChainUnavailable | undefined
    for (const { delegate, id, order } of suspects) {
      const answer = answers.get(delegate)
      if (answer === undefined) continue
      if (Result.isFailure(answer)) {
        unclear.add(id)
        unavailable ??= answer.failure
        continue
      }
      const recipient = Option.getOrElse(answer.success, () => client.chain.feeRecipient)
      if (isOwnSale(order, recipient)) sales.add(id)
    }
    return { sales, unclear, ...(unavailable === undefined ? {} : { unavailable }) }
  })
})
