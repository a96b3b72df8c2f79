/** Lives of sweeps in the stores: quoted, submitted, claimed, carried, settled and told, as the service does it. */
import { Effect } from "effect"
import { Intents, type NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission } from "../../test/support/IntentFixtures.ts"

/** Sweeps of one transaction. */
const BATCH = 32
const AT_ONCE = 8
const CHAIN = 1
const LANE = address(0x1a4e)

/** A quote with the calldata of a swap, which no compression shortens much. */
const quoted = (id: string, owner: number): NewIntent => {
  const intent = newIntent({ id, owner, nonce: 0n, builderId: "bld" })
  const words = Array.from({ length: 9 }, (_, word) => hash(`${id} ${word}`).slice(2))
  return { ...intent, order: { ...intent.order, swapCalldata: `0x04e45aaf${words.join("")}` } }
}

const message = (id: string) => ({
  _tag: "Revenue" as const,
  revenue: { sweepId: `${id}_0`, chainId: CHAIN, token: address(0xa), amount: 3n, txHash: hash(id), settledAtMs: 1 }
})

const relayed = Effect.fnUntraced(function* (name: string) {
  const intents = yield* Intents
  const outbox = yield* Outbox
  const transactions = yield* RelayTransactions
  const claimed = yield* intents.claim({ chainId: CHAIN, worker: "bench", leaseMillis: 30_000, limit: BATCH })
  if (claimed.length === 0) return 0
  const ids = claimed.map(({ id }) => id)
  const signed = attempt(`${name} ${ids[0]}`)
  const { id } = yield* transactions.allocate({
    chainId: CHAIN,
    lane: LANE,
    chainNonce: 0n,
    intentIds: ids,
    sign: () => Effect.succeed(signed)
  })
  yield* transactions.markBroadcast(signed.hash)
  yield* transactions.setInclusion(id, { hash: signed.hash, blockNumber: 1n, blockHash: signed.hash })
  const txHash = signed.hash
  yield* intents.applyAll(
    ids.map((each) => ({
      id: each,
      events: [
        { _tag: "SettledAtSource", txHash },
        { _tag: "Delivered", txHash }
      ],
      outbox: [message(each)]
    }))
  )
  yield* transactions.finalize([{ id, cost: 1n }])
  for (const topic of ["ledger", "events"] as const) {
    const due = yield* outbox.claim({ topic, limit: 4 * BATCH, leaseMillis: 30_000 })
    yield* Effect.forEach(due, (entry) => outbox.acknowledge(entry.id), { concurrency: "unbounded", discard: true })
  }
  return claimed.length
})

/** Runs `count` sweeps through all of it. */
export const run = Effect.fnUntraced(function* (name: string, count: number) {
  const intents = yield* Intents
  const ids = Array.from({ length: count }, (_, n) => `${hash(`${name} ${n}`).slice(2, 34)}-${name}`)
  const start = name.length * 1_000_000
  yield* Effect.forEach(
    ids,
    (id, n) =>
      Effect.andThen(
        intents.create(quoted(id, start + n)),
        Effect.andThen(intents.find(id), intents.submit(id, submission()))
      ),
    { concurrency: AT_ONCE, discard: true }
  )
  for (let done = 0; done < count;) done += yield* relayed(name)
})
