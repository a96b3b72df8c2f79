/** One pass of the watcher over everything unfinished on one chain, except deliveries. */
import { Clock, Effect } from "effect"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { look } from "../shared/ChainView.ts"
import { LogSources } from "../settle/LogSources.ts"
import { Settlements } from "../settle/Settlements.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Aside from "./Aside.ts"
import * as Expiry from "./Expiry.ts"
import { type Finding, type Looked, NOTHING, type Patience } from "./Findings.ts"
import * as Idle from "./Idle.ts"
import * as LateReceipts from "./LateReceipts.ts"
import * as Reorganisation from "./Reorganisation.ts"
import * as Transaction from "./Transaction.ts"
import * as UnreadableRows from "./UnreadableRows.ts"

/**
 * Time in which a pass must end, in milliseconds. Each request to a node has a much shorter timeout, so that a pass over many
 * transactions ends in time on a slow node, too.
 */
const PASS_MILLIS = 300_000

/**
 * Time for which every pass must fail before an alert, in milliseconds. A single pass also fails when a request is lost, or when a
 * reorganisation replaces blocks while they are read.
 */
const UNAVAILABLE_MILLIS = 10_000

/** Maximum age of the head that a scheduled pass uses, in milliseconds, and at most a block time. New heads start passes. */
const HEAD_MILLIS = 1_000

/** Maximum age of an idle chain's head, in milliseconds. */
const IDLE_HEAD_MILLIS = 10_000

/**
 * Makes `pass(client)`, `scheduled(client)`, which leaves a pass out while the chain is idle, and `isPrompt(client)`, which says if
 * new heads are worth a pass. An alert stands while the chain's nodes give some process no usable answer, or contradict each other.
 */
export const make = Effect.gen(function* () {
  const alertUnavailable = yield* makeAlertUnavailable
  const expire = yield* Expiry.make
  const idle = yield* Idle.make
  const aside = yield* Aside.make
  const follow = yield* Transaction.make(aside)
  const recoverLate = yield* LateReceipts.make
  const reviewRows = yield* UnreadableRows.make
  const reorganisation = yield* Reorganisation.make(aside)
  const settlements = yield* Settlements
  const sources = yield* LogSources
  const transactions = yield* RelayTransactions

  const watchChain = Effect.fn("Watcher.watchChain")(function* (
    client: ChainClient,
    maxAgeMillis: number,
    patience: Patience
  ) {
    const { chain } = client
    const view = yield* look(client, maxAgeMillis)
    yield* reorganisation.reopenLost(view)
    const { transactions: unfinished, unreadable } = yield* transactions.survey(chain.id)
    yield* reviewRows(client, unreadable)
    yield* reorganisation.review(view, unfinished)
    const findings: ReadonlyArray<Finding> = [
      ...(yield* follow(view, unfinished, patience)),
      ...(yield* expire(view, patience))
    ]
    yield* recoverLate(view)
    yield* settlements.review(client)
    yield* sources.review(client)
    return { transactions: unfinished.length, findings } satisfies Looked
  })

  /** Runs a look at a chain, and raises the alert or ends it. */
  const guarded = Effect.fnUntraced(function* (
    client: ChainClient,
    watched: Effect.Effect<Looked, ChainUnavailable | StoreUnavailable>
  ) {
    const { chain } = client
    const began = yield* Clock.currentTimeMillis
    const silence = new ChainUnavailable({
      chainId: chain.id,
      method: "Watcher.pass",
      detail: `no end within ${PASS_MILLIS} milliseconds`
    })
    const looked = yield* watched.pipe(
      Effect.timeoutOrElse({ duration: PASS_MILLIS, orElse: () => Effect.fail(silence) }),
      Effect.catchTag("ChainUnavailable", (unavailable) =>
        Effect.succeed({ transactions: 0, findings: [{ ...NOTHING, unavailable }] } satisfies Looked)
      )
    )
    const failures = looked.findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]))
    // Nodes that contradict each other answer, so this tells more than a lost request beside it.
    const told = failures.find(({ isContradiction }) => isContradiction === true) ?? failures[0]
    const failed = told === silence ? began : yield* Clock.currentTimeMillis
    yield* alertUnavailable(client, told === undefined ? undefined : { unavailable: told, atMillis: failed })
    return looked
  })

  const passOn = Effect.fnUntraced(function* (client: ChainClient, maxAgeMillis: number, patience: Patience) {
    const looked = yield* guarded(client, watchChain(client, maxAgeMillis, patience))
    const hadWork = looked.transactions > 0 || looked.findings.some(({ unavailable }) => unavailable === undefined)
    yield* idle.passed(client, hadWork)
    return looked
  })

  const scheduled = Effect.fnUntraced(function* (client: ChainClient) {
    if (yield* idle.isIdle(client)) {
      return yield* guarded(client, Effect.as(client.recentHead(IDLE_HEAD_MILLIS), { transactions: 0, findings: [] }))
    }
    return yield* passOn(client, Math.min(HEAD_MILLIS, client.chain.blockTimeMillis), "patient")
  })

  return { pass: (client: ChainClient) => passOn(client, 0, "impatient"), scheduled, isPrompt: idle.isPrompt }
})

/** Message of the alert. Nodes that contradict each other answer, and hold only what depends on the answer. */
const messageOf = (chain: string, { detail, isContradiction = false }: ChainUnavailable): string => {
  const seconds = UNAVAILABLE_MILLIS / 1_000
  return isContradiction
    ? `Endpoints of ${chain} have contradicted each other for more than ${seconds} seconds: ${detail}. The sweeps that depend on the answer wait, and none is lost. Compare the endpoints, and remove the one that is wrong.`
    : `The nodes of ${chain} have given a process no usable answer for more than ${seconds} seconds. If they give none to any process, its sweeps wait, and none is lost. Check the nodes, and the network of the process that logs watch.chain_unavailable.`
}

interface Failure {
  readonly unavailable: ChainUnavailable
  /** UNIX milliseconds since when it is known. */
  readonly atMillis: number
}

/**
 * Makes the function that takes the outcome of each pass, and raises the alert or ends it. Failures that are too few for an alert end
 * none, so that a process takes over the alert of its predecessor.
 */
const makeAlertUnavailable = Effect.gen(function* () {
  const alerts = yield* RenewedAlerts
  /** UNIX milliseconds of the first of the failures in a row, by chain id. */
  const failingSince = new Map<number, number>()

  return Effect.fnUntraced(function* ({ chain }: ChainClient, failure: Failure | undefined) {
    const key = `chain_unavailable:${chain.id}`
    if (failure === undefined) {
      failingSince.delete(chain.id)
      return yield* alerts.end(key)
    }
    const { detail, message, method } = failure.unavailable
    yield* Effect.logWarning("watch.chain_unavailable").pipe(
      Effect.annotateLogs({ chain: chain.name, chainId: chain.id, detail: message })
    )
    const since = failingSince.get(chain.id) ?? failure.atMillis
    failingSince.set(chain.id, since)
    if ((yield* Clock.currentTimeMillis) - since < UNAVAILABLE_MILLIS) return
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "chain_unavailable",
      message: messageOf(chain.name, failure.unavailable),
      details: { chainId: chain.id, method, detail }
    })
  })
})
