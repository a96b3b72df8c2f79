import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { keccak256 } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
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
