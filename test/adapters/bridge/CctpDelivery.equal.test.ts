/** The proof of equal burns of one owner, each of which has one mint. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import type { Log } from "../../../src/ports/shared/Chains.ts"
import { attested, http, mintLogs, told } from "./cctpScene.ts"
import { AMOUNT, DELIVERED, MINT, nonceOf, OTHER, settled } from "./cctpSettled.ts"
import * as FakeEnds from "./fakeEnds.ts"

const DAY_MILLIS = 86_400_000

/** The service tells all of these messages. */
const tellsAll = (each: ReadonlyArray<ReturnType<typeof told>>) => ({
  status: 200,
  body: { messages: each.flatMap(({ body }) => body.messages) }
})

const at = (logs: ReadonlyArray<Log>, blockNumber: bigint) => logs.map((log) => ({ ...log, blockNumber }))

/** Messages of other burns, which have no mint. */
const unminted = (sent: Hex, count: number, txHash?: (index: number) => Hash) =>
  Array.from({ length: count }, (_, index) => told(attested(sent, nonceOf(100 + index), 300_000n), txHash?.(index)))

describe("a delivery of CCTP beside equal ones", () => {
  it.effect("keeps its mint if an earlier one is found later, so that the other order gets that one", () =>
    Effect.gen(function* () {
      const { look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      yield* stub.answer(tellsAll([told(message, MINT), told(second, OTHER)]))
      mint(undefined, 60n)
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
      mint(mintLogs(second, OTHER, AMOUNT), 59n, OTHER)
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
      assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, txHash: OTHER })
    }).pipe(Effect.provide(http))
  )

  it.effect("takes no other mint while its own one cannot be read", () =>
    Effect.gen(function* () {
      const { ends, look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      yield* stub.answer(tellsAll([told(message, MINT), told(second, OTHER)]))
      mint()
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
      ends.receipts.delete(MINT)
      mint(mintLogs(second, OTHER, AMOUNT), 61n, OTHER)
      assert.strictEqual((yield* look(1n))._tag, "Pending")
      assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, txHash: OTHER })
      mint()
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  for (const isCompleted of [true, false]) {
    it.effect(
      `keeps the mint that the release before claimed in the service's order${isCompleted ? "" : ", and whose claim a crash interrupted"}`,
      () =>
        Effect.gen(function* () {
          const { keys, look, message, mint, nameOf, sent, stub } = yield* settled()
          const second = attested(sent, nonceOf(8), 300_000n)
          yield* stub.answer(tellsAll([told(message, MINT), told(second, OTHER)]))
          mint(undefined, 60n)
          mint(mintLogs(second, OTHER, AMOUNT), 59n, OTHER)
          const attempt = { id: `cctp:${FakeEnds.DESTINATION}:${nonceOf(7)}`, attempt: nameOf(1n) }
          const lifetimeMillis = 3_650 * DAY_MILLIS
          yield* keys.claim({ ...attempt, fingerprint: nameOf(1n), leaseMillis: 10_000, lifetimeMillis })
          if (isCompleted) yield* keys.complete(attempt, { status: 200, body: "" })
          else assert.strictEqual((yield* look(1n))._tag, "Pending")
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* look(1n), DELIVERED)
          assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, txHash: OTHER })
        }).pipe(Effect.provide(http))
    )
  }

  it.effect("does not need the logs if the service names a mint for it, and says what failed if it has none", () =>
    Effect.gen(function* () {
      const { history, look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      yield* stub.answer(tellsAll([told(second), told(message, MINT)]))
      mint()
      history.isSilent = true
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
      assert.strictEqual((yield* Effect.flip(look(2n))).method, "eth_getLogs")
      history.isSilent = false
      history.logs = at(mintLogs(second, OTHER, AMOUNT), 61n)
      mint(mintLogs(second, OTHER, AMOUNT), 61n, OTHER)
      assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, txHash: OTHER })
    }).pipe(Effect.provide(http))
  )

  it.effect("tells a mint of Circle's that failed also while the logs cannot be read", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      const { history, look, message, mint, sent, stub } = yield* settled()
      yield* stub.answer(tellsAll([...unminted(sent, 4), told(message, MINT, "FAILED")]))
      history.isSilent = true
      yield* Effect.flip(look()).pipe(Effect.provide(logger))
      assert.deepStrictEqual(lines, ["bridge.forward_failed"])
      // Somebody else may send the mint. The look that finds it tells no failure any more.
      history.isSilent = false
      yield* stub.answer(told(message, OTHER, "FAILED"))
      assert.strictEqual((yield* look().pipe(Effect.provide(logger)))._tag, "Pending")
      assert.deepStrictEqual(lines, ["bridge.forward_failed", "bridge.forward_failed"])
      history.logs = at(mintLogs(message, MINT, AMOUNT), 60n)
      mint()
      assert.deepStrictEqual(yield* look().pipe(Effect.provide(logger)), DELIVERED)
      assert.lengthOf(lines, 2)
    }).pipe(Effect.provide(http))
  )

  it.effect(
    "tells no failure of Circle's for a mint that is found while another replica claims one for the order",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
        const { history, keys, look, message, mint, nameOf, stub } = yield* settled()
        yield* stub.answer(told(message, OTHER, "FAILED"))
        history.logs = at(mintLogs(message, MINT, AMOUNT), 60n)
        mint()
        const turn = { id: `proof-turn:${nameOf(0n)}`, attempt: "another", fingerprint: nameOf(0n) }
        yield* keys.claim({ ...turn, leaseMillis: 10_000, lifetimeMillis: 10_000 })
        assert.strictEqual((yield* look().pipe(Effect.provide(logger)))._tag, "Pending")
        assert.deepStrictEqual(lines, [])
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* look().pipe(Effect.provide(logger)), DELIVERED)
        assert.deepStrictEqual(lines, [])
      }).pipe(Effect.provide(http))
  )

  it.effect("is found in the logs behind many burns that nobody minted", () =>
    Effect.gen(function* () {
      const { history, look, message, mint, sent, stub } = yield* settled()
      yield* stub.answer(tellsAll([...unminted(sent, 9), told(message)]))
      history.logs = at(mintLogs(message, MINT, AMOUNT), 60n)
      mint()
      let looks = 1
      while ((yield* look())._tag === "Pending" && looks < 10) {
        looks += 1
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(looks, 3)
      assert.isAtMost(history.searches, 12)
    }).pipe(Effect.provide(http))
  )

  it.effect("is looked for behind a burn whose search always fails", () =>
    Effect.gen(function* () {
      const { history, look, message, mint, sent, stub } = yield* settled()
      yield* stub.answer(tellsAll([...unminted(sent, 1), told(message)]))
      history.isSilent = true
      yield* Effect.flip(look())
      history.isSilent = false
      history.logs = at(mintLogs(message, MINT, AMOUNT), 60n)
      mint()
      history.searches = 0
      assert.deepStrictEqual(yield* look(), DELIVERED)
      assert.strictEqual(history.searches, 1)
    }).pipe(Effect.provide(http))
  )

  it.effect("reads no more than 128 messages, however many the service tells", () =>
    Effect.gen(function* () {
      const { look, message, mint, sent, stub } = yield* settled()
      mint()
      const others = (count: number) => unminted(sent, count, (index) => FakeEnds.hash(0xf300 + index))
      yield* stub.answer(tellsAll([...others(128), told(message, MINT)]))
      assert.strictEqual((yield* look())._tag, "Pending")
      yield* stub.answer(tellsAll([...others(127), told(message, MINT)]))
      assert.deepStrictEqual(yield* look(), DELIVERED)
    }).pipe(Effect.provide(http))
  )
})
