/** Finds the guard's events of intents: `Swept`, which proves a settlement, and those that say who else spent the nonce. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Generations from "../../domain/Generations.ts"
import { settles } from "../../domain/Swept.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, Log, Receipt } from "../../ports/shared/Chains.ts"
import type { ChainView } from "../shared/ChainView.ts"
import * as GuardLogs from "./GuardLogs.ts"
import * as SettlementSteps from "./SettlementSteps.ts"

/** Blocks before the quote's in which a nonce may have been spent: the node that quoted may have been behind. */
const SPENDER_MARGIN = 300n

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const logs = yield* GuardLogs.make

  const guardsOf = ({ chain }: ChainClient, { order }: Pick<Intent, "order">) =>
    Generations.guardsOf(chain, order.nonce)

  const proves = (client: ChainClient, intent: Intent) => (log: Pick<Log, "address" | "topics" | "data">) =>
    guardsOf(client, intent).some((guard) =>
      Option.exists(contracts.decodeSwept(guard, log), (event) => settles(event, intent.order, intent.orderDigest))
    )

  /** True when the receipt holds a guard's event for the intent's order. */
  const isSettledBy = (client: ChainClient, intent: Intent, receipt: Receipt): boolean =>
    receipt.logs.some(proves(client, intent))

  /** Searches the guard's logs for the order's settlement since its quote, by any transaction. */
  const search = (view: ChainView, intent: Intent) =>
    logs.first(view, intent, {
      search: "settlement",
      topics: contracts.sweptTopics(intent.orderDigest),
      fromBlock: intent.quotedAtBlock,
      toBlock: view.head.number,
      fits: proves(view.client, intent)
    })

  /**
   * True when an event of the guard up to `toBlock` says that a cancellation or another order spent the order's nonce there. An event
   * counts only if its block is canonical, since the node that returns it may be on another branch.
   */
  const isSpentOtherwise = Effect.fnUntraced(function* (
    view: ChainView,
    intent: Intent,
    { guard, toBlock }: { readonly guard: Address.Address; readonly toBlock: bigint }
  ) {
    const { client } = view
    const { order, orderDigest, quotedAtBlock } = intent
    const spends = (log: Log) =>
      Option.exists(
        contracts.decodeSpent(guard, log),
        ({ nonce, orderHash, owner }) => owner === order.owner && nonce === order.nonce && orderHash !== orderDigest
      )
    const fromBlock = GuardLogs.larger(quotedAtBlock - SPENDER_MARGIN, 0n)
    const [otherSweeps = [], cancellations = []] = contracts.spentTopics(order.owner)
    const found = yield* logs
      .first(view, intent, {
        search: "otherSweeps",
        topics: otherSweeps,
        fromBlock,
        toBlock,
        fits: spends
      })
      .pipe(
        Effect.flatMap((sweep) =>
          Option.isSome(sweep)
            ? Effect.succeed(sweep)
            : logs.first(view, intent, {
                search: "cancellations",
                topics: cancellations,
                fromBlock,
                toBlock,
                fits: spends
              })
        )
      )
    if (Option.isSome(found)) return yield* isCanonical(client, found.value)
    yield* logs.restart(intent)
    return false
  })

  return { isSettledBy, stepsOf: SettlementSteps.make(contracts), search, isSpentOtherwise }
})

const isCanonical = (client: ChainClient, { blockHash, blockNumber }: Log) =>
  Effect.map(
    client.block(blockNumber),
    Option.exists(({ hash }) => hash === blockHash)
  )
