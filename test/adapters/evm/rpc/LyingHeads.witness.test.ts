/** An endpoint whose low or high head with other blocks takes the place of an honest one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { keccak256, numberToHex, stringToHex, zeroHash } from "viem"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass, type Reaction } from "./scriptedNodes.ts"

const header = (number: number, branch: string) => ({
  number: numberToHex(number),
  hash: keccak256(stringToHex(`${branch}${number}`)),
  parentHash: zeroHash,
  timestamp: "0x1",
  gasLimit: "0x1"
})

/** A node whose height and blocks a test changes. `says` takes the place of its answers. */
const nodeAt = (height: number) => {
  const state: { height: number; branch: string; says: ((method: string) => Reaction | undefined) | undefined } = {
    height,
    branch: "",
    says: undefined
  }
  const node: Node = (method, params) => {
    const said = state.says?.(method)
    if (said !== undefined) return said
    if (method === "eth_blockNumber") return { result: numberToHex(state.height) }
    if (method !== "eth_getBlockByNumber") return { result: "0x10" }
    const number = params[0] === "latest" ? state.height : Number(params[0])
    return { result: number > state.height ? null : header(number, state.branch) }
  }
  return { node, state }
}

const height = (client: ChainClient) => Effect.map(client.block("latest"), (found) => Option.getOrThrow(found).number)
const balance = (client: ChainClient) => client.balance(address(1))

/** Lets all follow the chain. */
const follow = (client: ChainClient, seconds: number, ...states: ReadonlyArray<{ height: number }>) =>
  Effect.gen(function* () {
    for (let second = 0; second < seconds; second++) {
      yield* height(client)
      for (const state of states) state.height += 1
      yield* pass("1 second")
    }
    yield* height(client)
  })

const asked = (log: ReadonlyArray<string>, method: string) =>
  log.filter((line) => line.endsWith(method)).map((line) => line.split(" ")[0])

describe("one witness with another block", () => {
  it.effect("does not refute an endpoint that follows the chain, and both are named", () =>
    Effect.gen(function* () {
      const honest = nodeAt(1_000)
      const liar = nodeAt(1_000)
      const { log, use } = network({ honest: honest.node, liar: liar.node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* follow(client, 3, honest.state, liar.state)
          liar.state.height -= 200
          liar.state.branch = "other "
          // It stays low for longer than a height is kept.
          yield* follow(client, 130, honest.state, liar.state)
          assert.deepStrictEqual(yield* client.elsewhere, ["honest", "liar"])
          log.length = 0
          yield* balance(client)
          assert.deepStrictEqual(asked(log, "eth_getBalance"), ["honest"])
          const made = client.corroborated(client.block(BigInt(liar.state.height - 10)))
          assert.isTrue((yield* Effect.flip(made)).isContradiction)
        })
      )
    })
  )

  it.effect("does not refute an endpoint at its first head", () =>
    Effect.gen(function* () {
      const honest = nodeAt(1_000)
      const liar = nodeAt(800)
      liar.state.branch = "other "
      yield* network({ liar: liar.node, honest: honest.node }).use((client) =>
        Effect.gen(function* () {
          yield* follow(client, 20, honest.state, liar.state)
          assert.deepStrictEqual(yield* client.elsewhere, ["liar", "honest"])
          const made = client.corroborated(client.block(BigInt(liar.state.height)))
          assert.isTrue((yield* Effect.flip(made)).isContradiction)
        })
      )
    })
  )

  it.effect("refutes an endpoint that jumped, and two refute any", () =>
    Effect.gen(function* () {
      const [one, two, other] = [nodeAt(1_000), nodeAt(1_000), nodeAt(1_000)]
      for (const nodes of [
        { one: one.node, other: other.node },
        { one: one.node, two: two.node, other: other.node }
      ]) {
        other.state.branch = ""
        yield* network(nodes).use((client) =>
          Effect.gen(function* () {
            yield* follow(client, 3, one.state, two.state, other.state)
            other.state.branch = "other "
            other.state.height += 500
            yield* height(client)
            assert.deepStrictEqual(yield* client.elsewhere, ["other"])
          })
        )
        other.state.height -= 500
      }
    })
  )
})

describe("the head of the only endpoint outside a cooldown", () => {
  it.effect("is not taken if the other one follows the chain and answers again", () =>
    Effect.gen(function* () {
      const honest = nodeAt(1_000)
      const liar = nodeAt(1_000)
      yield* network({ honest: honest.node, liar: liar.node }).use((client) =>
        Effect.gen(function* () {
          yield* follow(client, 3, honest.state, liar.state)
          honest.state.says = (method) => (method === "eth_getBalance" ? "refuse connection" : undefined)
          yield* balance(client)
          liar.state.height += 5_000
          assert.strictEqual(yield* height(client), BigInt(honest.state.height))
        })
      )
    })
  )

  it.effect("is taken without a request to the other one while it is credible", () =>
    Effect.gen(function* () {
      const down = nodeAt(1_000)
      const live = nodeAt(1_000)
      down.state.says = () => "refuse connection"
      const { log, use } = network({ down: down.node, live: live.node })
      yield* use((client) =>
        Effect.gen(function* () {
          yield* height(client)
          log.length = 0
          assert.strictEqual(yield* height(client), 1_000n)
          assert.deepStrictEqual(asked(log, "eth_getBlockByNumber"), ["live"])
        })
      )
    })
  )
})

describe("a head that is not credible", () => {
  it.effect("counts after 0.9 seconds in which the other endpoint does not answer", () =>
    Effect.gen(function* () {
      const silent = nodeAt(1_000)
      const live = nodeAt(1_000)
      yield* network({ silent: silent.node, live: live.node }).use((client) =>
        Effect.gen(function* () {
          yield* follow(client, 3, silent.state, live.state)
          silent.state.says = () => "hang"
          live.state.height += 50
          const asking = yield* Effect.forkChild(height(client))
          yield* pass("899 millis")
          assert.isUndefined(asking.pollUnsafe())
          yield* pass("1 millis")
          assert.isDefined(asking.pollUnsafe())
          assert.strictEqual(yield* Fiber.join(asking), BigInt(live.state.height))
        })
      )
    })
  )
})
