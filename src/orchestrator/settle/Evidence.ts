/** Gathers what the chain shows about an intent that its own transaction did not settle (domain/SweepVerdict). */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { confirmationsFor } from "../../domain/ChainMoney.ts"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import { position } from "../../domain/OrderNonce.ts"
import type { Evidence } from "../../domain/SweepVerdict.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { type ChainView, isDeep, isPast } from "../shared/ChainView.ts"
import * as SweepValue from "./SweepValue.ts"
import type * as GuardLogs from "./GuardLogs.ts"
import type * as SweptEvents from "./SweptEvents.ts"

type Events = Effect.Success<typeof SweptEvents.make>

export const make = Effect.fnUntraced(function* (events: Pick<Events, "isSpentOtherwise">) {
  const contracts = yield* SweepContracts
  const worth = yield* SweepValue.make

  /** True when the settlement's block is as deep as the value of the sweep needs. */
  const isSettled = Effect.fnUntraced(function* (view: ChainView, intent: Intent, { blockNumber }: Log) {
    const { chain } = view.client
    if (!isDeep(view, blockNumber)) return false
    if ((chain.confirmationsByValue ?? []).length === 0) return true
    const needed = confirmationsFor(chain, yield* worth(chain.id, intent))
    return view.head.number - blockNumber + 1n >= BigInt(needed)
  })

  /** Reads the state of the confirmed block by its hash, so that endpoints with other heads cannot answer for another block. */
  const nonceUse = Effect.fnUntraced(function* (
    view: ChainView,
    intent: Intent
  ): Effect.fn.Return<Evidence["nonce"], ChainUnavailable | StoreUnavailable | GuardLogs.SearchUnfinished> {
    const { client, confirmed } = view
    if (Option.isNone(confirmed)) return "unused"
    const { hash, number } = confirmed.value
    const { mask, word } = position(intent.order.nonce)
    const bitmaps = yield* Effect.forEach(
      Generations.guardsOf(client.chain, intent.order.nonce),
      (guard) => contracts.nonceBitmap(client, intent.order.owner, word, { hash }, guard),
      { concurrency: "unbounded" }
    )
    if (bitmaps.every((bitmap) => (bitmap & mask) === 0n)) return "unused"
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
    const settlement = Option.isNone(found)
      ? "none"
      : (yield* isSettled(view, intent, found.value))
        ? "final"
        : "recent"
    return {
      settlement,
      nonce,
      expired: isPast(view, deadline),
      account: accountKind(accountCode(code), Generations.ofNonce(client.chain, intent.order.nonce).delegate),
      holdsInput: balance >= amountIn
    } satisfies Evidence
  })
})

const accountKind = (account: AccountCode, delegate: Address.Address): Evidence["account"] => {
  if (account._tag === "Plain") return "plain"
  return account._tag === "Delegated" && account.delegate === delegate ? "ours" : "other"
}
