/** A subscription whose node lags behind the polled ones. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Option, Stream } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import * as Heads from "../../../../src/adapters/evm/rpc/Heads.ts"
import { chain } from "../../../support/FakeChain.ts"
import { pass } from "./scriptedNodes.ts"
import { type ScriptedSocket, scriptedSockets } from "./scriptedSocket.ts"

const head = (number: number) => ({
  number: BigInt(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: 0n,
  baseFeePerGas: 1n,
  gasLimit: 1n
})

const told = (number: number) => ({
  method: "eth_subscription",
  params: {
    result: {
      number: numberToHex(number),
      hash: keccak256(numberToHex(number)),
      parentHash: zeroHash,
      timestamp: "0x0",
      baseFeePerGas: "0x1",
      gasLimit: "0x1"
    }
  }
})

/** Heads of a chain with blocks of a second. `polled` is the head of the nodes, and `tell` that of the subscription. */
const scene = <E>(
  body: (scene: {
    readonly polled: { number: number; count: number }
    readonly tell: (number: number) => Effect.Effect<void>
    readonly sockets: ReadonlyArray<ScriptedSocket>
    readonly recent: (maxAgeMillis: number) => Effect.Effect<number, unknown>
    readonly heads: Stream.Stream<{ readonly number: bigint }>
  }) => Effect.Effect<void, E>
) => {
  const sockets: Array<ScriptedSocket> = []
  const polled = { number: 100, count: 0 }
  return Effect.gen(function* () {
    const { reads } = yield* Heads.make(
      {
        chain: { ...chain, blockTimeMillis: 1_000 },
        block: () =>
          Effect.sync(() => {
            polled.count++
            return Option.some(head(polled.number))
          })
      },
      "wss://node.example"
    )
    const recent = (maxAgeMillis: number) =>
      Effect.map(reads.recentHead(maxAgeMillis), (found) => Number(Option.getOrThrow(found).number))
    const tell = (number: number) =>
      Effect.andThen(
        Effect.sync(() => sockets.at(-1)?.say(told(number))),
        pass("0 millis")
      )
    yield* recent(0)
    yield* pass("0 millis")
    assert.lengthOf(sockets, 1)
    yield* body({ polled, tell, sockets, recent, heads: reads.heads })
  }).pipe(
    Effect.provide(
      scriptedSockets((socket) => {
        if (!sockets.includes(socket)) sockets.push(socket)
      })
    )
  )
}

describe("a subscription", () => {
  it.effect("does not lower a young head that a poll found", () =>
    scene(({ polled, recent, tell }) =>
      Effect.gen(function* () {
        yield* tell(99)
        assert.strictEqual(yield* recent(10_000), 100)
        // Nothing else is known for two block times, so the chain itself went back.
        yield* pass("2 seconds")
        yield* tell(99)
        assert.strictEqual(yield* recent(10_000), 99)
        assert.strictEqual(polled.count, 1)
        yield* tell(101)
        assert.strictEqual(yield* recent(0), 101)
        assert.strictEqual(polled.count, 1)
      })
    )
  )

  it.effect("gives no head that is far above that of a poll, which is made first, and stays open", () =>
    scene(({ polled, recent, sockets, tell }) =>
      Effect.gen(function* () {
        yield* tell(104)
        assert.strictEqual(yield* recent(10_000), 104)
        assert.strictEqual(polled.count, 1)
        yield* tell(150)
        assert.strictEqual(polled.count, 2)
        assert.strictEqual(yield* recent(10_000), 100)
        yield* pass("1 second")
        // Until its heads count again, polls have to find them.
        polled.number = 101
        assert.strictEqual(yield* recent(500), 101)
        yield* tell(103)
        assert.strictEqual(yield* recent(0), 103)
        assert.lengthOf(sockets, 1)
      })
    )
  )

  it.effect("leaves it to polls to tell heads while its own are ahead", () =>
    scene(({ heads, polled, sockets, tell }) =>
      Effect.gen(function* () {
        const seen: Array<number> = []
        yield* Effect.forkChild(Stream.runForEach(heads, ({ number }) => Effect.sync(() => seen.push(Number(number)))))
        yield* tell(101)
        for (let second = 0; second < 5; second++) {
          yield* tell(150 + second)
          yield* pass("1 second")
          polled.number += 1
        }
        yield* pass("1 second")
        assert.includeMembers(seen, [101, 102, 103, 104, 105])
        assert.isBelow(Math.max(...seen), 150)
        assert.lengthOf(sockets, 1)
      })
    )
  )

  it.effect("is logged when its heads are ahead, and opened again after a minute of nothing else", () => {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(message))
    })
    return scene(({ polled, recent, sockets, tell }) =>
      Effect.gen(function* () {
        /** Tells heads that are far ahead, once in 10 seconds. */
        const runAhead = Effect.fnUntraced(function* (times: number) {
          for (let time = 0; time < times; time++) {
            yield* tell(100_000 + time)
            yield* pass("10 seconds")
          }
        })
        yield* runAhead(6)
        assert.deepStrictEqual(warnings, ["heads.subscription_ahead"])
        polled.number = 160
        yield* recent(0)
        // A head that is accepted ends the minute.
        yield* tell(161)
        yield* runAhead(6)
        assert.lengthOf(sockets, 1)
        yield* tell(100_000)
        yield* pass("1 second")
        assert.lengthOf(sockets, 2)
        yield* runAhead(6)
        assert.lengthOf(sockets, 2)
        assert.deepStrictEqual(warnings, ["heads.subscription_ahead", "heads.subscription_lost"])
      })
    ).pipe(Effect.provide(Logger.layer([logger])))
  })

  it.effect("tells heads of a chain that makes blocks faster than it is configured to", () =>
    scene(({ polled, recent, sockets, tell }) =>
      Effect.gen(function* () {
        polled.number = 150
        yield* tell(150)
        assert.strictEqual(yield* recent(10_000), 150)
        yield* tell(151)
        assert.strictEqual(yield* recent(10_000), 151)
        assert.strictEqual(polled.count, 2)
        assert.lengthOf(sockets, 1)
      })
    )
  )

  it.effect("fails when its head is far below that of a poll, and is opened again", () =>
    scene(({ polled, recent, sockets, tell }) =>
      Effect.gen(function* () {
        yield* tell(101)
        yield* tell(50)
        assert.strictEqual(yield* recent(10_000), 101)
        polled.number = 102
        assert.strictEqual(yield* recent(0), 102)
        yield* pass("1 second")
        assert.lengthOf(sockets, 2)
        yield* tell(103)
        assert.strictEqual(yield* recent(0), 103)
      })
    )
  )

  it.effect("follows a deep reorganisation after a poll has seen it", () =>
    scene(({ polled, recent, sockets, tell }) =>
      Effect.gen(function* () {
        polled.number = 90
        yield* tell(90)
        assert.strictEqual(yield* recent(0), 90)
        yield* pass("1 second")
        assert.lengthOf(sockets, 2)
        yield* tell(91)
        assert.strictEqual(yield* recent(0), 91)
      })
    )
  )

  it.effect("gives no head that is older than what was asked for and than two blocks take", () =>
    scene(({ polled, recent, tell }) =>
      Effect.gen(function* () {
        yield* tell(101)
        yield* pass("3 seconds")
        polled.number = 104
        assert.strictEqual(yield* recent(1_000), 104)
      })
    )
  )

  it.effect("is compared with a poll once a minute, however young its heads are", () =>
    scene(({ polled, recent, tell }) =>
      Effect.gen(function* () {
        for (let second = 1; second <= 60; second++) {
          yield* pass("1 second")
          yield* tell(100 + second)
        }
        polled.number = 1_000
        assert.strictEqual(yield* recent(10_000), 1_000)
      })
    )
  )
})
