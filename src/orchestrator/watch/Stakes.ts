/** Confirmations that a transaction needs by the value of its sweeps. */
import { Effect } from "effect"
import { confirmationsFor } from "../../domain/ChainMoney.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as SweepValue from "../settle/SweepValue.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"

/** Transactions whose value is remembered, so that prices are asked for once. */
const REMEMBERED = 1_000

/**
 * Makes `confirmationsOf(client, transaction)`. A sweep is worth what it delivers at least, or what it spends if that has no price.
 * One without any listed and priced token is worth more than every rule says.
 */
export const make = Effect.gen(function* () {
  const recent = yield* RecentIntents
  const values = LatestMap.make<string, bigint>(REMEMBERED)
  const worth = yield* SweepValue.make

  const total = Effect.fnUntraced(function* (chainId: number, { id, intentIds }: RelayTransaction) {
    const known = values.get(id)
    if (known !== undefined) return known
    const intents = yield* recent.get(intentIds)
    const each = yield* Effect.forEach(intents.values(), (intent) => worth(chainId, intent), {
      concurrency: "unbounded"
    })
    let sum = 0n
    for (const value of each) {
      if (value === undefined) return undefined
      sum += value
    }
    values.set(id, sum)
    return sum
  })

  return Effect.fnUntraced(function* ({ chain }: ChainClient, transaction: RelayTransaction) {
    if ((chain.confirmationsByValue ?? []).length === 0) return chain.confirmations
    return confirmationsFor(chain, yield* total(chain.id, transaction))
  })
})
