/** Alerts about stored relay transactions that cannot be read and are therefore not followed. */
import { Effect } from "effect"
import type { UnreadableTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

const KIND = "relay_row_unreadable"

const keyOf = (id: string): string => `${KIND}:${id}`

/** Makes `review(client, unreadable)`, which raises an alert for each row, and clears those of rows that are readable or gone. */
export const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  /** Ids of alerted rows, by chain id. Read from the store at first, since another process may have raised them. */
  const alerted = new Map<number, ReadonlySet<string>>()

  const standing = (chainId: number) =>
    Effect.map(
      alerts.list,
      (all) =>
        new Set(
          all.flatMap(({ details, kind }) =>
            kind === KIND && details["chainId"] === chainId ? [String(details["transactionId"])] : []
          )
        )
    )

  return Effect.fnUntraced(function* ({ chain }: ChainClient, unreadable: ReadonlyArray<UnreadableTransaction>) {
    const before = alerted.get(chain.id) ?? (yield* standing(chain.id))
    for (const { detail, id } of unreadable) {
      if (before.has(id)) continue
      yield* alerts.raise({
        key: keyOf(id),
        severity: "critical",
        kind: KIND,
        message: `Relay transaction ${id} of ${chain.name} cannot be read, so it is not followed. Its sweeps wait, and its lane waits for its nonce. Correct its rows in orchestrator.relay_transactions and orchestrator.relay_attempts.`,
        details: { chainId: chain.id, transactionId: id, detail }
      })
      yield* Effect.logError("relay.row_unreadable").pipe(
        Effect.annotateLogs({ chain: chain.name, transactionId: id, detail })
      )
    }
    const now = new Set(unreadable.map(({ id }) => id))
    for (const id of before) if (!now.has(id)) yield* alerts.clear(keyOf(id))
    alerted.set(chain.id, now)
  })
})
