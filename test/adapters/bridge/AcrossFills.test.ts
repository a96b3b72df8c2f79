/** The search for the event of a fill that is proved, on nodes that answer slowly or not at all. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as FakeEnds from "./fakeEnds.ts"
import { FILL, fillAt, HEAD, message, relayOf, scene } from "./fillScene.ts"

describe("the search for a proved fill", () => {
  it.effect("ends after 20 seconds with the block that it came to, where the next one continues", () =>
    Effect.gen(function* () {
      const { asked, find } = scene({ millis: 2_000 })
      const first = yield* find(relayOf())
      assert.isTrue(first._tag === "Filled" && first.logsFailed === undefined)
      if (first._tag !== "Filled" || first.searchFrom === undefined) return assert.fail("no progress")
      assert.isBelow(Number(first.searchFrom), Number(HEAD) - 10)
      const { length } = asked
      const second = yield* find(relayOf(), first.searchFrom)
      assert.strictEqual(asked.at(length)?.toBlock, first.searchFrom)
      assert.isTrue(second._tag === "Filled" && (second.searchFrom ?? HEAD) < first.searchFrom)
    })
  )

  it.effect("finds a fill in later looks, each of which comes to a few blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 2_000, logs: [fillAt(relay, HEAD - 200n)] })
      let searchFrom: bigint | undefined
      for (let look = 0; look < 5; look++) {
        const delivery = yield* find(relay, searchFrom)
        if (delivery._tag === "Delivered") {
          assert.strictEqual(delivery.txHash, FILL)
          assert.isAtLeast(look, 1)
          return
        }
        searchFrom = delivery._tag === "Filled" ? delivery.searchFrom : undefined
      }
      assert.fail("the fill was not found")
    })
  )

  it.effect("names the logs that failed if none came in the time", () =>
    Effect.gen(function* () {
      const { find } = scene({ millis: 30_000 })
      const delivery = yield* find(relayOf(), 999_000n)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getLogs")
      assert.isTrue(delivery._tag === "Filled" && delivery.searchFrom === 999_000n)
    })
  )

  it.effect("does not wait for past states that do not come", () =>
    Effect.gen(function* () {
      const { find } = scene({ millis: 1, isFilledAt: () => Effect.never })
      const delivery = yield* find(relayOf())
      assert.isTrue(delivery._tag === "Filled" && (delivery.searchFrom ?? HEAD) < HEAD)
    })
  )

  it.effect("stays above a fill with a swap on arrival while no node has its receipt", () =>
    Effect.gen(function* () {
      const relay = relayOf({ message })
      const fill = fillAt(relay, HEAD - 500n)
      const { find } = scene({ millis: 1, logs: [fill], receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay, HEAD - 400n)
      if (delivery._tag !== "Filled" || delivery.searchFrom === undefined) return assert.fail(delivery._tag)
      assert.isTrue(delivery.searchFrom >= fill.blockNumber)
      assert.strictEqual(delivery.logsFailed?.method, "eth_getTransactionReceipt")
      assert.isTrue(delivery.swapsOnArrival)
    })
  )

  it.effect("asks every endpoint for the receipt of a swap on arrival that the first one has deleted", () =>
    Effect.gen(function* () {
      const relay = relayOf({ message })
      const fill = fillAt(relay, HEAD - 50n)
      const scopes: Array<string | undefined> = []
      const receipt = (_: unknown, scope?: "everywhere") => {
        scopes.push(scope)
        return Effect.succeed(scope === undefined ? Option.none() : Option.some(FakeEnds.receiptOf(FILL, HEAD, [fill])))
      }
      const { find } = scene({ millis: 1, logs: [fill], receipt })
      yield* find(relay)
      assert.deepStrictEqual(scopes.slice(0, 2), [undefined, "everywhere"])
    })
  )

  it.effect("goes on below the newest blocks while no node has their logs", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 1, height: HEAD - 5n, logs: [fillAt(relay, HEAD - 300n)] })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
    })
  )

  it.effect("goes on below the newest hundred blocks while no node has their logs", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find } = scene({ millis: 1, height: HEAD - 150n, logs: [fillAt(relay, HEAD - 300n)] })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
    })
  )

  it.effect("reads the block that past states locate also if no node has logs of the newest hundred blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find } = scene({
        millis: 1,
        height: HEAD - 150n,
        logs: [fillAt(relay, HEAD - 5_000n)],
        isFilledAt: (block) => Effect.succeed(block >= HEAD - 5_000n)
      })
      const delivery = yield* find(relay)
      assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === FILL)
      assert.lengthOf(asked, 1)
    })
  )

  it.effect("names the logs that failed if no node has any, and a missing receipt of a fill in the newest blocks", () =>
    Effect.gen(function* () {
      const silent = yield* scene({ millis: 1, height: -1n }).find(relayOf())
      assert.isTrue(silent._tag === "Filled" && silent.logsFailed?.method === "eth_getLogs")
      assert.isTrue(silent._tag === "Filled" && silent.searchFrom === undefined)
      const relay = relayOf({ message })
      const logs = [fillAt(relay, HEAD - 5n)]
      const { asked, find } = scene({ millis: 1, logs, receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay)
      assert.lengthOf(asked, 1)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getTransactionReceipt")
    })
  )

  it.effect("comes back to newest blocks that no node had, however many looks that takes", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find, state } = scene({ millis: 1, height: HEAD - 50n, logs: [fillAt(relay, HEAD - 2n)] })
      const first = yield* find(relay)
      assert.isTrue(first._tag === "Filled" && first.searchFrom === HEAD)
      // Each later look gets the block that the one before returned.
      for (const head of [HEAD + 1n, HEAD + 30n, HEAD + 99n]) {
        state.head = head
        const later = yield* find(relay, HEAD)
        assert.isTrue(later._tag === "Filled" && later.searchFrom === HEAD)
      }
      const { length } = asked
      state.height = state.head
      const last = yield* find(relay, HEAD)
      assert.isTrue(last._tag === "Delivered" && last.txHash === FILL)
      assert.strictEqual(asked.at(length)?.toBlock, HEAD)
    })
  )

  it.effect("goes on to older blocks if no node has the newest ones for a hundred blocks", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { find, state } = scene({ millis: 1, height: HEAD - 50n, logs: [fillAt(relay, HEAD - 600n)] })
      const first = yield* find(relay)
      assert.isTrue(first._tag === "Filled" && first.searchFrom === HEAD)
      state.head = HEAD + 100n
      const second = yield* find(relay, HEAD)
      if (second._tag !== "Filled" || second.searchFrom === undefined) return assert.fail(second._tag)
      assert.isTrue(second.searchFrom < HEAD - 350n)
      const third = yield* find(relay, second.searchFrom)
      assert.isTrue(third._tag === "Delivered" && third.txHash === FILL)
    })
  )

  it.effect("stays above a fill without a receipt also below newest blocks that no node has", () =>
    Effect.gen(function* () {
      const relay = relayOf({ message })
      const logs = [fillAt(relay, HEAD - 108n)]
      const { find } = scene({ millis: 1, height: HEAD - 105n, logs, receipt: () => Effect.succeed(Option.none()) })
      const delivery = yield* find(relay, HEAD - 100n)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getTransactionReceipt")
      assert.isTrue(delivery._tag === "Filled" && delivery.searchFrom === HEAD - 100n)
    })
  )

  it.effect("skips no block of a node that refuses the width of its first requests", () =>
    Effect.gen(function* () {
      const relay = relayOf()
      const { asked, find } = scene({ millis: 1, refusals: 6 })
      const delivery = yield* find(relay, HEAD - 100n)
      assert.isTrue(delivery._tag === "Filled" && (delivery.searchFrom ?? HEAD) < HEAD - 400n)
      const wide = asked.filter(({ fromBlock, toBlock }) => fromBlock < toBlock)
      assert.strictEqual(wide[0]?.toBlock, HEAD - 100n)
      for (const [index, { toBlock }] of wide.slice(1).entries()) {
        assert.strictEqual(toBlock, (wide[index]?.fromBlock ?? 0n) - 1n)
      }
    })
  )

  it.effect("has not failed if it reads slowly below newest blocks that no node has", () =>
    Effect.gen(function* () {
      const { asked, find, state } = scene({ millis: 2_000, height: HEAD - 50n })
      state.head = HEAD + 1n
      const delivery = yield* find(relayOf(), HEAD)
      assert.isAbove(asked.length, 1)
      assert.isTrue(delivery._tag === "Filled" && delivery.searchFrom === HEAD)
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed === undefined)
    })
  )

  it.effect("has failed if the nodes refuse each window, although a first search then has a block to continue at", () =>
    Effect.gen(function* () {
      const { asked, find } = scene({ millis: 2_000, refusals: 1_000 })
      const delivery = yield* find(relayOf())
      assert.isEmpty(asked.filter(({ fromBlock, toBlock }) => fromBlock < toBlock))
      assert.isTrue(delivery._tag === "Filled" && delivery.logsFailed?.method === "eth_getLogs")
    })
  )
})
