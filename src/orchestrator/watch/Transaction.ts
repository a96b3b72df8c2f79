/** Follows the unfinished relay transactions of a chain: observes each, has {@link plan} decide, and acts on it. */
import { Effect, Option } from "effect"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Block, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { transactionFields } from "../shared/LogFields.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import type { Aside } from "./Aside.ts"
import * as Acting from "./Acting.ts"
import * as Conclusion from "./Conclusion.ts"
import { type ChainPass, type Concluding, type Finding, isolated, NOTHING, type Patience } from "./Findings.ts"
import * as LaneSigning from "./LaneSigning.ts"
import * as Observing from "./Observing.ts"
import { isOverdue, newestOf, plan } from "./Plan.ts"
import * as Turn from "./Turn.ts"

/** Transactions whose receipts are requested at once. */
const RECEIPTS = 64

/**
 * Makes `follow(view, unfinished, patience)`, one look at each of a chain's unfinished transactions. With patience the process leaves
 * those that another one has sent to it for a moment.
 */
export const make = Effect.fnUntraced(function* (aside: Aside) {
  const { conclude, detach, retain: retainMembers } = yield* Conclusion.make(aside)
  const signing = yield* LaneSigning.make
  const act = yield* Acting.make(detach, signing)
  const keptVersions = yield* KeptVersions
  const { isQuiet, observe, retain } = yield* Observing.make
  const settings = yield* OrchestratorSettings
  const turn = yield* Turn.make

  const look = Effect.fn("Watcher.watch")(
    function* (
      pass: ChainPass,
      transaction: RelayTransaction,
      patience: Patience
    ): Effect.fn.Return<Finding | Concluding, ChainUnavailable | StoreUnavailable> {
      if (yield* isQuiet(pass, transaction)) {
        turn.rest(transaction.id)
        return NOTHING
      }
      if (patience === "patient" && aside.isDeciding(transaction.id)) return aside.findingOf(transaction.id)
      if (patience === "patient" && !(yield* turn.isOurs(transaction))) return NOTHING
      const newest = newestOf(transaction)
      if (newest === undefined) {
        return yield* Effect.die(new Error(`relay transaction ${transaction.id} has no attempt`))
      }
      const { found, seen } = yield* observe(pass, transaction, newest)
      const { client, confirmed } = pass.view
      const outageMillis = yield* signing.outageMillis(client.chain, transaction.lane)
      const confirmedAt = Option.getOrUndefined(confirmed)?.timestamp
      const all = { ...seen, isOverdue: isOverdue(transaction, confirmedAt), outageMillis }
      return yield* act(pass, transaction, newest, found, plan(all, settings.relayer))
    },
    (effect, { view }, transaction) => Effect.annotateLogs(effect, transactionFields(view.client, transaction))
  )

  return Effect.fnUntraced(function* (
    view: ChainView,
    unfinished: ReadonlyArray<RelayTransaction>,
    patience: Patience
  ): Effect.fn.Return<ReadonlyArray<Finding>, ChainUnavailable | StoreUnavailable> {
    const { client } = view
    retain(client.chain.id, unfinished)
    turn.retain(client.chain.id, unfinished)
    aside.retain(client.chain.id, unfinished)
    retainMembers(client.chain.id, unfinished)
    if (unfinished.length === 0) {
      yield* keptVersions.review(client.chain)
      yield* signing.review(client.chain)
      return []
    }
    const lanes = [...new Set(unfinished.map(({ lane }) => lane))]
    const nonceOf = (lane: (typeof lanes)[number]) =>
      Effect.map(client.transactionCount(lane, "latest"), (nonce) => [lane, nonce] as const)
    const [nonces, market] = yield* Effect.all(
      [Effect.forEach(lanes, nonceOf, { concurrency: "unbounded" }), client.feesPerGas],
      { concurrency: "unbounded" }
    )
    // Ordered by lane and nonce, so the last one of a lane has its highest nonce.
    const lastNonces = new Map(unfinished.map(({ lane, nonce }) => [lane, nonce] as const))
    const pass = { view, market, lastNonces, laneNonces: new Map(nonces), block: blocksOf(view) }
    // Concurrent requests for receipts travel in one batch to the node.
    const looked = yield* Effect.forEach(unfinished, (transaction) => isolated(look(pass, transaction, patience)), {
      concurrency: RECEIPTS
    })
    yield* keptVersions.review(client.chain)
    yield* signing.review(client.chain)
    const concluding = looked.flatMap((each) => ("receipt" in each ? [each] : []))
    const others = looked.flatMap((each) => ("receipt" in each ? [] : [each]))
    return [...others, ...(yield* conclude(view, concluding, patience))]
  })
})

/** Reads each canonical block of a pass once. */
const blocksOf = ({ client, head }: ChainView): ChainPass["block"] => {
  const known = new Map<bigint, ReturnType<ChainPass["block"]>>([[head.number, Effect.succeedSome<Block>(head)]])
  return Effect.fnUntraced(function* (number) {
    const asked = known.get(number) ?? (yield* Effect.cached(client.block(number)))
    known.set(number, asked)
    return yield* asked
  })
}
