/** One pass of the watcher over everything unfinished on every chain. */
import { Effect, Semaphore } from "effect"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { type ChainClient, Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import { look } from "../shared/ChainView.ts"
import { Settlements } from "../settle/Settlements.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Delivery from "./Delivery.ts"
import * as Expiry from "./Expiry.ts"
import { type Finding, NOTHING, report } from "./Findings.ts"
import * as LateReceipts from "./LateReceipts.ts"
import * as Reorganisation from "./Reorganisation.ts"
import * as Transaction from "./Transaction.ts"
import * as UnreadableRows from "./UnreadableRows.ts"

/** Makes the pass. Passes of one process run one at a time. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const chains = yield* Chains
  const deliver = yield* Delivery.make
  const expire = yield* Expiry.make
  const follow = yield* Transaction.make
  const intents = yield* Intents
  const recoverLate = yield* LateReceipts.make
  const reviewRows = yield* UnreadableRows.make
  const reorganisation = yield* Reorganisation.make
  const settings = yield* OrchestratorSettings
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions

  const watchChain = Effect.fn("Watcher.watchChain")(function* (client: ChainClient) {
    const { chain } = client
    const view = yield* look(client)
    yield* reorganisation.reopenLost(view)
    const { transactions: unfinished, unreadable } = yield* transactions.survey(chain.id)
    yield* reviewRows(client, unreadable)
    yield* reorganisation.clear(chain.id, unfinished)
    const settled = yield* intents.deliveriesDue(chain.id, settings.watcher.batch)
    const findings: ReadonlyArray<Finding> = [
      ...(yield* follow(view, unfinished)),
      ...(yield* expire(view)),
      ...(yield* deliver(client, settled))
    ]
    yield* recoverLate(view)
    yield* settlements.review(client)
    return { transactions: unfinished.length, findings }
  })

  const alertUnavailable = Effect.fnUntraced(function* ({ chain }: ChainClient, own: ChainUnavailable | undefined) {
    const key = `chain_unavailable:${chain.id}`
    if (own === undefined) return yield* alerts.clear(key)
    yield* Effect.logWarning("watch.chain_unavailable").pipe(
      Effect.annotateLogs({ chain: chain.name, chainId: chain.id, detail: own.message })
    )
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "chain_unavailable",
      message: `The node of ${chain.name} does not answer. Its sweeps wait, and none is lost.`,
      details: { chainId: chain.id, method: own.method, detail: own.detail }
    })
  })

  /** A chain whose node does not answer delays no other chain. */
  const tolerant = Effect.fnUntraced(function* (client: ChainClient) {
    const looked = yield* watchChain(client).pipe(
      Effect.catchTag("ChainUnavailable", (unavailable) =>
        Effect.succeed({ transactions: 0, findings: [{ ...NOTHING, unavailable }] })
      )
    )
    const failures = looked.findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]))
    yield* alertUnavailable(
      client,
      failures.find(({ chainId }) => chainId === client.chain.id)
    )
    return looked
  })

  const oneAtATime = yield* Semaphore.make(1)

  return oneAtATime.withPermit(Effect.map(Effect.forEach(chains.all, tolerant, { concurrency: "unbounded" }), report))
})
