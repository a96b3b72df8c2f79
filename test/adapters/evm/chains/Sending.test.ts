import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { keccak256 } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import * as SendScope from "../../../../src/ports/shared/SendScope.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "../rpc/scriptedNodes.ts"

const raw: Hex = "0x02f8"
const hash = keccak256(raw)
const send = (client: ChainClient) => client.send(raw)

const error = (message: string) => ({ error: { code: -32_000, message } })

/** Knows reads alone. */
const reader: Node = (method) => (method === "eth_getBalance" ? { result: "0x10" } : error("method not found"))

/** As a rollup's sequencer: it takes transactions alone. */
const taker: Node = (method) => (method === "eth_sendRawTransaction" ? { result: hash } : error("method not found"))

const refusing =
  (message: string): Node =>
  () =>
    error(message)

const between = (nodes: Record<string, Node>, ...broadcasting: ReadonlyArray<string>) =>
  network({ reader, ...nodes }, undefined, {}, broadcasting)

describe("transactions of a chain with endpoints for broadcasting", () => {
  it.effect("go to them alone, without any other request, and reads go to the others", () =>
    Effect.gen(function* () {
      const { log, use } = between({ sequencer: taker }, "sequencer")
      assert.strictEqual(yield* use(send), hash)
      assert.deepStrictEqual(log, ["sequencer eth_sendRawTransaction"])
      assert.strictEqual(yield* use((client) => client.balance(address(1))), 16n)
      assert.deepStrictEqual(log.slice(1), ["reader eth_chainId", "reader eth_getBalance"])
    })
  )

  it.effect("go to all of them, and are accepted when one accepts them", () =>
    Effect.gen(function* () {
      const nodes = { public: refusing("txpool is full"), private: taker, hung: () => "hang" as const }
      const { log, use } = between(nodes, "public", "private", "hung")
      const sent = yield* Effect.forkChild(use(send))
      yield* pass("0 millis")
      assert.strictEqual(yield* Fiber.join(sent), hash)
      assert.deepStrictEqual(log.toSorted(), [
        "hung eth_sendRawTransaction",
        "private eth_sendRawTransaction",
        "public eth_sendRawTransaction"
      ])
    })
  )

  it.effect("are rejected when all reject them, and unknown when one did not answer", () =>
    Effect.gen(function* () {
      const both = { public: refusing("txpool is full"), private: refusing("authority already reserved") }
      const rejected = yield* Effect.flip(between(both, "public", "private").use(send))
      assert.strictEqual(rejected._tag === "SendRejected" && rejected.reason, "AuthorityBusy")
      const one = { ...both, private: () => "refuse connection" as const }
      const unknown = yield* Effect.flip(between(one, "public", "private").use(send))
      assert.strictEqual(unknown._tag === "ChainUnavailable" && unknown.refusal, "PoolFull")
      assert.notInclude(unknown.message, "secret-api-key")
    })
  )
})

/** Takes every transaction, and may lose it. */
const accepting: Node = () => ({ result: hash })

const sendings = (log: ReadonlyArray<string>) =>
  log.filter((entry) => entry.endsWith("eth_sendRawTransaction")).map((entry) => entry.split(" ")[0])

const sendAgain = (client: ChainClient) => SendScope.everywhere(client.send(raw))

describe("a transaction that is sent again", () => {
  it.effect("goes to every endpoint, since the one that accepted it may have dropped it", () =>
    Effect.gen(function* () {
      const { log, use } = network({ dropping: accepting, second: accepting, third: accepting })
      assert.strictEqual(yield* use(send), hash)
      assert.deepStrictEqual(sendings(log), ["dropping"])
      log.length = 0
      assert.strictEqual(yield* use((client) => Effect.tap(sendAgain(client), pass("0 millis"))), hash)
      assert.sameMembers(sendings(log), ["dropping", "second", "third"])
    })
  )

  it.effect("waits for no endpoint after one has accepted it or knows it", () =>
    Effect.gen(function* () {
      for (const last of [accepting, refusing("already known")]) {
        const nodes = { hung: () => "hang" as const, full: refusing("txpool is full"), last }
        const sent = yield* Effect.forkChild(network(nodes).use(sendAgain))
        yield* pass("0 millis")
        assert.strictEqual(yield* Fiber.join(sent), hash)
      }
    })
  )

  it.effect("is refused if all refuse it, for the most decisive reason, and unknown when one did not answer", () =>
    Effect.gen(function* () {
      const both = { first: refusing("txpool is full"), second: refusing("nonce too low") }
      const rejected = yield* Effect.flip(network(both).use(sendAgain))
      assert.strictEqual(rejected._tag === "SendRejected" && rejected.reason, "NonceTooLow")
      const one = { ...both, second: () => "refuse connection" as const }
      const unknown = yield* Effect.flip(network(one).use(sendAgain))
      assert.strictEqual(unknown._tag === "ChainUnavailable" && unknown.refusal, "PoolFull")
    })
  )

  it.effect("goes to the endpoints for broadcasting alone", () =>
    Effect.gen(function* () {
      const { log, use } = between({ sequencer: taker }, "sequencer")
      assert.strictEqual(yield* use(sendAgain), hash)
      assert.deepStrictEqual(log, ["sequencer eth_sendRawTransaction"])
    })
  )

  it.effect("stays with the private endpoints until its time is over, and then goes to every public one", () => {
    const nodes = { public: accepting, second: accepting, private: taker }
    const { log, use } = network(nodes, undefined, {}, [], ["private"])
    return use((client) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* client.send(raw), hash)
        yield* pass("15 seconds")
        assert.strictEqual(yield* sendAgain(client), hash)
        yield* pass("0 millis")
        assert.deepStrictEqual(sendings(log), ["private", "private"])
        yield* pass("15 seconds")
        log.length = 0
        yield* sendAgain(client)
        yield* pass("0 millis")
        assert.sameMembers(sendings(log), ["public", "second"])
      })
    )
  })
})
