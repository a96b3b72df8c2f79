import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, zeroHash } from "viem"
import * as Choice from "../../../../src/adapters/evm/rpc/Choice.ts"
import * as JsonRpcHeads from "../../../../src/adapters/evm/rpc/Heads.ts"
import type { Endpoint } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import { type Block, ChainUnavailable } from "../../../../src/ports/shared/Chains.ts"
import { chain } from "../../../support/FakeChain.ts"
import { network, pass } from "./scriptedNodes.ts"

const block = (number: number): Block => ({
  number: BigInt(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: 0n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

/** A chain that makes a block every `everyMillis` of the test clock, and what a subscriber sees of it. */
const watch = Effect.fnUntraced(function* (options: {
  readonly blockTimeMillis: number
  readonly everyMillis: number
  readonly answers?: (question: number) => boolean
}) {
  let questions = 0
  const seen: Array<{ readonly number: bigint; readonly lateMillis: number }> = []
  const { reads, sent } = yield* JsonRpcHeads.make(
    {
      chain: { ...chain, blockTimeMillis: options.blockTimeMillis },
      block: () =>
        Effect.suspend(() => {
          questions++
          return options.answers?.(questions) === false
            ? Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "block", detail: "made to fail" }))
            : Effect.map(Clock.currentTimeMillis, (now) => Option.some(block(Math.floor(now / options.everyMillis))))
        })
    },
    undefined
  )
  yield* Effect.forkScoped(
    Stream.runForEach(reads.heads, ({ number }) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        seen.push({ number, lateMillis: now - Number(number) * options.everyMillis })
      )
    )
  )
  return { seen, sent, questions: () => questions }
})

const numbers = (seen: ReadonlyArray<{ readonly number: bigint }>) => seen.map(({ number }) => Number(number))

describe("heads by asking", () => {
  it.effect("are seen soon after they appear, with few questions for each", () =>
    Effect.gen(function* () {
      const { questions, seen } = yield* watch({ blockTimeMillis: 12_000, everyMillis: 12_000 })
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(
        numbers(seen),
        Array.from({ length: 51 }, (_, number) => number)
      )
      assert.isTrue(seen.every(({ lateMillis }) => lateMillis <= 1_500))
      assert.isAtMost(questions(), 51 * 3)
    })
  )

  it.effect("adapt to a chain that is faster than configured", () =>
    Effect.gen(function* () {
      const { seen } = yield* watch({ blockTimeMillis: 12_000, everyMillis: 1_000 })
      yield* TestClock.adjust("5 minutes")
      const late = seen.slice(-10)
      assert.strictEqual(late.length, 10)
      assert.isTrue(late.every(({ lateMillis }) => lateMillis <= 250))
      assert.deepStrictEqual(
        numbers(late),
        Array.from({ length: 10 }, (_, index) => Number(late[0]?.number) + index)
      )
    })
  )

  it.effect("are asked for right after a transaction was sent, where blocks are made on demand", () =>
    Effect.gen(function* () {
      for (const { asked, blockTimeMillis } of [
        { blockTimeMillis: 2_000, asked: 1 },
        { blockTimeMillis: 12_000, asked: 0 }
      ]) {
        const { questions, sent } = yield* watch({ blockTimeMillis, everyMillis: blockTimeMillis })
        yield* TestClock.adjust("1 millis")
        const before = questions()
        yield* sent
        yield* TestClock.adjust("50 millis")
        assert.strictEqual(questions() - before, asked)
        yield* TestClock.adjust("50 millis")
        assert.strictEqual(questions() - before, asked)
      }
    })
  )

  it.effect("are asked for by a chain's client right after it has sent a transaction", () =>
    Effect.gen(function* () {
      const raw = "0x02"
      const { log, use } = network({
        node: (method) => ({
          result:
            method === "eth_sendRawTransaction"
              ? keccak256(raw)
              : {
                  number: "0x1",
                  hash: zeroHash,
                  parentHash: zeroHash,
                  timestamp: "0x1",
                  baseFeePerGas: "0x1",
                  gasLimit: "0x1"
                }
        })
      })
      const asked = () => log.filter((call) => call === "node eth_getBlockByNumber").length
      yield* use((client) =>
        Effect.gen(function* () {
          yield* Effect.forkChild(Stream.runDrain(client.heads))
          yield* pass("1 millis")
          assert.strictEqual(asked(), 1)
          yield* client.send(raw)
          yield* pass("50 millis")
          assert.strictEqual(asked(), 2)
        })
      )
    })
  )

  it.effect("go on after a time without answers", () =>
    Effect.gen(function* () {
      const { seen } = yield* watch({
        blockTimeMillis: 1_000,
        everyMillis: 1_000,
        answers: (question) => question < 5 || question > 50
      })
      yield* TestClock.adjust("1 minute")
      assert.isTrue(seen.some(({ number }) => number === 59n))
    })
  )

  it.effect("are asked of all endpoints, also by a reader that asks one alone", () =>
    Effect.gen(function* () {
      const only: Endpoint = { name: "liar", request: () => Effect.never, requestAll: () => Effect.never }
      const { reads } = yield* JsonRpcHeads.make(
        {
          chain,
          block: () => Effect.map(Choice.Current, (choice) => Option.some(block(choice?.only === undefined ? 10 : 50)))
        },
        undefined
      )
      const read = Effect.map(
        reads.recentHead(10_000),
        Option.map(({ number }) => number)
      )
      const alone = Effect.provideService(read, Choice.Current, { only, answered: new Set<Endpoint>() })
      assert.deepStrictEqual(yield* alone, Option.some(10n))
      assert.deepStrictEqual(yield* read, Option.some(10n))
    })
  )
})
