/** Gathers what the chain shows about an intent that its own transaction did not settle (domain/SweepVerdict). */
import { Clock, Effect, Option } from "effect"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import { position } from "../../domain/OrderNonce.ts"
import type { Evidence, UnsettledCause } from "../../domain/SweepVerdict.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import { type ChainView, isDeep, isPast } from "../shared/ChainView.ts"
import type * as SweptEvents from "./SweptEvents.ts"

/**
 * Seconds that the clock must be past an unsent intent's deadline before it expires without a block that proves it: a chain
 * that makes blocks only on demand may make none. A sent intent waits for the block, since a halted chain may resume with
 * earlier timestamps.
 */
const CLOCK_MARGIN_SECONDS = 60

type Events = Effect.Success<typeof SweptEvents.make>

export const make = Effect.fnUntraced(function* (events: Pick<Events, "isSpentOtherwise">) {
  const contracts = yield* SweepContracts

  /** Reads state and logs up to the same confirmed block. */
  const nonceUse = Effect.fnUntraced(function* (
    { client, confirmed }: ChainView,
    intent: Intent
  ): Effect.fn.Return<Evidence["nonce"], ChainUnavailable> {
    if (Option.isNone(confirmed)) return "unused"
    const { number } = confirmed.value
    const { mask, word } = position(intent.order.nonce)
    const bitmap = yield* contracts.nonceBitmap(client, intent.order.owner, word, number)
    if ((bitmap & mask) === 0n) return "unused"
    return (yield* events.isSpentOtherwise(client, intent, number)) ? "used_otherwise" : "spender_unseen"
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
    const [code, balance, nonce, expired] = yield* Effect.all(
      [
        client.code(owner),
        contracts.balanceOf(client, tokenIn, owner, "latest"),
        nonceUse(view, intent),
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
      nonce,
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
