/** An endpoint that names a head which the chain does not have. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "./scriptedNodes.ts"

const header = (number: number, branch = "") => ({
  number: numberToHex(number),
  hash: keccak256(stringToHex(`${branch}${number}`)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

/** A node at a height that a test changes. `block` is its answer to a number. */
const nodeAt = (start: number, block: (number: number, height: number) => unknown) => {
  const state = { height: start }
  const node: Node = (method, params) => {
    const [which] = params
    // The probe of state overrides.
    if (JSON.stringify(params).includes(`"balance":"0x2a"`)) return { result: `0x${"2a".padStart(64, "0")}` }
    if (method === "eth_blockNumber") return { result: numberToHex(state.height) }
    if (method === "eth_getTransactionReceipt") return { result: null }
    if (method !== "eth_getBlockByNumber") return { result: "0x10" }
    return { result: which === "latest" ? header(state.height) : block(Number(which), state.height) }
  }
  return { node, state }
}

const honestAt = (start: number) => nodeAt(start, (number, height) => (number > height ? null : header(number)))

/** Has the blocks of the others, and makes up those above. */
const liarAt = (start: number) => nodeAt(start, (number) => header(number))

const height = (client: ChainClient) => Effect.map(client.block("latest"), (found) => Option.getOrThrow(found).number)
const balance = (client: ChainClient) => client.balance(address(1))
const simulate = (client: ChainClient) =>
  client.call({ to: address(1), data: "0x", codeOverrides: [{ address: address(1), code: "0x" }] })

const asked = (log: ReadonlyArray<string>, method: string) =>
  log.filter((line) => line.endsWith(method)).map((line) => line.split(" ")[0])

describe("a far head", () => {
  it.effect("does not count from an endpoint that does not have the blocks of the others", () =>
    Effect.gen(function* () {
      for (const block of [() => null, (number: number) => header(number, "other ")]) {
        const honest = honestAt(1_000)
        const liar = nodeAt(1_000, block)
        const { log, use } = network({ honest: honest.node, liar: liar.node })
        yield* use((client) =>
          Effect.gen(function* () {
            yield* height(client)
            liar.state.height = 0xffffff
            assert.strictEqual(yield* height(client), 1_000n)
            log.length = 0
            yield* balance(client)
            assert.deepStrictEqual(asked(log, "eth_getBalance"), ["honest"])
          })
        )
      }
    })
  )

  it.effect("has the endpoint named that shows other blocks than the others", () =>
    Effect.gen(function* () {
      const honest = honestAt(1_000)
      const liar = nodeAt(1_000, (number) => header(number, "other "))
      yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
        Effect.gen(function* () {
          yield* height(client)
          liar.state.height = 0xffffff
          yield* height(client)
          yield* balance(client)
          assert.deepStrictEqual(yield* client.elsewhere, ["liar"])
        })
      )
    })
  )

  it.effect("counts from an endpoint that has the block of one that hangs", () =>
    Effect.gen(function* () {
      const hanging = honestAt(1_000)
      const live = honestAt(1_000)
      const { log, use } = network({ hanging: hanging.node, live: live.node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* height(client)
          live.state.height = 5_000
          assert.strictEqual(yield* height(client), 5_000n)
          log.length = 0
          yield* balance(client)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["live"])
          assert.deepStrictEqual(yield* client.elsewhere, [])
        })
      )
    })
  )
})

describe("a head that one of three endpoints has", () => {
  it.effect("is not taken, and brings the endpoint neither the reads nor the simulations", () =>
    Effect.gen(function* () {
      for (const lead of [50, 0xffffff]) {
        const honest = honestAt(1_000)
        const liar = liarAt(1_000 + lead)
        const { log, use } = network({ one: honest.node, two: honest.node, liar: liar.node })
        yield* use((client) =>
          Effect.gen(function* () {
            assert.strictEqual(yield* height(client), 1_000n)
            yield* simulate(client)
            log.length = 0
            yield* balance(client)
            yield* simulate(client)
            assert.deepStrictEqual(asked(log, "eth_getBalance"), ["one"])
            assert.deepStrictEqual(asked(log, "eth_call"), ["one"])
            assert.isTrue(Option.isNone(yield* client.receipt(keccak256("0x01"))))
            assert.deepStrictEqual(asked(log, "eth_getTransactionReceipt"), ["one"])
          })
        )
      }
    })
  )

  it.effect("counts again once the others hang", () =>
    Effect.gen(function* () {
      const hanging = honestAt(1_000)
      const live = honestAt(1_000)
      yield* network({ one: hanging.node, two: hanging.node, live: live.node }).use((client) =>
        Effect.gen(function* () {
          for (let minute = 0; minute < 7; minute++) {
            yield* height(client)
            live.state.height += 10
            yield* pass("10 seconds")
          }
          assert.strictEqual(yield* height(client), 1_070n)
        })
      )
    })
  )
})

describe("a head that one of two endpoints has", () => {
  /** Lets both follow the chain for a while. */
  const follow = (client: ChainClient, ...nodes: ReadonlyArray<{ readonly height: number }>) =>
    Effect.gen(function* () {
      for (let second = 0; second < 3; second++) {
        yield* height(client)
        for (const state of nodes as ReadonlyArray<{ height: number }>) state.height += 1
        yield* pass("1 second")
      }
      yield* height(client)
    })

  it.effect("is not taken while the other one follows the chain", () =>
    Effect.gen(function* () {
      const honest = honestAt(1_000)
      const liar = liarAt(1_000)
      yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
        Effect.gen(function* () {
          yield* follow(client, honest.state, liar.state)
          for (const lead of [50, 0xffffff]) {
            liar.state.height = honest.state.height + lead
            assert.strictEqual(yield* height(client), BigInt(honest.state.height))
          }
          const made = client.corroborated(client.block(BigInt(honest.state.height + 40)), {
            isUnknown: Option.isNone,
            blockOf: () => BigInt(honest.state.height + 40)
          })
          assert.isTrue((yield* Effect.flip(made)).isContradiction)
        })
      )
    })
  )

  it.effect("is taken when the other one, which followed the chain, has had the same head for fifteen seconds", () =>
    Effect.gen(function* () {
      const stopped = honestAt(1_000)
      const live = honestAt(1_000)
      yield* network({ stopped: stopped.node, live: live.node }).use((client) =>
        Effect.gen(function* () {
          yield* follow(client, stopped.state, live.state)
          for (let second = 0; second < 14; second++) {
            live.state.height += 1
            yield* pass("1 second")
            yield* height(client)
          }
          assert.isAtMost(Number(yield* height(client)), stopped.state.height + 4)
          live.state.height += 1
          yield* pass("1 second")
          yield* height(client)
          assert.strictEqual(yield* height(client), BigInt(live.state.height))
          // A new block makes it limit the head again.
          stopped.state.height += 1
          yield* height(client)
          assert.strictEqual(yield* height(client), BigInt(stopped.state.height))
        })
      )
    })
  )

  it.effect("is taken when the other one hangs, or reads old blocks", () =>
    Effect.gen(function* () {
      for (const pace of [0, 30]) {
        const slow = honestAt(1_000)
        const live = honestAt(9_000)
        yield* network({ slow: slow.node, live: live.node }).use((client) =>
          Effect.gen(function* () {
            for (let second = 0; second < 70; second++) {
              yield* height(client)
              slow.state.height += pace
              live.state.height += 1
              yield* pass("1 second")
            }
            assert.strictEqual(yield* height(client), BigInt(live.state.height))
          })
        )
      }
    })
  )
})
