/** One of two endpoints names a head that the chain does not have, and the confirmed block with it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import { look } from "../../../../src/orchestrator/shared/ChainView.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

/** Seconds by which the liar's blocks are in the future. */
const FUTURE = 1_000_000

const header = (number: number, isMade: boolean) => ({
  number: numberToHex(number),
  hash: keccak256(stringToHex(`${isMade ? "made " : ""}${number}`)),
  parentHash: zeroHash,
  timestamp: numberToHex(number + (isMade ? FUTURE : 0)),
  gasLimit: "0x1"
})

/** A node at a height that a test changes. It makes up the blocks above `makesAbove`, and answers after `afterMillis`. */
const nodeAt = (height: number, makesAbove = Number.POSITIVE_INFINITY) => {
  const state = { height, makesAbove, afterMillis: 0 }
  const replied = (result: unknown): Reaction =>
    state.afterMillis === 0 ? { result } : { afterMillis: state.afterMillis, result }
  const node: Node = (method, params) => {
    if (method === "eth_blockNumber") return replied(numberToHex(state.height))
    if (method !== "eth_getBlockByNumber") return replied("0x10")
    const number = params[0] === "latest" ? state.height : Number(params[0])
    return replied(number > state.height ? null : header(number, number > state.makesAbove))
  }
  return { node, state }
}

const confirmedBy = (client: ChainClient, confirmations: number) =>
  Effect.map(look({ ...client, chain: { ...client.chain, confirmations } }), ({ confirmed }) => {
    const { number, timestamp } = Option.getOrThrow(confirmed)
    assert.isBelow(Number(timestamp), FUTURE, "a block that the liar made up")
    return number
  })

/** Runs a look, while `make` makes blocks each second. */
const during = <A, E>(look: Effect.Effect<A, E>, make: () => void = () => {}) =>
  Effect.gen(function* () {
    const looking = yield* Effect.forkChild(Effect.result(look))
    yield* pass("0 millis")
    for (let second = 0; second < 20 && looking.pollUnsafe() === undefined; second++) {
      make()
      yield* pass("1 second")
    }
    assert.isDefined(looking.pollUnsafe())
    return yield* Effect.flatMap(Fiber.join(looking), Effect.fromResult)
  })

/** The confirmed block of a look that begins now, while `make` makes blocks each second. */
const lookWhile = (client: ChainClient, make: () => void, confirmations = 3) =>
  during(confirmedBy(client, confirmations), make)

/** Makes so many blocks on each node. */
const advance = (states: ReadonlyArray<{ height: number }>, blocks = 1) => {
  for (const state of states) state.height += blocks
}

describe("the confirmed block", () => {
  it.effect("is not dictated by one of two endpoints at their first look", () =>
    Effect.gen(function* () {
      for (const lead of [50, 0xffff]) {
        for (const confirmations of [1, 3]) {
          const honest = nodeAt(1_000)
          const liar = nodeAt(1_000 + lead, 1_000)
          yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
            Effect.gen(function* () {
              const looking = yield* Effect.forkChild(confirmedBy(client, confirmations))
              yield* pass("1 second")
              // Nobody knows yet who is right.
              assert.isUndefined(looking.pollUnsafe())
              honest.state.height += 1
              yield* pass("1 second")
              assert.isDefined(looking.pollUnsafe())
              assert.isAtMost(Number(yield* Fiber.join(looking)), 1_001)
            })
          )
        }
      }
    })
  )

  it.effect("is not dictated after a minute in which nobody looked", () =>
    Effect.gen(function* () {
      const honest = nodeAt(1_000)
      const liar = nodeAt(1_000)
      yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
        Effect.gen(function* () {
          yield* confirmedBy(client, 3)
          yield* pass("61 seconds")
          honest.state.height = 1_060
          liar.state.height = 1_160
          liar.state.makesAbove = 1_060
          assert.isAtMost(Number(yield* confirmedBy(client, 3)), 1_060)
          const made = client.corroborated(client.block(1_150n), { isUnknown: Option.isNone, blockOf: () => 1_150n })
          assert.isTrue((yield* Effect.flip(made)).isContradiction)
        })
      )
    })
  )

  it.effect("is one that both have if a liar is a little above", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000_000)
      for (const [lead, confirmations] of [
        [1, 1],
        [2, 1],
        [2, 2]
      ] as const) {
        const honest = nodeAt(1_000)
        const { use } = network({ honest: honest.node, liar: nodeAt(1_000 + lead, 1_000).node })
        const looked = use((client) => lookWhile(client, () => advance([honest.state]), confirmations))
        assert.isAtMost(Number(yield* looked), 1_000)
      }
    })
  )

  it.effect("goes on beside an endpoint that is some blocks behind, or alternates between nodes", () =>
    Effect.gen(function* () {
      for (const confirmations of [1, 3]) {
        const behind = nodeAt(1_000)
        const live = nodeAt(1_002)
        yield* network({ behind: behind.node, live: live.node }).use((client) =>
          Effect.gen(function* () {
            for (let second = 0; second < 20; second++) {
              const make = () => advance([live.state, behind.state])
              const confirmed = yield* lookWhile(client, make, confirmations)
              assert.isAtLeast(Number(confirmed), live.state.height - 10)
              behind.state.height += second % 2 === 0 ? 3 : -1
              live.state.height += 1
              yield* pass("1 second")
            }
          })
        )
      }
    })
  )

  it.effect("goes on beside an endpoint that hangs, after ten seconds", () =>
    Effect.gen(function* () {
      const hanging = nodeAt(1_000)
      const live = nodeAt(9_000)
      yield* network({ hanging: hanging.node, live: live.node }).use((client) =>
        Effect.gen(function* () {
          const looking = yield* Effect.forkChild(confirmedBy(client, 3))
          yield* pass("9 seconds")
          assert.isUndefined(looking.pollUnsafe())
          yield* pass("1 second")
          assert.strictEqual(yield* Fiber.join(looking), 8_998n)
          live.state.height += 1
          assert.strictEqual(yield* confirmedBy(client, 3), BigInt(live.state.height - 2))
        })
      )
    })
  )

  it.effect("is found at each look, however seldom, beside an endpoint that hangs", () =>
    Effect.gen(function* () {
      for (const minutes of [1, 2, 60]) {
        const live = nodeAt(9_000)
        yield* network({ live: live.node, hanging: nodeAt(1_000).node }).use((client) =>
          Effect.gen(function* () {
            yield* lookWhile(client, () => advance([live.state]))
            for (let look = 0; look < 3; look++) {
              yield* pass(`${minutes} minutes`)
              live.state.height += 60 * minutes
              assert.strictEqual(yield* confirmedBy(client, 3), BigInt(live.state.height - 2))
            }
          })
        )
      }
    })
  )

  it.effect("is found at each look, however seldom, beside an endpoint that is some blocks behind", () =>
    Effect.gen(function* () {
      for (const seconds of [60, 120]) {
        const [behind, live] = [nodeAt(1_000), nodeAt(1_010)]
        yield* network({ live: live.node, behind: behind.node }).use((client) =>
          Effect.gen(function* () {
            yield* lookWhile(client, () => advance([live.state, behind.state]))
            for (let look = 0; look < 3; look++) {
              yield* pass(`${seconds} seconds`)
              advance([behind.state, live.state], seconds)
              assert.isAtLeast(Number(yield* confirmedBy(client, 3)), behind.state.height - 2)
            }
          })
        )
      }
    })
  )

  it.effect("is found at the first look beside an endpoint that is many blocks behind", () =>
    Effect.gen(function* () {
      const [behind, live] = [nodeAt(1_000), nodeAt(1_030)]
      const { use } = network({ live: live.node, behind: behind.node })
      const confirmed = yield* use((client) => lookWhile(client, () => advance([live.state, behind.state])))
      assert.isAtLeast(Number(confirmed), 998)
    })
  )

  it.effect("is found at each look beside an endpoint that is many blocks behind and answers slowly", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10_000_000)
      for (const [lag, afterMillis] of [
        [16, 1_000],
        [30, 1_500],
        [30, 2_500],
        [30, 4_000]
      ] as const) {
        const [behind, live] = [nodeAt(1_000), nodeAt(1_000 + lag)]
        const make = () => advance([live.state, behind.state])
        yield* network({ live: live.node, behind: behind.node }).use((client) =>
          Effect.gen(function* () {
            yield* lookWhile(client, make)
            behind.state.afterMillis = afterMillis
            for (let look = 0; look < 10; look++) {
              const before = behind.state.height
              assert.isAtLeast(Number(yield* lookWhile(client, make)), before - 2)
              make()
              yield* pass("1 second")
            }
          })
        )
      }
    })
  )

  it.effect("has no head above it that only a liar has", () =>
    Effect.gen(function* () {
      const [honest, liar] = [nodeAt(1_000), nodeAt(1_000)]
      yield* network({ liar: liar.node, honest: honest.node }).use((client) =>
        Effect.gen(function* () {
          yield* lookWhile(client, () => advance([liar.state, honest.state]))
          for (let second = 0; second < 5; second++) {
            yield* Effect.ignore(client.block("latest"))
            advance([liar.state, honest.state])
            yield* pass("1 second")
          }
          Object.assign(liar.state, { height: honest.state.height + 90, makesAbove: honest.state.height })
          honest.state.afterMillis = 1_500
          const { confirmed, head } = yield* during(look({ ...client, chain: { ...client.chain, confirmations: 3 } }))
          assert.isAtMost(Number(head.number), honest.state.height)
          assert.isBelow(Number(Option.getOrThrow(confirmed).timestamp), FUTURE)
        })
      )
    })
  )

  it.effect("is found beside an endpoint that hangs on an orphaned head", () =>
    Effect.gen(function* () {
      const live = nodeAt(1_000)
      const orphan = nodeAt(1_000, 999)
      yield* network({ live: live.node, orphan: orphan.node }).use((client) =>
        Effect.gen(function* () {
          for (let look = 0; look < 20; look++) {
            yield* Effect.ignore(client.block("latest"))
            yield* pass("10 seconds")
            live.state.height += 10
          }
          assert.strictEqual(yield* confirmedBy(client, 3), BigInt(live.state.height - 2))
        })
      )
    })
  )

  it.effect("is asked for once at an only endpoint, and not at all if it is the head", () =>
    Effect.gen(function* () {
      for (const [confirmations, requests] of [
        [1, 1],
        [3, 2]
      ] as const) {
        const { log, use } = network({ only: nodeAt(1_000).node })
        yield* use((client) => confirmedBy(client, confirmations))
        assert.lengthOf(
          log.filter((line) => line.endsWith("eth_getBlockByNumber")),
          requests
        )
      }
    })
  )
})
