/** Compares what the lanes paid on chain with what the service booked, and finds sweeps that were sent or judged wrongly. */
import { Effect } from "effect"
import { parseEther } from "viem"
import type * as Checker from "../Checker.ts"
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

/** Intents whose sweep more than one mined transaction carried. A sweep that was left out of a version was not in it. */
export const sentTwice = ({ sql }: World) =>
  Effect.map(
    sql<{ id: string }>`
      SELECT l.intent_id AS id FROM orchestrator.relay_transaction_intents l
      JOIN orchestrator.relay_transactions t ON t.id = l.transaction_id
      JOIN orchestrator.relay_attempts a ON a.hash = t.included_hash
      WHERE t.kind = 'sweep' AND position(decode(right(l.account, 40), 'hex') IN a.raw) > 0
      GROUP BY l.intent_id HAVING count(*) > 1`,
    (rows) => rows.map(({ id }) => id)
  )

/** Intents that ended as failed although the chain shows that they settled. */
export const calledFailed = ({ intents, settlements }: Checker.Observed): ReadonlyArray<string> => {
  const settled = new Set(settlements.map(({ chainId, orderHash }) => `${chainId} ${orderHash}`))
  return intents.flatMap(({ chainId, history, id, orderHash, status }) =>
    status === "failed" && !history.includes("SettledAtSource") && settled.has(`${chainId} ${orderHash}`) ? [id] : []
  )
}
