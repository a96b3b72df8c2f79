/** Gathers what the chain shows about an intent that its own transaction did not settle (domain/SweepVerdict). */
import { Clock, Effect, Option } from "effect"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import { position } from "../../domain/OrderNonce.ts"
import type { Evidence, UnsettledCause } from "../../domain/SweepVerdict.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, Log } from "../../ports/shared/Chains.ts"
import { type ChainView, isDeep, isPast } from "../shared/ChainView.ts"

/**
 * Seconds that the clock must be past an unsent intent's deadline before it expires without a block that proves it: a chain
 * that makes blocks only on demand may make none. A sent intent waits for the block, since a halted chain may resume with
 * earlier timestamps.
 */
const CLOCK_MARGIN_SECONDS = 60

export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts

  const isNonceSpent = Effect.fnUntraced(function* ({ client, confirmed }: ChainView, { order }: Intent) {
    if (Option.isNone(confirmed)) return false
    const { mask, word } = position(order.nonce)
    return ((yield* contracts.nonceBitmap(client, order.owner, word, confirmed.value.number)) & mask) !== 0n
  })

  /** UNIX seconds. An unsent intent with an earlier deadline can no longer settle. */
  const expiredBefore = Effect.fnUntraced(function* ({ confirmed }: ChainView) {
    const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const byClock = BigInt(nowSeconds - CLOCK_MARGIN_SECONDS)
    return Option.match(confirmed, {
      onNone: () => byClock,
      onSome: ({ timestamp }) => (timestamp > byClock ? timestamp : byClock)
    })
  })

  /** `found` is the log of the order's settlement, if there is one. */
  const gather = Effect.fnUntraced(function* (
    view: ChainView,
    intent: Intent,
    cause: UnsettledCause,
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

  return { expiredBefore, gather }
})

const accountKind = (account: AccountCode, { chain }: ChainClient): Evidence["account"] => {
  if (account._tag === "Plain") return "plain"
  return account._tag === "Delegated" && account.delegate === chain.contracts.delegate ? "ours" : "other"
}
