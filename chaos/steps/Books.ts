/** Compares what the lanes paid on chain with what the service booked, and finds sweeps that were sent or judged wrongly. */
import { Effect } from "effect"
import { type Hex, parseEther } from "viem"
import type * as Checker from "../Checker.ts"
import * as Orders from "../Orders.ts"
import type { World } from "../World.ts"

/** Native currency that a world gives each lane on each chain. */
const ENDOWMENT = parseEther("1000")

const paid = ({ lanes }: World, { dev }: World["alpha"]) =>
  Effect.map(
    dev.node.ask("read the lanes", (node) => Promise.all(lanes.map((address) => node.getBalance({ address })))),
    (balances) => balances.reduce((sum, balance) => sum + ENDOWMENT - balance, 0n)
  )

const booked = ({ sql }: World, { dev }: World["alpha"]) =>
  Effect.map(
    sql<{ wei: string }>`
      SELECT coalesce(sum(wei), 0)::text AS wei FROM orchestrator.relay_spending WHERE chain_id = ${dev.chain.id}`,
    ([row]) => BigInt(row?.wei ?? 0)
  )

/** Difference in wei of each chain: paid by the lanes, less what is booked. Call it when no transaction is under way. */
export const differences = Effect.fnUntraced(function* (world: World) {
  return yield* Effect.forEach([world.alpha, world.beta], (place) =>
    Effect.map(Effect.all([paid(world, place), booked(world, place)]), ([onChain, inBooks]) => ({
      chain: place.dev.chain.name,
      wei: onChain - inBooks
    }))
  )
})

/** A mined transaction that once had the intent, in its last version. */
interface Carrier {
  readonly id: string
  readonly owner: string
  readonly nonce: string
  readonly raw: Hex
}

/** Ids that more than one of the transactions carries. A sweep that was left out of a version is not in it. */
export const carriedTwice = (carriers: ReadonlyArray<Carrier>): ReadonlyArray<string> => {
  const carried = carriers.filter(({ nonce, owner, raw }) => Orders.carries(raw, { nonce: BigInt(nonce), owner }))
  return [...Map.groupBy(carried, ({ id }) => id)].flatMap(([id, times]) => (times.length > 1 ? [id] : []))
}

/** Intents whose sweep more than one mined transaction carried. */
export const sentTwice = ({ sql }: World) =>
  Effect.map(
    sql<Carrier>`
      SELECT l.intent_id AS id, i.owner, i.order_nonce::text AS nonce, '0x' || encode(a.raw, 'hex') AS raw
      FROM orchestrator.relay_transaction_intents l
      JOIN orchestrator.intent_states i ON i.id = l.intent_id
      JOIN orchestrator.relay_transactions t ON t.id = l.transaction_id
      JOIN orchestrator.relay_attempts a ON a.hash = t.included_hash
      WHERE t.kind = 'sweep' AND l.intent_id IN (
        SELECT intent_id FROM orchestrator.relay_transaction_intents GROUP BY intent_id HAVING count(*) > 1
      )`,
    carriedTwice
  )

/** Intents that ended as failed although the chain shows that they settled. */
export const calledFailed = ({ intents, settlements }: Checker.Observed): ReadonlyArray<string> => {
  const settled = new Set(settlements.map(({ chainId, orderHash }) => `${chainId} ${orderHash}`))
  return intents.flatMap(({ chainId, history, id, orderHash, status }) =>
    status === "failed" && !history.includes("SettledAtSource") && settled.has(`${chainId} ${orderHash}`) ? [id] : []
  )
}
