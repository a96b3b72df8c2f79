/** Checks of final transactions: which blocks they read, and the order of what they write. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as Transactions from "../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import * as Reorganisation from "../../../src/orchestrator/watch/Reorganisation.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { Chains as ChainsPort } from "../../../src/ports/shared/Chains.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"

const world = Layer.mergeAll(
  Layer.provideMerge(StandingAlerts.layer, Alerts.layer),
  Transactions.layer,
  Intents.layer,
  Chains.layer([source])
)

/** A chain, and a process that has made no pass on it yet. */
const watched = Effect.fnUntraced(function* (deciding: Set<string> = new Set()) {
  const transactions = yield* RelayTransactions
  const chain = yield* (yield* Chains.MemoryChains).get(source.id)
  const client = yield* (yield* ChainsPort).get(source.id)
  const { reopenLost, review } = yield* Reorganisation.make({
    decidingOn: () => [...deciding],
    isDeciding: (id) => deciding.has(id)
  })
  const read: Array<bigint> = []
  const counting = {
    ...client,
    block: (which: bigint | "latest") => {
      if (which !== "latest") read.push(which)
      return client.block(which)
    }
  }
  const view = Effect.map(client.block("latest"), (head) => ({
    client: counting,
    head: Option.getOrThrow(head),
    confirmed: Option.none()
  }))
  /** One pass. Returns the numbers of the blocks that it read. */
  const pass = Effect.gen(function* () {
    read.length = 0
    yield* reopenLost(yield* view)
    return [...read]
  })
  return {
    chain,
    pass,
    transactions,
    alerts: Effect.map((yield* AlertsPort).list, (standing) => standing.map(({ kind }) => kind)),
    review: Effect.flatMap(view, (now) =>
      Effect.flatMap(transactions.unfinished(source.id), (unfinished) => review(now, unfinished))
    ),
    /** Stores a transaction that ends with this block when `end` runs. */
    sent: Effect.fnUntraced(function* (blockNumber: bigint, blockHash = hash("gone")) {
      const { id } = yield* transactions.allocate({
        chainId: source.id,
        lane: address(0x1a4e),
        chainNonce: 0n,
        intentIds: [],
        sign: (nonce) => Effect.succeed(attempt(`version ${nonce}`))
      })
      const end = transactions.finalize([{ id, inclusion: { hash: hash(id), blockNumber, blockHash } }])
      return { id, end }
    }),
    reopened: Effect.map(transactions.unfinished(source.id), (unfinished) =>
      unfinished.flatMap(({ id, reopened }) => (reopened === undefined ? [] : [id]))
    )
  }
})

describe("the first block that is checked", () => {
  it("counts from the last known head, or from the head that is now if the chain is shorter", () => {
    const from = (head: bigint, last?: bigint) => Reorganisation.checkFrom({ blockTimeMillis: 12_000 }, head, last)
    assert.strictEqual(from(5_000n, 1_000n), 936n)
    assert.strictEqual(from(990n, 1_000n), 926n)
    assert.strictEqual(from(50n, 1_000n), 0n)
  })

  it("covers 15 minutes and at least 64 blocks when a process has not looked before", () => {
    const from = (blockTimeMillis: number) => Reorganisation.checkFrom({ blockTimeMillis }, 10_000n, undefined)
    assert.strictEqual(from(250), 6_400n)
    assert.strictEqual(from(12_000), 9_925n)
    assert.strictEqual(from(60_000), 9_936n)
  })
})

describe("the check of final transactions", () => {
  it.effect("reads a limited number of blocks in each pass, and all of them in time", () =>
    Effect.gen(function* () {
      const { chain, pass, reopened, sent } = yield* watched()
      const lost: Array<string> = []
      for (let number = 1n; number <= 300n; number++) {
        const { hash: canonical } = yield* chain.mine([])
        const isLost = number === 1n || number === 200n || number === 300n
        const { end, id } = yield* sent(number, isLost ? hash("gone") : canonical)
        if (isLost) lost.push(id)
        yield* end
      }
      assert.lengthOf(yield* pass, 128)
      assert.deepStrictEqual(yield* reopened, lost.slice(0, 1))
      yield* chain.mine([])
      // The last head, too.
      assert.lengthOf(yield* pass, 129)
      assert.lengthOf(yield* pass, 44)
      assert.deepStrictEqual(yield* reopened, lost)
      assert.lengthOf(yield* pass, 0)
    }).pipe(Effect.provide(world))
  )

  it.effect("covers one that was decided aside meanwhile, however far the chain has grown until it ends", () =>
    Effect.gen(function* () {
      const deciding = new Set<string>()
      const { chain, pass, reopened, sent } = yield* watched(deciding)
      yield* Effect.repeat(chain.mine([]), { times: 9 })
      const { end, id } = yield* sent(5n)
      deciding.add(id)
      yield* pass
      yield* Effect.repeat(chain.mine([]), { times: 199 })
      yield* pass
      yield* end
      deciding.delete(id)
      yield* pass
      assert.deepStrictEqual(yield* reopened, [id])
    }).pipe(Effect.provide(world))
  )
})

describe("the alert of reopened transactions", () => {
  const failing = Layer.effect(
    RelayTransactions,
    Effect.map(RelayTransactions, (stored) => ({
      ...stored,
      reopen: () => Effect.fail(new StoreUnavailable({ operation: "reopen", detail: "the process stops" }))
    }))
  )

  it.effect("is raised before they are reopened, and ends if none is", () =>
    Effect.gen(function* () {
      const { alerts, chain, pass, review, sent } = yield* watched()
      yield* Effect.repeat(chain.mine([]), { times: 9 })
      yield* (yield* sent(5n)).end
      assert.strictEqual((yield* Effect.exit(pass))._tag, "Failure")
      assert.deepStrictEqual(yield* alerts, ["reorg_after_final"])
      yield* review
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(Layer.provideMerge(failing, world)))
  )

  it.effect("is raised again while a reopened transaction is left", () =>
    Effect.gen(function* () {
      const { alerts, chain, pass, review, sent } = yield* watched()
      yield* Effect.repeat(chain.mine([]), { times: 9 })
      yield* (yield* sent(5n)).end
      yield* pass
      // Another process saw no reopened transaction before this one reopened it.
      yield* (yield* AlertsPort).clear(`reorg_after_final:${source.id}`)
      yield* review
      assert.deepStrictEqual(yield* alerts, ["reorg_after_final"])
    }).pipe(Effect.provide(world))
  )
})
