/** One pass of the watcher over everything unfinished on one chain, except deliveries. */
import { Effect } from "effect"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { look } from "../shared/ChainView.ts"
import { Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Expiry from "./Expiry.ts"
import { type Finding, type Looked, NOTHING } from "./Findings.ts"
import * as LateReceipts from "./LateReceipts.ts"
import * as Reorganisation from "./Reorganisation.ts"
import * as Transaction from "./Transaction.ts"
import * as UnreadableRows from "./UnreadableRows.ts"

/**
 * Time in which a pass must end, in milliseconds. Each request to a node has a much shorter timeout, so that a pass over many
 * transactions ends in time on a slow node, too.
 */
const PASS_MILLIS = 300_000

/** Makes `pass(client)`. An alert stands while the chain's node does not answer. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const expire = yield* Expiry.make
  const follow = yield* Transaction.make
  const recoverLate = yield* LateReceipts.make
  const reviewRows = yield* UnreadableRows.make
  const reorganisation = yield* Reorganisation.make
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions

  const watchChain = Effect.fn("Watcher.watchChain")(function* (client: ChainClient) {
    const { chain } = client
    const view = yield* look(client)
    yield* reorganisation.reopenLost(view)
    const { transactions: unfinished, unreadable } = yield* transactions.survey(chain.id)
    yield* reviewRows(client, unreadable)
    yield* reorganisation.clear(chain.id, unfinished)
    const findings: ReadonlyArray<Finding> = [...(yield* follow(view, unfinished)), ...(yield* expire(view))]
    yield* recoverLate(view)
    yield* settlements.review(client)
    return { transactions: unfinished.length, findings } satisfies Looked
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

  return Effect.fnUntraced(function* (client: ChainClient) {
    const { chain } = client
    const silence = new ChainUnavailable({
      chainId: chain.id,
      method: "Watcher.pass",
      detail: `no end within ${PASS_MILLIS} milliseconds`
    })
    const looked = yield* watchChain(client).pipe(
      Effect.timeoutOrElse({ duration: PASS_MILLIS, orElse: () => Effect.fail(silence) }),
      Effect.catchTag("ChainUnavailable", (unavailable) =>
        Effect.succeed({ transactions: 0, findings: [{ ...NOTHING, unavailable }] } satisfies Looked)
      )
    )
    const failures = looked.findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]))
    yield* alertUnavailable(client, failures[0])
    return looked
  })
})
