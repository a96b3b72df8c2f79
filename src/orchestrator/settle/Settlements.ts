/**
 * Ends intents by what their source chain proves (design, "Rules of money", 1): by the guard's `Swept` event where there is
 * one, whoever sent the transaction, and only where there is none by a failure.
 */
import { Array, Clock, Context, Effect, Layer, Option } from "effect"
import { outboxMessages, sweepId } from "../../domain/Accrual.ts"
import { erc20 } from "../../domain/Chain.ts"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import type { Hash } from "../../domain/Hex.ts"
import { position } from "../../domain/OrderNonce.ts"
import { isCrossChain } from "../../domain/SweepOrder.ts"
import { settles, type Swept } from "../../domain/Swept.ts"
import { type Cause, type Evidence, verdict } from "../../domain/SweepVerdict.ts"
import type { Block, ChainClient, ChainUnavailable, Log, Receipt } from "../../ports/shared/Chains.ts"
import { type Intent, Intents, type Step } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { type ChainView, inconsistent, isDeep, isPast } from "../shared/ChainView.ts"

/**
 * What became of an intent. `elsewhere`: another process moved it first. `undecided`: more blocks are needed. `retry`: it
 * is still wanted and possible.
 */
export type Resolution = "settled_source" | "delivered" | "failed" | "elsewhere" | "undecided" | "retry"

/** A transaction's receipt with its canonical block, and what the transaction carried. */
export interface Mined {
  readonly receipt: Receipt
  readonly block: Block
  readonly intents: ReadonlyArray<Intent>
}

/** Intents that one step of the store moves, at most. */
const STEPS = 500

/** Nodes bound the block range of one log query. */
const LOG_RANGE = 5_000n

/**
 * By how many seconds the clock must have passed the deadline of a never sent intent before it counts without a block that
 * says so: a chain that makes blocks only on demand may make none. What was sent waits for the block, since a chain that
 * stood still may come back with blocks from before.
 */
const CLOCK_MARGIN_SECONDS = 60

export class Settlements extends Context.Service<
  Settlements,
  {
    /**
     * Books what receipts in blocks that count prove, each of the intents that it carried: all of it in one step of the store.
     * The result has those that a receipt settles; `elsewhere` are those that had moved on before.
     */
    readonly settleAll: (
      view: ChainView,
      mined: ReadonlyArray<Mined>
    ) => Effect.Effect<ReadonlyMap<string, Resolution>, StoreUnavailable>
    /** Whether the receipt holds the guard's event for the intent's order. */
    readonly isSettledBy: (client: ChainClient, intent: Intent, receipt: Receipt) => boolean
    /** Decides an intent that its own transaction, if it had one, did not settle. `detail` explains a failure. */
    readonly resolve: (
      view: ChainView,
      intent: Intent,
      cause: Cause,
      detail: string
    ) => Effect.Effect<Resolution, ChainUnavailable | StoreUnavailable>
    /** UNIX seconds: an intent that was never sent and whose deadline is before can no longer be settled. */
    readonly expiredBefore: (view: ChainView) => Effect.Effect<bigint>
  }
>()("sweep/orchestrator/Settlements") {
  static readonly layer = Layer.effect(
    Settlements,
    Effect.gen(function* () {
      const contracts = yield* SweepContracts
      const intents = yield* Intents

      const proves = (client: ChainClient, intent: Intent) => (log: Pick<Log, "address" | "topics" | "data">) =>
        Option.exists(contracts.decodeSwept(client.chain.contracts.guard, log), (event) =>
          settles(event, intent.order, intent.orderDigest)
        )

      /** Another process may have ended the intent meanwhile: then it is as it should be. */
      const apply = (...[id, events, consequences]: Parameters<typeof intents.apply>) =>
        intents.apply(id, events, consequences).pipe(
          Effect.as(true),
          Effect.catchTag("IllegalTransition", () => Effect.succeed(false))
        )

      /** The steps that settle those intents whose event the receipt holds; every log is decoded once. */
      const stepsOf = ({ client }: ChainView, { block, intents, receipt }: Mined): ReadonlyArray<Step> => {
        const { chain } = client
        const events = new Map<Hash, { readonly event: Swept; readonly index: number }>()
        for (const [index, log] of receipt.logs.entries()) {
          const event = Option.getOrUndefined(contracts.decodeSwept(chain.contracts.guard, log))
          if (event !== undefined && !events.has(event.orderHash)) events.set(event.orderHash, { event, index })
        }
        const txHash = receipt.transactionHash
        return intents.flatMap(({ attributed, id, order, orderDigest }) => {
          const found = events.get(orderDigest)
          if (found === undefined || !settles(found.event, order, orderDigest)) return []
          const outbox = outboxMessages(
            {
              sweepId: sweepId(txHash, found.index),
              chainId: chain.id,
              feeToken: erc20(chain, order.tokenIn),
              feeAmount: order.feeAmount,
              builderFee: order.builderFee,
              txHash,
              settledAtMs: Number(block.timestamp) * 1000
            },
            attributed
          )
          const delivered = isCrossChain(order, chain.id) ? [] : [{ _tag: "Delivered", txHash } as const]
          return [{ id, events: [{ _tag: "SettledAtSource", txHash }, ...delivered], outbox }]
        })
      }

      const settleAll: Settlements["Service"]["settleAll"] = Effect.fn("Settlements.settleAll")(
        function* (view, mined) {
          const steps = mined.filter(({ block }) => isDeep(view, block.number)).flatMap((each) => stepsOf(view, each))
          const moved = new Set<string>()
          for (const chunk of Array.chunksOf(steps, STEPS)) {
            for (const id of yield* intents.applyAll(chunk)) moved.add(id)
          }
          return new Map(
            steps.map(({ events, id }): readonly [string, Resolution] => {
              if (!moved.has(id)) return [id, "elsewhere"]
              return [id, events.length === 1 ? "settled_source" : "delivered"]
            })
          )
        }
      )

      /** The order's settlement among the guard's logs since it was quoted, whoever sent it. */
      const search = Effect.fnUntraced(function* ({ client, head }: ChainView, intent: Intent) {
        const { guard } = client.chain.contracts
        const topics = contracts.sweptTopics(intent.orderDigest)
        for (let fromBlock = intent.quotedAtBlock; fromBlock <= head.number; fromBlock += LOG_RANGE) {
          const end = fromBlock + LOG_RANGE - 1n
          const toBlock = end < head.number ? end : head.number
          const found = (yield* client.logs({ address: guard, topics, fromBlock, toBlock })).find(
            proves(client, intent)
          )
          if (found !== undefined) return Option.some(found)
        }
        return Option.none<Log>()
      })

      const isNonceSpent = Effect.fnUntraced(function* ({ client, confirmed }: ChainView, { order }: Intent) {
        if (Option.isNone(confirmed)) return false
        const { mask, word } = position(order.nonce)
        return ((yield* contracts.nonceBitmap(client, order.owner, word, confirmed.value.number)) & mask) !== 0n
      })

      const expiredBefore = Effect.fnUntraced(function* ({ confirmed }: ChainView) {
        const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const byClock = BigInt(nowSeconds - CLOCK_MARGIN_SECONDS)
        return Option.match(confirmed, {
          onNone: () => byClock,
          onSome: ({ timestamp }) => (timestamp > byClock ? timestamp : byClock)
        })
      })

      const evidence = Effect.fnUntraced(function* (
        view: ChainView,
        intent: Intent,
        cause: Cause,
        found: Option.Option<Log>
      ) {
        const { client } = view
        const { amountIn, owner, tokenIn } = intent.order
        const [code, balance, nonceSpent, expired] = yield* Effect.all(
          [
            client.code(owner),
            contracts.balanceOf(client, tokenIn, owner, "latest"),
            isNonceSpent(view, intent),
            cause._tag === "Unsent"
              ? Effect.map(expiredBefore(view), (before) => intent.order.deadline < before)
              : Effect.succeed(isPast(view, intent.order.deadline))
          ],
          { concurrency: "unbounded" }
        )
        const settlement = Option.match(found, {
          onNone: () => "none" as const,
          onSome: (log) => (isDeep(view, log.blockNumber) ? ("final" as const) : ("recent" as const))
        })
        return {
          settlement,
          nonceSpent,
          expired,
          account: accountKind(accountCode(code), client),
          holdsInput: balance >= amountIn
        } satisfies Evidence
      })

      const resolve: Settlements["Service"]["resolve"] = Effect.fn("Settlements.resolve")(
        function* (view, intent, cause, detail) {
          const { client } = view
          const found = yield* search(view, intent)
          const decided = verdict(cause, yield* evidence(view, intent, cause, found))
          switch (decided._tag) {
            case "Settle": {
              if (Option.isNone(found)) return yield* inconsistent(client)
              const receipt = yield* client.receipt(found.value.transactionHash)
              if (Option.isNone(receipt)) return yield* inconsistent(client)
              const block = yield* client.block(receipt.value.blockNumber)
              if (Option.isNone(block) || block.value.hash !== receipt.value.blockHash)
                return yield* inconsistent(client)
              const settled = yield* settleAll(view, [
                { receipt: receipt.value, block: block.value, intents: [intent] }
              ])
              return settled.get(intent.id) ?? "undecided"
            }
            case "Wait":
              return "undecided"
            case "Retry":
              return "retry"
            case "Fail": {
              const { reason } = decided
              const applied = yield* apply(intent.id, [{ _tag: "Failed", reason }], { detail })
              if (!applied) return "elsewhere"
              yield* Effect.logWarning("sweep failed").pipe(Effect.annotateLogs({ reason, detail }))
              return "failed"
            }
          }
        },
        (effect, view, intent) => Effect.annotateLogs(effect, describe(view.client, intent))
      )

      return {
        settleAll,
        isSettledBy: (client, intent, receipt) => receipt.logs.some(proves(client, intent)),
        resolve,
        expiredBefore
      }
    })
  )
}

/** What an operator asks about an intent in a log line. */
export const describe = (client: ChainClient, intent: Intent): Record<string, string | number> => ({
  intentId: intent.id,
  chain: client.chain.name,
  chainId: client.chain.id,
  owner: intent.order.owner,
  deadline: intent.order.deadline.toString()
})

const accountKind = (account: AccountCode, { chain }: ChainClient): Evidence["account"] => {
  if (account._tag === "Plain") return "plain"
  return account._tag === "Delegated" && account.delegate === chain.contracts.delegate ? "ours" : "other"
}
