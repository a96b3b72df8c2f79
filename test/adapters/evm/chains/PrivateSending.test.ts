import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { keccak256, numberToHex } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, pass } from "../rpc/scriptedNodes.ts"

const raw: Hex = "0x02f8"
const hash = keccak256(raw)

const error = (message: string) => ({ error: { code: -32_000, message } })

/** Takes transactions alone, as a private endpoint does. */
const taker: Node = (method) => (method === "eth_sendRawTransaction" ? { result: hash } : error("method not found"))

const receipt = {
  transactionHash: hash,
  blockNumber: numberToHex(7),
  blockHash: keccak256("0x07"),
  status: "0x1",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x1",
  from: address(1),
  to: address(2),
  logs: []
}

/** A public node. The transaction is in a block or not. */
const publicNode =
  (isIncluded: () => boolean = () => false, sent: ReturnType<Node> = { result: hash }): Node =>
  (method) => {
    if (method === "eth_sendRawTransaction") return sent
    return method === "eth_getTransactionReceipt"
      ? { result: isIncluded() ? receipt : null }
      : error("method not found")
  }

const between = (nodes: Record<string, Node>, ...privately: ReadonlyArray<string>) =>
  network(nodes, undefined, {}, [], privately)

const sendings = (log: ReadonlyArray<string>) => log.filter((entry) => entry.endsWith("eth_sendRawTransaction"))

describe("transactions of a chain with private endpoints", () => {
  it.effect("go to them alone, and to the public nodes after 30 seconds without inclusion", () => {
    const { log, use } = between({ public: publicNode(), private: taker }, "private")
    return use((client) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* client.send(raw), hash)
        assert.deepStrictEqual(log, ["private eth_sendRawTransaction"])
        yield* pass("29 seconds")
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction"])
        yield* pass("1 second")
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction", "public eth_sendRawTransaction"])
      })
    )
  })

  it.effect("stay private if they are included in time", () => {
    const { log, use } = between({ public: publicNode(() => true), private: taker }, "private")
    return use((client) =>
      Effect.gen(function* () {
        yield* client.send(raw)
        yield* pass("10 minutes")
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction"])
        assert.include(log, "public eth_getTransactionReceipt")
      })
    )
  })

  it.effect("go public after the same time if their sender is interrupted before an answer", () => {
    const { log, use } = between({ public: publicNode(), private: () => "hang" }, "private")
    return use((client) =>
      Effect.gen(function* () {
        const sender = yield* Effect.forkChild(client.send(raw))
        yield* pass("1 second")
        yield* Fiber.interrupt(sender)
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction"])
        yield* pass("29 seconds")
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction", "public eth_sendRawTransaction"])
      })
    )
  })

  it.effect("that are sent again stay private until the first time has passed, and are public from then on", () => {
    const { log, use } = between({ public: publicNode(), private: taker }, "private")
    return use((client) =>
      Effect.gen(function* () {
        yield* client.send(raw)
        yield* pass("15 seconds")
        yield* client.send(raw)
        yield* pass("15 seconds")
        yield* client.send(raw)
        assert.deepStrictEqual(sendings(log), [
          "private eth_sendRawTransaction",
          "private eth_sendRawTransaction",
          "public eth_sendRawTransaction",
          "public eth_sendRawTransaction"
        ])
      })
    )
  })

  it.effect.each<readonly [string, Node]>([
    ["refuses", () => error("bundle rejected")],
    ["says that the nonce is too low", () => error("nonce too low")],
    ["has another hash", () => ({ result: keccak256("0x01") })],
    ["limits requests", () => ({ status: 429, text: "slow down" })],
    ["answers nonsense", () => ({ status: 200, text: "<html>" })],
    ["refuses the connection", () => "refuse connection"]
  ])("are public at once if the private endpoint %s", ([, node]) => {
    const { log, use } = between({ public: publicNode(), private: node }, "private")
    return use((client) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* client.send(raw), hash)
        assert.strictEqual(sendings(log).at(-1), "public eth_sendRawTransaction")
        // It was shown to the public, so privacy is over.
        yield* client.send(raw)
        assert.strictEqual(sendings(log).filter((entry) => entry.startsWith("public")).length, 2)
      })
    )
  })

  it.effect("are public after two seconds if the private endpoint is silent", () => {
    const { log, use } = between({ public: publicNode(), private: () => "hang" }, "private")
    return use((client) =>
      Effect.gen(function* () {
        const sent = yield* Effect.forkChild(client.send(raw))
        yield* pass("1999 millis")
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction"])
        yield* pass("1 milli")
        assert.strictEqual(yield* Fiber.join(sent), hash)
        assert.deepStrictEqual(sendings(log), ["private eth_sendRawTransaction", "public eth_sendRawTransaction"])
      })
    )
  })

  it.effect("stay private if one of several endpoints takes them", () => {
    const { log, use } = between({ public: publicNode(), first: () => error("no"), second: taker }, "first", "second")
    return use((client) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* client.send(raw), hash)
        assert.notInclude(log, "public eth_sendRawTransaction")
      })
    )
  })

  it.effect("are refused only by public nodes", () => {
    const { use } = between(
      { public: publicNode(() => false, error("insufficient funds for gas")), private: () => error("nonce too low") },
      "private"
    )
    return use((client) =>
      Effect.gen(function* () {
        const refused = yield* Effect.flip(client.send(raw))
        assert.strictEqual(refused._tag === "SendRejected" && refused.reason, "InsufficientFunds")
      })
    )
  })
})
