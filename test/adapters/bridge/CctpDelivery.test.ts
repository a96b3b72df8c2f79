/** The proof of CCTP's mints by the destination's own logs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Hash, Hex } from "../../../src/domain/Hex.ts"
import { address } from "../../support/FakeChain.ts"
import { attested, http, mintLogs, sentLog, told } from "./cctpScene.ts"
import { AMOUNT, BURN, DELIVERED, MINT, nonceOf, OTHER, settled } from "./cctpSettled.ts"
import * as FakeEnds from "./fakeEnds.ts"

describe("a delivery of CCTP", () => {
  it.effect("is proved by the mint of its own message at the chain's depth", () =>
    Effect.gen(function* () {
      const { ends, isPending, look, message, mint, stub } = yield* settled()
      yield* stub.answer({ status: 404, body: {} })
      yield* isPending
      const { path } = (yield* stub.seen).at(-1) ?? assert.fail()
      assert.strictEqual(path, `/v2/messages/6?transactionHash=${BURN}`)
      yield* stub.answer(told("0x"))
      yield* isPending
      yield* stub.answer(told(message, MINT, "CONFIRMED"))
      // The API's word alone.
      yield* isPending
      mint(undefined, 99n)
      // The depth of three blocks is not reached.
      yield* isPending
      ends.head = 101n
      assert.deepStrictEqual(yield* look(), DELIVERED)
      assert.deepStrictEqual(yield* look(), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("is not proved by the mint of another message, nor by one with other terms", () =>
    Effect.gen(function* () {
      const { ends, isPending, look, message, mint, sent, stub } = yield* settled()
      yield* stub.answer(told(message, MINT))
      const [minted, received] = mintLogs(message, MINT, AMOUNT)
      const others = [
        mintLogs(attested(sent, nonceOf(8), 300_000n), MINT, AMOUNT),
        mintLogs(message, MINT, AMOUNT, { recipient: address(0xee) }),
        mintLogs(message, MINT, AMOUNT, { token: address(0xee) }),
        mintLogs(message, MINT, AMOUNT, { sender: address(0xee) }),
        mintLogs(message, MINT, 999_579_999n),
        [{ ...minted, address: address(0xee) }, received],
        [minted, { ...received, address: address(0xee) }],
        [received, minted]
      ] as const
      for (const logs of others) {
        mint(logs)
        yield* isPending
      }
      mint()
      const honest = ends.receipts.get(MINT) ?? assert.fail()
      ends.receipts.set(MINT, { ...honest, status: "reverted" })
      yield* isPending
      ends.receipts.set(MINT, { ...honest, blockHash: FakeEnds.hash(0xbad) })
      yield* isPending
      // An equal burn of an earlier day, whose mint the service cites again.
      mint(undefined, 48n)
      yield* isPending
      ends.receipts.set(MINT, honest)
      assert.deepStrictEqual(yield* look(), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("is proved by another endpoint after the first one has deleted the receipt", () =>
    Effect.gen(function* () {
      const { ends, look, message, mint, stub } = yield* settled()
      yield* stub.answer(told(message, MINT))
      mint()
      ends.isPruned = true
      assert.deepStrictEqual(yield* look(), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("takes nothing for its message that differs in a field of the burn", () =>
    Effect.gen(function* () {
      const { isPending, message, mint, stub } = yield* settled()
      mint()
      // Versions, domains, sender, recipient, caller, least finality, and the burn's own terms.
      for (const byte of [3, 7, 11, 75, 107, 139, 143, 151, 183, 215, 247, 279, 311, 376]) {
        const at = 2 + byte * 2
        const changed = `${message.slice(0, at)}${message.slice(at, at + 2) === "7f" ? "01" : "7f"}${message.slice(at + 2)}`
        yield* stub.answer(told(changed as Hex, MINT))
        yield* isPending
      }
      yield* stub.answer(told(`${message}00`, MINT))
      yield* isPending
    }).pipe(Effect.provide(http))
  )

  it.effect("is found in the logs if somebody else sent the mint", () =>
    Effect.gen(function* () {
      const { history, isPending, look, message, mint, stub } = yield* settled()
      yield* stub.answer(told(message, OTHER, "FAILED"))
      yield* isPending
      const logs = mintLogs(message, MINT, AMOUNT)
      history.logs = logs.map((log) => ({ ...log, blockNumber: 60n }))
      mint(logs)
      assert.deepStrictEqual(yield* look(), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("is found by later looks in blocks that the first one did not come to", () =>
    Effect.gen(function* () {
      const { history, isPending, look, message, mint, stub } = yield* settled()
      yield* stub.answer(told(message))
      // A look reads 8 blocks: 91 to 98, 83 to 90, and so on down to the mint.
      history.blocks = 1n
      const logs = mintLogs(message, MINT, AMOUNT)
      history.logs = logs.map((log) => ({ ...log, blockNumber: 60n }))
      mint(logs)
      for (let passed = 0; passed < 4; passed++) yield* isPending
      assert.deepStrictEqual(yield* look(), DELIVERED)
      // A search that found nothing down to the burn begins at the newest block again. It needs 13 looks for all blocks.
      history.logs = []
      for (let passed = 0; passed < 6; passed++) yield* isPending
      history.logs = logs.map((log) => ({ ...log, blockNumber: 60n }))
      let looks = 0
      while ((yield* look())._tag === "Pending" && looks < 13) {
        looks += 1
        yield* TestClock.adjust("1 second")
      }
      assert.isBelow(looks, 13)
    }).pipe(Effect.provide(http))
  )

  it.effect("proves one of two equal orders with each message", () =>
    Effect.gen(function* () {
      const { look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      const both = [...told(message, MINT).body.messages, ...told(second, OTHER).body.messages]
      yield* stub.answer({ status: 200, body: { messages: both } })
      mint()
      // The bridge gets the logs of one order, although the transaction has those of both.
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
      assert.strictEqual((yield* look(2n))._tag, "Pending")
      mint(mintLogs(second, OTHER, AMOUNT), 60n, OTHER)
      assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, txHash: OTHER })
      assert.deepStrictEqual(yield* look(1n), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("proves each of many equal orders, whose messages the service tells twice", () =>
    Effect.gen(function* () {
      const { look, mint, sent, stub } = yield* settled()
      const mints = Array.from({ length: 12 }, (_, index) => {
        const tx = FakeEnds.hash(0xf300 + index)
        const message = attested(sent, nonceOf(20 + index), 300_000n)
        mint(mintLogs(message, tx, AMOUNT), 60n, tx)
        return { tx, told: told(message, tx).body.messages }
      })
      const messages = mints.flatMap((each) => [...each.told, ...each.told])
      yield* stub.answer({ status: 200, body: { messages } })
      for (const [index, { tx }] of mints.entries()) {
        assert.deepStrictEqual(yield* look(BigInt(index)), { ...DELIVERED, txHash: tx })
        yield* TestClock.adjust("1 second")
      }
    }).pipe(Effect.provide(http))
  )

  it.effect("proves each of two equal orders, also if the second message that the service tells is minted first", () =>
    Effect.gen(function* () {
      const { look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      const both = [...told(message, MINT).body.messages, ...told(second, OTHER).body.messages]
      yield* stub.answer({ status: 200, body: { messages: both } })
      mint(mintLogs(second, OTHER, AMOUNT), 60n, OTHER)
      assert.deepStrictEqual(yield* look(1n), { ...DELIVERED, txHash: OTHER })
      mint(undefined, 61n)
      assert.deepStrictEqual(yield* look(1n), { ...DELIVERED, txHash: OTHER })
      assert.deepStrictEqual(yield* look(2n), DELIVERED)
    }).pipe(Effect.provide(http))
  )

  it.effect("proves each of two equal orders whose mints are in one transaction, in the order of their logs", () =>
    Effect.gen(function* () {
      const { look, message, mint, sent, stub } = yield* settled()
      const second = attested(sent, nonceOf(8), 300_000n)
      const [of, and] = [mintLogs(message, MINT, AMOUNT - 1n), mintLogs(second, MINT, AMOUNT - 2n)]
      mint([...and, ...of].map((log, logIndex) => ({ ...log, logIndex })))
      for (const messages of [
        [message, second],
        [second, message]
      ]) {
        yield* stub.answer({
          status: 200,
          body: { messages: messages.flatMap((each) => told(each, MINT).body.messages) }
        })
        assert.deepStrictEqual(yield* look(1n), { ...DELIVERED, amountOut: AMOUNT - 2n })
        assert.deepStrictEqual(yield* look(2n), { ...DELIVERED, amountOut: AMOUNT - 1n })
      }
    }).pipe(Effect.provide(http))
  )

  it.effect("is proved by a mint that the service tells after many messages without one", () =>
    Effect.gen(function* () {
      const { history, look, message, mint, sent, stub } = yield* settled()
      const many = Array.from({ length: 5 }, (_, index) => attested(sent, nonceOf(100 + index), 300_000n))
      const messages = [...many.flatMap((each) => told(each).body.messages), ...told(message, MINT).body.messages]
      yield* stub.answer({ status: 200, body: { messages } })
      mint()
      assert.deepStrictEqual(yield* look(), DELIVERED)
      assert.strictEqual(history.searches, 0)
    }).pipe(Effect.provide(http))
  )

  it.effect("is found in the logs also behind many mints that others sent for equal orders", () =>
    Effect.gen(function* () {
      const { history, look, mint, sent, stub } = yield* settled()
      const mints = Array.from({ length: 6 }, (_, index) => {
        const tx = FakeEnds.hash(0xf300 + index)
        const message = attested(sent, nonceOf(20 + index), 300_000n)
        const logs = mintLogs(message, tx, AMOUNT)
        mint(logs, 60n, tx)
        return { tx, logs, told: told(message).body.messages }
      })
      history.logs = mints.flatMap(({ logs }) => logs.map((log) => ({ ...log, blockNumber: 60n })))
      yield* stub.answer({ status: 200, body: { messages: mints.flatMap((each) => each.told) } })
      const seen = new Set<Hash>()
      for (const index of mints.keys()) {
        const delivery = yield* look(BigInt(index))
        if (delivery._tag === "Delivered") seen.add(delivery.txHash)
        yield* TestClock.adjust("1 second")
      }
      assert.strictEqual(seen.size, 6)
    }).pipe(Effect.provide(http))
  )

  it.effect("looks for no more than four messages, however many the service tells", () =>
    Effect.gen(function* () {
      const { history, look, sent, stub } = yield* settled()
      const many = Array.from({ length: 50 }, (_, index) => attested(sent, nonceOf(100 + index), 300_000n))
      const messages = many.flatMap((each) => told(each).body.messages)
      yield* stub.answer({ status: 200, body: { messages: [...messages, ...messages] } })
      assert.strictEqual((yield* look())._tag, "Pending")
      assert.strictEqual(history.searches, 4)
    }).pipe(Effect.provide(http))
  )

  it.effect("waits while Circle's API does not answer, and fails without the burn", () =>
    Effect.gen(function* () {
      const { isPending, look, sent, stub } = yield* settled()
      for (const answer of [
        { status: 500, body: {} },
        { status: 200, body: "{" }
      ]) {
        yield* stub.answer(answer)
        yield* isPending
      }
      const foreign = { ...sentLog(sent, BURN), address: address(0xee) }
      for (const logs of [[], [foreign], [sentLog(`${sent}00`, BURN)]]) {
        assert.include((yield* Effect.flip(look(0n, logs))).message, "no burn of this order in transaction")
      }
    }).pipe(Effect.provide(http))
  )
})
