/** One pass of the watcher over everything unfinished on every chain. */
import { Effect, Option, Semaphore } from "effect"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type Block, type ChainClient, Chains, type ChainUnavailable } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type ChainView, look } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { describe, type Resolution, Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as WatchConclusion from "./Conclusion.ts"
import { CONCURRENCY, type Finding, isolated, NOTHING, type Pass, type Progress } from "./Conclusion.ts"
import * as WatchTransaction from "./Transaction.ts"

/** What a pass moved. */
export interface PassReport {
  /** Relay transactions looked at. */
  readonly transactions: number
  readonly rebroadcast: number
  readonly replaced: number
  readonly settledSource: number
  readonly delivered: number
  readonly failed: number
  /** Chains whose node did not answer; their intents wait for the next pass. */
  readonly unavailableChains: ReadonlyArray<number>
}

/** How deep a reorganisation may be that is still noticed: two epochs of Ethereum, beyond which blocks are final. */
const REORG_DEPTH = 64n

const lostKey = (chainId: number): string => `reorg_after_final:${chainId}`

/** Transactions whose receipts are asked for at once. */
const LOOKS = 64

type Asked = readonly [bigint, ReturnType<Pass["block"]>]

/** A pass over every chain. Passes of one process run one at a time. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const bridge = yield* Bridge
  const chains = yield* Chains
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions
  const { conclude } = yield* WatchConclusion.make
  const { watch } = yield* WatchTransaction.make

  /** The canonical block of a number, asked for once. */
  const blocks = ({ client, head }: ChainView): Pass["block"] => {
    const known = new Map([[head.number, Effect.succeedSome(head)] as Asked])
    return Effect.fnUntraced(function* (number) {
      const asked = known.get(number) ?? (yield* Effect.cached(client.block(number)))
      known.set(number, asked)
      return yield* asked
    })
  }

  const watchTransactions = Effect.fnUntraced(function* (
    view: ChainView,
    unfinished: ReadonlyArray<RelayTransaction>
  ): Effect.fn.Return<ReadonlyArray<Finding>, ChainUnavailable | StoreUnavailable> {
    if (unfinished.length === 0) return []
    const { client } = view
    const lanes = [...new Set(unfinished.map(({ lane }) => lane))]
    const [nonces, market] = yield* Effect.all(
      [
        Effect.forEach(
          lanes,
          (lane) => Effect.map(client.transactionCount(lane, "latest"), (nonce) => [lane, nonce] as const),
          { concurrency: "unbounded" }
        ),
        client.feesPerGas
      ],
      { concurrency: "unbounded" }
    )
    const pass = { view, market, laneNonces: new Map(nonces), block: blocks(view) }
    // Receipts are asked for at once, so that they travel together.
    const looked = yield* Effect.forEach(unfinished, (transaction) => isolated(watch(pass, transaction)), {
      concurrency: LOOKS
    })
    const concluding = looked.flatMap((each) => ("receipt" in each ? [each] : []))
    const others = looked.flatMap((each) => ("receipt" in each ? [] : [each]))
    return [...others, ...(yield* conclude(pass, concluding))]
  })

  /** Intents that nothing carries and that no block can settle any more. */
  const expire = Effect.fnUntraced(function* (view: ChainView) {
    const { batch } = settings.watcher
    const before = yield* settlements.expiredBefore(view)
    const expired = yield* intents.overdue(view.client.chain.id, before, batch)
    return yield* Effect.forEach(
      expired,
      (intent) =>
        isolated(
          Effect.map(
            settlements.resolve(view, intent, { _tag: "Unsent" }, "the deadline passed before it was sent"),
            resolved
          )
        ),
      { concurrency: CONCURRENCY }
    )
  })

  const deliver = Effect.fn("Watcher.deliver")(
    function* (client: ChainClient, intent: Intent) {
      if (intent.txHash === undefined) return yield* Effect.die(new Error("a settled intent has no transaction"))
      const receipt = yield* client.receipt(intent.txHash)
      if (Option.isNone(receipt)) return resolved("undecided")
      const delivery = yield* bridge.delivery({
        sourceChainId: client.chain.id,
        order: intent.order,
        receipt: receipt.value
      })
      switch (delivery._tag) {
        case "Pending":
          return resolved("undecided")
        case "Delivered": {
          const { txHash } = delivery
          const event = { _tag: "Delivered", txHash } as const
          yield* intents.apply(intent.id, [event], { detail: `delivered ${delivery.amountOut}` })
          yield* Effect.logInfo("sweep delivered").pipe(Effect.annotateLogs({ deliveryTxHash: txHash }))
          return resolved("delivered")
        }
        case "Refunded":
          yield* intents.apply(intent.id, [{ _tag: "Failed", reason: "bridge_refunded" }], {
            detail: "the bridge did not deliver in time and returns the deposit to the owner"
          })
          yield* Effect.logWarning("sweep refunded by the bridge")
          return resolved("failed")
      }
    },
    (effect, client, intent) =>
      effect.pipe(
        // Another process was faster.
        Effect.catchTag("IllegalTransition", () => Effect.succeed(resolved("elsewhere"))),
        Effect.annotateLogs({ ...describe(client, intent), txHash: intent.txHash ?? "none" })
      )
  )

  /** The head of the pass before, of each chain. */
  const heads = new Map<number, Block>()

  /**
   * Takes up again what was final and lost its block. As long as the previous head is canonical, so is everything below it:
   * only where it is not, or not known, the blocks of recent final transactions are looked at. A block that the node does not
   * have proves nothing, and is looked at again.
   */
  const reopenLost = Effect.fn("Watcher.reopenLost")(function* ({ client, head }: ChainView) {
    const { chain } = client
    const isCanonical = (hash: Block["hash"]) => (block: Option.Option<Block>) =>
      Option.map(block, (found) => found.hash === hash)
    const last = heads.get(chain.id)
    if (last !== undefined) {
      const stands =
        last.hash === head.hash ? Option.some(true) : isCanonical(last.hash)(yield* client.block(last.number))
      if (Option.contains(stands, true)) {
        heads.set(chain.id, head)
        return
      }
    }
    const finals = yield* transactions.finalFrom(chain.id, head.number > REORG_DEPTH ? head.number - REORG_DEPTH : 0n)
    const numbers = [...new Set(finals.map(({ inclusion }) => inclusion.blockNumber))]
    const blocks = new Map(
      yield* Effect.forEach(
        numbers,
        (number) => Effect.map(client.block(number), (block) => [number, block] as const),
        {
          concurrency: "unbounded"
        }
      )
    )
    const checked = finals.map(({ id, inclusion }) => ({
      id,
      stands: isCanonical(inclusion.blockHash)(blocks.get(inclusion.blockNumber) ?? Option.none())
    }))
    const lost = checked.flatMap(({ id, stands }) => (Option.contains(stands, false) ? [id] : []))
    if (lost.length > 0) {
      yield* transactions.reopen(lost)
      yield* alerts.raise({
        key: lostKey(chain.id),
        severity: "critical",
        kind: "reorg_after_final",
        message: `A reorganisation of ${chain.name} went deeper than its ${chain.confirmations} confirmations: transactions that had settled sweeps lost their blocks, and are sent again.`,
        details: { chainId: chain.id, head: head.number.toString(), transactions: lost.length }
      })
    }
    if (checked.every(({ stands }) => Option.isSome(stands))) heads.set(chain.id, head)
  })

  const deliveries = (client: ChainClient, open: ReadonlyArray<Intent>) =>
    Effect.forEach(
      open.filter(({ order }) => isCrossChain(order, client.chain.id)),
      (intent) => isolated(deliver(client, intent)),
      { concurrency: CONCURRENCY }
    )

  const watchChain = Effect.fn("Watcher.watchChain")(function* (client: ChainClient) {
    const { chain } = client
    const view = yield* look(client)
    yield* reopenLost(view)
    const unfinished = yield* transactions.unfinished(chain.id)
    if (!unfinished.some(({ reopened }) => reopened)) yield* alerts.clear(lostKey(chain.id))
    const settled = yield* intents.inStatus(chain.id, ["settled_source"], settings.watcher.batch)
    const findings: ReadonlyArray<Finding> = [
      ...(yield* watchTransactions(view, unfinished)),
      ...(yield* expire(view)),
      ...(yield* deliveries(client, settled))
    ]
    return { transactions: unfinished.length, findings }
  })

  /** Nothing that a chain's node does keeps the other chains waiting. */
  const tolerant = Effect.fnUntraced(function* (client: ChainClient) {
    const { chain } = client
    const looked = yield* watchChain(client).pipe(
      Effect.catchTag("ChainUnavailable", (unavailable) =>
        Effect.succeed({ transactions: 0, findings: [{ ...NOTHING, unavailable }] })
      )
    )
    const failures = looked.findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]))
    const own = failures.find(({ chainId }) => chainId === chain.id)
    const key = `chain_unavailable:${chain.id}`
    if (own === undefined) yield* alerts.clear(key)
    else {
      yield* Effect.logWarning(own.message)
      yield* alerts.raise({
        key,
        severity: "critical",
        kind: "chain_unavailable",
        message: `The node of ${chain.name} does not answer: its sweeps wait, and none is lost.`,
        details: { chainId: chain.id, method: own.method, detail: own.detail }
      })
    }
    return looked
  })

  const oneAtATime = yield* Semaphore.make(1)

  return oneAtATime.withPermit(Effect.map(Effect.forEach(chains.all, tolerant, { concurrency: "unbounded" }), report))
})

const resolved = (resolution: Resolution): Progress => ({ action: "none", resolutions: [resolution] })

const report = (
  looked: ReadonlyArray<{ readonly transactions: number; readonly findings: ReadonlyArray<Finding> }>
): PassReport => {
  const findings = looked.flatMap((chain) => chain.findings)
  const resolutions = findings.flatMap((finding) => finding.resolutions)
  const acted = (action: Finding["action"]) => findings.filter((finding) => finding.action === action).length
  const became = (resolution: Resolution) => resolutions.filter((each) => each === resolution).length
  return {
    transactions: looked.reduce((sum, chain) => sum + chain.transactions, 0),
    rebroadcast: acted("rebroadcast"),
    replaced: acted("replaced"),
    settledSource: became("settled_source"),
    delivered: became("delivered"),
    failed: became("failed"),
    unavailableChains: [
      ...new Set(findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable.chainId])))
    ]
  }
}
