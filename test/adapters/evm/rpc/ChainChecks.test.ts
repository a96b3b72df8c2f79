/** An endpoint that begins to serve another chain while it is used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { keccak256, numberToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../../support/FakeChain.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const RIGHT = { result: numberToHex(chain.id) }
const OTHER = { result: "0x1" }

const header = (number: number) => ({
  number: numberToHex(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

/** A node whose chain, height and balance a test changes. */
const changing = () => {
  const state = { chainId: RIGHT as Reaction, height: 100, balance: { result: "0x10" } as Reaction }
  const node: Node = (method, [which]) => {
    if (method === "eth_chainId") return state.chainId
    if (method === "eth_blockNumber") return { result: numberToHex(state.height) }
    if (method !== "eth_getBlockByNumber") return state.balance
    return { result: header(which === "latest" ? state.height : Number(which)) }
  }
  return { node, state }
}

const balance = (client: ChainClient) => client.balance(address(1))
const height = (client: ChainClient) => Effect.map(client.block("latest"), (found) => Option.getOrThrow(found).number)
const count = (log: ReadonlyArray<string>, line: string) => log.filter((each) => each === line).length

describe("an endpoint that begins to serve another chain", () => {
  it.effect("is stopped by a check that runs beside a request after 90 seconds", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { log, use } = network({ elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* balance(client)
          state.chainId = OTHER
          yield* pass("89 seconds")
          yield* balance(client)
          assert.strictEqual(count(log, "elsewhere eth_chainId"), 1)
          yield* pass("1 second")
          yield* Effect.ignore(balance(client))
          yield* pass("1 millis")
          assert.include((yield* Effect.flip(balance(client))).message, "serves chain 0x1")
          assert.deepStrictEqual(yield* client.elsewhere, ["elsewhere"])
          state.chainId = RIGHT
          assert.strictEqual(yield* balance(client), 16n)
          assert.deepStrictEqual(yield* client.elsewhere, [])
        })
      )
    })
  )

  it.effect("has its requests under way refused as well", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { use } = network({ elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* balance(client)
          yield* pass("91 seconds")
          state.chainId = OTHER
          for (const answer of [{ result: "0x10" }, { error: { code: 3, message: "execution reverted" } }]) {
            state.balance = { afterMillis: 1_000, ...answer } as Reaction
            const asking = yield* Effect.forkChild(Effect.flip(client.call({ to: address(1), data: "0x" })))
            yield* pass("1 second")
            assert.include((yield* Fiber.join(asking)).message, "serves chain 0x1")
          }
        })
      )
    })
  )

  it.effect("has a request under way refused, even if a check finds the right chain again before it is answered", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { use } = network({ elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* balance(client)
          yield* pass("91 seconds")
          for (const answer of [{ result: "0x99" }, { error: { code: 3, message: "execution reverted" } }]) {
            state.chainId = OTHER
            state.balance = { afterMillis: 1_000, ...answer } as Reaction
            const slow = yield* Effect.forkChild(Effect.flip(client.call({ to: address(1), data: "0x" })))
            yield* pass("500 millis")
            state.chainId = RIGHT
            state.balance = { result: "0x10" }
            assert.strictEqual(yield* balance(client), 16n)
            yield* pass("500 millis")
            assert.include((yield* Fiber.join(slow)).message, "serves chain 0x1")
            assert.strictEqual(yield* balance(client), 16n)
            yield* pass("91 seconds")
          }
        })
      )
    })
  )

  it.effect("is checked before a request after three minutes without a check", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { log, use } = network({ elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* balance(client)
          yield* pass("3 minutes")
          state.chainId = OTHER
          log.length = 0
          yield* Effect.flip(balance(client))
          assert.deepStrictEqual(log, ["elsewhere eth_chainId"])
        })
      )
    })
  )

  it.effect("has no say about the head when its head is far above the others", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { log, use } = network({ elsewhere: node, first: changing().node })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* height(client), 100n)
          yield* pass("10 seconds")
          state.height = 5_000
          assert.strictEqual(yield* height(client), 5_000n)
          assert.strictEqual(count(log, "elsewhere eth_chainId"), 2)
          yield* height(client)
          assert.strictEqual(count(log, "elsewhere eth_chainId"), 2)
          state.chainId = OTHER
          state.height = 1_000_000
          yield* pass("49 seconds")
          assert.strictEqual(yield* height(client), 100n)
          assert.deepStrictEqual(yield* client.elsewhere, ["elsewhere"])
        })
      )
    })
  )

  it.effect("is checked if its head has more blocks than the chain makes in its own block time", () =>
    Effect.gen(function* () {
      const seconds = 59
      for (const [blocks, checks] of [
        [0, 1],
        [1, 2]
      ] as const) {
        const { node, state } = changing()
        const { log, use } = network({ elsewhere: node, first: changing().node })
        yield* use((client) =>
          Effect.gen(function* () {
            yield* height(client)
            yield* pass(`${seconds} seconds`)
            state.height += 100 + (seconds * 1_000) / chain.blockTimeMillis + blocks
            yield* height(client)
            assert.strictEqual(count(log, "elsewhere eth_chainId"), checks)
          })
        )
      }
    })
  )

  it.effect("leaves no height behind that would count after its cooldown", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { log, use } = network({ first: changing().node, elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* height(client)
          yield* pass("59 seconds")
          state.chainId = OTHER
          state.height = 150
          yield* height(client)
          yield* pass("31 seconds")
          yield* height(client)
          yield* pass("1 millis")
          yield* height(client)
          assert.deepStrictEqual(yield* client.elsewhere, ["elsewhere"])
          yield* pass("11 seconds")
          log.length = 0
          yield* balance(client)
          assert.deepStrictEqual(log, ["first eth_getBalance"])
        })
      )
    })
  )
})

describe("a check of the chain", () => {
  it.effect("delays no request, and is repeated after a while if it has no answer", () =>
    Effect.gen(function* () {
      const { node, state } = changing()
      const { log, use } = network({ elsewhere: node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* balance(client)
          yield* pass("91 seconds")
          state.chainId = "hang"
          const first = yield* Effect.forkChild(balance(client))
          yield* pass("0 millis")
          assert.isDefined(first.pollUnsafe())
          state.chainId = "refuse connection"
          yield* pass("10 seconds")
          const before = count(log, "elsewhere eth_chainId")
          for (let request = 0; request < 5; request++) {
            assert.strictEqual(yield* balance(client), 16n)
            yield* pass("1 millis")
          }
          assert.strictEqual(count(log, "elsewhere eth_chainId"), before + 1)
          state.chainId = RIGHT
          yield* pass("5 seconds")
          for (let request = 0; request < 5; request++) {
            yield* balance(client)
            yield* pass("5 seconds")
          }
          assert.strictEqual(count(log, "elsewhere eth_chainId"), before + 2)
        })
      )
    })
  )
})
