/** Gathers what the chain shows about an intent that its own transaction did not settle (domain/SweepVerdict). */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Deployment } from "../../domain/Chain.ts"
import { confirmationsFor } from "../../domain/ChainMoney.ts"
import { accountCode, type AccountCode } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { position } from "../../domain/OrderNonce.ts"
import type { Evidence } from "../../domain/SweepVerdict.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Block, ChainUnavailable, Log } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { about, type ChainView, isDeep, isPast } from "../shared/ChainView.ts"
import * as SweepValue from "./SweepValue.ts"
import type * as GuardLogs from "./GuardLogs.ts"
import type * as SweptEvents from "./SweptEvents.ts"

type Events = Effect.Success<typeof SweptEvents.make>

/** An intent as the chain shows it. */
export interface Gathered {
  readonly evidence: Evidence
  /** Log of the order's settlement, if there is one. */
  readonly found: Option.Option<Log>
}

/** Intents whose explained guards are kept. The oldest are forgotten, and searched for again. */
const KEPT = 1_000

/**
 * Guards at which an event said who else spent an intent's nonce. A search that takes several looks has one place for all guards, so after
 * it has passed the event of one guard, a later look does not find that event again.
 */
const makeExplained = () => {
  const byIntent = LatestMap.make<string, ReadonlySet<Address.Address>>(KEPT)
  return {
    has: (id: string, guard: Address.Address): boolean => byIntent.get(id)?.has(guard) === true,
    add: (id: string, guard: Address.Address): void => byIntent.set(id, new Set(byIntent.get(id)).add(guard)),
    forget: byIntent.delete
  }
}

/**
 * Makes `usedAt`: guards of the order at which its nonce is used, its own first. Reads the state of a block by its hash, so that
 * endpoints with other heads cannot answer for another block. A settled order would fail by a lie, so a second endpoint has to agree.
 */
const makeUsedAt =
  (contracts: SweepContracts["Service"]) =>
  ({ client }: ChainView, { order }: Intent, { hash, number }: Pick<Block, "hash" | "number">) => {
    const { mask, word } = position(order.nonce)
    const used = Effect.filter(
      Generations.guardsOf(client.chain, order.nonce),
      (guard) =>
        Effect.map(
          contracts.nonceBitmap(client, order.owner, word, { hash }, guard),
          (bitmap) => (bitmap & mask) !== 0n
        ),
      { concurrency: "unbounded" }
    )
    return about(`the nonces of ${order.owner} in block ${number}`)(
      client.corroborated(used, { blockOf: () => number, needsState: true })
    )
  }

/** Makes `gather(view, intent, own)`. `own`: contracts of the order, since no others tell its outcome. */
export const make = Effect.fnUntraced(function* (events: Pick<Events, "isSpentOtherwise" | "search">) {
  const contracts = yield* SweepContracts
  const worth = yield* SweepValue.make
  const explained = makeExplained()

  /** True when the settlement's block is as deep as the value of the sweep needs. */
  const isSettled = Effect.fnUntraced(function* (view: ChainView, intent: Intent, { blockNumber }: Log) {
    const { chain } = view.client
    if (!isDeep(view, blockNumber)) return false
    if ((chain.confirmationsByValue ?? []).length === 0) return true
    const needed = confirmationsFor(chain, yield* worth(chain.id, intent))
    return view.head.number - blockNumber + 1n >= BigInt(needed)
  })

  const usedAt = makeUsedAt(contracts)

  /**
   * True if the nonce is unused in the newest block, so that nothing has settled the order up to there, and no log needs to be searched.
   * The confirmed block is asked too, since the newest may have lost its place by now. False if the node does not have their state.
   */
  const isUnusedNow = (view: ChainView, intent: Intent) => {
    const confirmed = Option.match(view.confirmed, { onNone: () => [], onSome: (block) => [block] })
    const blocks = new Map([view.head, ...confirmed].map((block) => [block.hash, block]))
    return Effect.forEach(blocks.values(), (block) => usedAt(view, intent, block), {
      concurrency: "unbounded"
    }).pipe(
      Effect.map((used) => used.every((guards) => guards.length === 0)),
      Effect.catchTag("ChainUnavailable", (failure) =>
        failure.isContradiction === true ? Effect.fail(failure) : Effect.succeed(false)
      )
    )
  }

  const nonceUse = Effect.fnUntraced(function* (
    view: ChainView,
    intent: Intent
  ): Effect.fn.Return<Evidence["nonce"], ChainUnavailable | StoreUnavailable | GuardLogs.SearchUnfinished> {
    const { client, confirmed } = view
    if (Option.isNone(confirmed)) return "unused"
    const { number } = confirmed.value
    const isLeg = intent.submission?.batch !== undefined
    const isRefusedBy = (guards: ReadonlyArray<Address.Address>) =>
      Generations.isRefusedBy(client.chain, guards, intent.order.nonce, isLeg)
    const used = yield* usedAt(view, intent, confirmed.value)
    // Only its own guard settles a leg: the first generation does not know batches.
    const spent = isLeg ? used.filter((guard) => isRefusedBy([guard])) : used
    // The order may have settled at any guard whose spender is unseen, whatever the others show.
    for (const guard of spent) {
      if (explained.has(intent.id, guard)) continue
      if (!(yield* events.isSpentOtherwise(view, intent, { guard, toBlock: number }))) return "spender_unseen"
      explained.add(intent.id, guard)
    }
    explained.forget(intent.id)
    return isRefusedBy(spent) ? "used_otherwise" : "unused"
  })

  return Effect.fnUntraced(function* (view: ChainView, intent: Intent, own: Deployment) {
    const { client } = view
    const { amountIn, deadline, owner, tokenIn } = intent.order
    const [code, balance, isUnused] = yield* Effect.all(
      [client.code(owner), contracts.balanceOf(client, tokenIn, owner, "latest"), isUnusedNow(view, intent)],
      { concurrency: "unbounded" }
    )
    const found = isUnused ? Option.none() : yield* events.search(view, intent)
    // A settlement decides alone.
    const nonce = isUnused || Option.isSome(found) ? "unused" : yield* nonceUse(view, intent)
    const settlement = Option.isNone(found)
      ? "none"
      : (yield* isSettled(view, intent, found.value))
        ? "final"
        : "recent"
    const evidence: Evidence = {
      settlement,
      nonce,
      expired: isPast(view, deadline),
      account: accountKind(accountCode(code), own.delegate),
      holdsInput: balance >= amountIn
    }
    return { evidence, found } satisfies Gathered
  })
})

const accountKind = (account: AccountCode, delegate: Address.Address): Evidence["account"] => {
  if (account._tag === "Plain") return "plain"
  return account._tag === "Delegated" && account.delegate === delegate ? "ours" : "other"
}
