/** Lives of sweeps in the stores: quoted, submitted, claimed, carried, settled and told, as the service does it. */
import { Effect } from "effect"
import { Intents, type NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../src/ports/orchestrator/Outbox.ts"
import { RelayTransactions } from "../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submission } from "../../test/support/IntentFixtures.ts"

/** Sweeps of one transaction, and transactions that settle together, as those of a block do. */
const BATCH = 32
const TOGETHER = 4
const AT_ONCE = 8
const CHAIN = 1
const LANE = address(0x1a4e)

/** Prices at the settlement, so that earnings and costs are counted in dollars: of the fee's token, and of wei. */
const FEE_PRICE = { usd: 10n ** 18n, decimals: 6 }
const NATIVE_USD = 3_000n * 10n ** 18n

/** Wei that a sweep costs. */
const COST = 10n ** 13n

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

/** Claims sweeps, and stores a transaction that carries them. None if no sweep waits. */
const carried = Effect.fnUntraced(function* (name: string) {
  const intents = yield* Intents
  const transactions = yield* RelayTransactions
  const claimed = yield* intents.claim({ chainId: CHAIN, worker: "bench", leaseMillis: 30_000, limit: BATCH })
  if (claimed.length === 0) return []
  const ids = claimed.map(({ id }) => id)
  const { hash: txHash, ...signed } = attempt(`${name} ${ids[0]}`)
  const { id } = yield* transactions.allocate({
    chainId: CHAIN,
    lane: LANE,
    chainNonce: 0n,
    intentIds: ids,
    sign: () => Effect.succeed({ ...signed, hash: txHash })
  })
  yield* transactions.markBroadcast(txHash)
  const inclusion = { hash: txHash, blockNumber: 1n, blockHash: txHash }
  yield* transactions.setInclusion(id, inclusion)
  return [{ id, ids, inclusion }]
})

type Carried = Effect.Success<ReturnType<typeof carried>>[number]

const settled = Effect.fnUntraced(function* (all: ReadonlyArray<Carried>) {
  yield* (yield* Intents).applyAll(
    all.flatMap(({ ids, inclusion: { hash: txHash } }) =>
      ids.map((id) => ({
        id,
        events: [{ _tag: "SettledAtSource", txHash } as const, { _tag: "Delivered", txHash } as const],
        outbox: [message(id)],
        feePrice: FEE_PRICE
      }))
    )
  )
  yield* (yield* RelayTransactions).finalize(
    all.map(({ id, ids, inclusion }) => ({
      id,
      inclusion,
      cost: COST * BigInt(ids.length),
      nativeUsd: NATIVE_USD,
      parts: ids.map((intentId) => ({ intentId, cost: COST, isSettled: true }))
    }))
  )
})

const relayed = Effect.fnUntraced(function* (name: string) {
  const outbox = yield* Outbox
  const all = (yield* Effect.forEach(Array.from({ length: TOGETHER }), () => carried(name))).flat()
  yield* settled(all)
  for (const topic of ["ledger", "events"] as const) {
    const due = yield* outbox.claim({ topic, limit: 4 * TOGETHER * BATCH, leaseMillis: 30_000 })
    yield* Effect.forEach(due, (entry) => outbox.acknowledge(entry.id), { concurrency: "unbounded", discard: true })
  }
  return all.reduce((sum, { ids }) => sum + ids.length, 0)
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
