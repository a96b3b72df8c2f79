/** Gathers what the chain shows about an intent that its own transaction did not settle (domain/SweepVerdict). */
import { Effect, Option } from "effect"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import { position } from "../../domain/OrderNonce.ts"
import type { Evidence } from "../../domain/SweepVerdict.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type ChainView, isDeep, isPast } from "../shared/ChainView.ts"
import type * as SweptEvents from "./SweptEvents.ts"

type Events = Effect.Success<typeof SweptEvents.make>

export const make = Effect.fnUntraced(function* (events: Pick<Events, "isSpentOtherwise">) {
  const contracts = yield* SweepContracts

  /** Reads the state of the confirmed block by its hash, so that endpoints with other heads cannot answer for another block. */
  const nonceUse = Effect.fnUntraced(function* (
    view: ChainView,
    intent: Intent
  ): Effect.fn.Return<Evidence["nonce"], ChainUnavailable | StoreUnavailable | SweptEvents.SearchUnfinished> {
    const { client, confirmed } = view
    if (Option.isNone(confirmed)) return "unused"
    const { hash, number } = confirmed.value
    const { mask, word } = position(intent.order.nonce)
    const bitmap = yield* contracts.nonceBitmap(client, intent.order.owner, word, { hash })
    if ((bitmap & mask) === 0n) return "unused"
    return (yield* events.isSpentOtherwise(view, intent, number)) ? "used_otherwise" : "spender_unseen"
  })

  /** `found` is the log of the order's settlement, if there is one. */
  return Effect.fnUntraced(function* (view: ChainView, intent: Intent, found: Option.Option<Log>) {
    const { client } = view
    const { amountIn, deadline, owner, tokenIn } = intent.order
    const [code, balance, nonce] = yield* Effect.all(
      [
        client.code(owner),
        contracts.balanceOf(client, tokenIn, owner, "latest"),
        // A settlement decides alone.
        Option.isSome(found) ? Effect.succeed("unused" as const) : nonceUse(view, intent)
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
      expired: isPast(view, deadline),
      account: accountKind(accountCode(code), client),
      holdsInput: balance >= amountIn
    } satisfies Evidence
  })
})

const accountKind = (account: AccountCode, { chain }: ChainClient): Evidence["account"] => {
  if (account._tag === "Plain") return "plain"
  return account._tag === "Delegated" && account.delegate === chain.contracts.delegate ? "ours" : "other"
}
