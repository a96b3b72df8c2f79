import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Result } from "effect"
import { keccak256, numberToHex } from "viem"
import type { Hex } from "../../../../src/domain/Hex.ts"
import type { ChainClient } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { network, type Node, type OnBatch, pass } from "./scriptedNodes.ts"

/** The balance of an account is its last byte; account 13 makes the node fail. */
const node: Node = (method, params) => {
  switch (method) {
    case "eth_getBalance": {
      const account = Number.parseInt(String(params[0]).slice(-2), 16)
      return account === 13
        ? { error: { code: -32_000, message: "missing trie node" } }
        : { result: numberToHex(account) }
    }
    case "eth_sendRawTransaction":
      return { result: keccak256(params[0] as Hex) }
    case "eth_call":
      return { error: { code: 3, message: "execution reverted", data: "0x1234" } }
    default:
      return { error: { code: -32_601, message: "method not found" } }
  }
}

const accounts = (count: number, from = 20) => Array.from({ length: count }, (_, index) => from + index)

const balances = (client: ChainClient, bytes: ReadonlyArray<number>) =>
  Effect.forEach(bytes, (byte) => client.balance(address(byte)), { concurrency: "unbounded" })

const sends = (client: ChainClient, raws: ReadonlyArray<Hex>) =>
  Effect.forEach(raws, (raw) => Effect.result(client.send(raw)), { concurrency: "unbounded" })

const raws: ReadonlyArray<Hex> = ["0x01", "0x02", "0x03"]

describe("calls of one moment", () => {
  it.effect("travel as one request, and each has its own answer", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node })
      const found = yield* use((client) => balances(client, accounts(10)))
      assert.deepStrictEqual(found, accounts(10).map(BigInt))
      assert.deepStrictEqual(requests, ["first 10"])
    })
  )

  it.effect("are found by their ids, in whatever order the answers come", () =>
    Effect.gen(function* () {
      const { use } = network({ first: node }, (calls, answer) => Response.json(calls.map(answer).toReversed()))
      assert.deepStrictEqual(yield* use((client) => balances(client, accounts(5))), accounts(5).map(BigInt))
    })
  )

  it.effect("have their own errors", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node })
      const found = yield* use((client) =>
        Effect.forEach([12, 13, 14], (byte) => Effect.result(client.balance(address(byte))), {
          concurrency: "unbounded"
        })
      )
      assert.deepStrictEqual(found.map(Result.isSuccess), [true, false, true])
      assert.deepStrictEqual(requests, ["first 3"])
    })
  )

  it.effect("travel in requests of at most 50 calls", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node })
      yield* use((client) => balances(client, accounts(120)))
      assert.deepStrictEqual(requests, ["first 50", "first 50", "first 20"])
    })
  )

  it.effect.each([
    { code: 3, message: "execution reverted: batch" },
    { code: 3, message: "execution reverted: response too large" },
    { code: -32_000, message: "execution reverted: batch" },
    { code: -32_015, message: "VM execution error: batch" },
    { code: -32_600, message: "execution reverted" }
  ])("have their own reverts, whose text a contract chooses: $code $message", (error) =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: () => ({ error }) })
      const call = (client: ChainClient) => Effect.flip(client.call({ to: address(1), data: "0x" }))
      yield* use((client) =>
        Effect.gen(function* () {
          const pair = Effect.all([call(client), Effect.flip(client.call({ to: address(2), data: "0x" }))], {
            concurrency: "unbounded"
          })
          const reverted = yield* pair
          assert.deepStrictEqual(
            reverted.map(({ _tag }) => _tag),
            ["CallReverted", "CallReverted"]
          )
          yield* pair
          assert.deepStrictEqual(requests, ["first 2", "first 2"])
        })
      )
    })
  )

  it.effect("wait for no other kind of call", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node })
      const reverted = yield* use((client) =>
        Effect.all(
          [
            Effect.flip(client.call({ to: address(1), data: "0x" })),
            Effect.flip(client.call({ to: address(2), data: "0x" })),
            balances(client, [1, 2])
          ],
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(reverted[1]._tag, "CallReverted")
      assert.deepStrictEqual(requests.toSorted(), ["first 2", "first 2"])
    })
  )
})

describe("an endpoint that refuses batches", () => {
  const refusals: Record<string, (calls: ReadonlyArray<{ readonly id: number }>) => Response> = {
    "with one error": () =>
      Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "batches are not supported" } }),
    "with the error of the first call alone": (calls) =>
      Response.json([{ jsonrpc: "2.0", id: calls[0]?.id, error: { code: -32_600, message: "batch too large" } }]),
    "with an error for each call": (calls) =>
      Response.json(calls.map(({ id }) => ({ id, error: { code: -32_005, message: "too many calls in one batch" } }))),
    "with a client error": () => new Response("bad request", { status: 400 }),
    "as too large for HTTP": () => new Response("payload too large", { status: 413 }),
    "with a server error": () => new Response("oops", { status: 500 }),
    "with nothing to read": () => new Response("", { status: 200 })
  }
  for (const [how, refuse] of Object.entries(refusals)) {
    it.effect(`${how} is asked call by call, from then on`, () =>
      Effect.gen(function* () {
        const { requests, use } = network({ first: node }, refuse)
        yield* use((client) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* balances(client, accounts(4)), accounts(4).map(BigInt))
            assert.deepStrictEqual(requests.slice(0, 3), ["first 4", "first 2", "first 2"])
            requests.length = 0
            yield* balances(client, accounts(3))
            assert.deepStrictEqual(requests, ["first 1", "first 1", "first 1"])
            requests.length = 0
            yield* pass("11 minutes")
            yield* balances(client, accounts(1))
            yield* balances(client, accounts(3))
            assert.deepStrictEqual(requests.slice(0, 2), ["first 1", "first 3"])
          })
        )
      })
    )
  }

  it.effect("beyond a size is given batches of a size that it takes", () =>
    Effect.gen(function* () {
      const upTo10: OnBatch = (calls, answer) =>
        calls.length > 10
          ? Response.json({ error: { code: -32_014, message: "maximum 10 calls in 1 batch" } })
          : Response.json(calls.map(answer))
      const { requests, use } = network({ first: node }, upTo10)
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* balances(client, accounts(40)), accounts(40).map(BigInt))
          requests.length = 0
          yield* balances(client, accounts(15))
          assert.deepStrictEqual(requests, ["first 10", "first 5"])
        })
      )
    })
  )

  it.effect("of more than three calls is given three at a time, as long as that is remembered", () =>
    Effect.gen(function* () {
      const upTo3: OnBatch = (calls, answer) =>
        calls.length > 3
          ? Response.json({ error: { code: -32_005, message: "batch too large" } })
          : Response.json(calls.map(answer))
      const { requests, use } = network({ first: node }, upTo3)
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* balances(client, accounts(30)), accounts(30).map(BigInt))
          requests.length = 0
          assert.deepStrictEqual(yield* balances(client, accounts(9)), accounts(9).map(BigInt))
          assert.deepStrictEqual(requests, ["first 3", "first 3", "first 3"])
        })
      )
    })
  )

  it.effect("is asked again only for what it left unanswered", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: node }, (calls, answer) => Response.json(calls.slice(1).map(answer)))
      assert.deepStrictEqual(yield* use((client) => balances(client, accounts(3))), accounts(3).map(BigInt))
      assert.strictEqual(log.filter((line) => line === "first eth_getBalance").length, 4)
    })
  )

  it.effect("is not flooded call by call when it is overloaded", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node }, () => new Response("", { status: 503 }))
      const error = yield* Effect.flip(use((client) => balances(client, accounts(9))))
      assert.include(error.message, "HTTP 503")
      assert.deepStrictEqual(requests, ["first 9"])
    })
  )

  it.effect("is failed over when it hangs", () =>
    Effect.gen(function* () {
      let batches = 0
      const { use } = network({ first: node, second: node }, (calls, answer) =>
        batches++ === 0 ? "hang" : Response.json(calls.map(answer))
      )
      const fiber = yield* Effect.forkChild(use((client) => balances(client, accounts(3))))
      yield* pass("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), accounts(3).map(BigInt))
    })
  )
})

describe("sends of one moment", () => {
  const proven = (client: ChainClient) => balances(client, accounts(3))

  it.effect("go one by one until batches were seen to work, then together", () =>
    Effect.gen(function* () {
      const { requests, use } = network({ first: node })
      yield* use((client) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(
            yield* sends(client, raws),
            raws.map((raw) => Result.succeed(keccak256(raw)))
          )
          assert.deepStrictEqual(requests, ["first 1", "first 1", "first 1"])
          yield* proven(client)
          requests.length = 0
          assert.deepStrictEqual(
            yield* sends(client, raws),
            raws.map((raw) => Result.succeed(keccak256(raw)))
          )
          assert.deepStrictEqual(requests, ["first 3"])
        })
      )
    })
  )

  it.effect("are rejected one by one", () =>
    Effect.gen(function* () {
      const picky: Node = (method, params) =>
        method === "eth_sendRawTransaction" && params[0] === "0x02"
          ? { error: { code: -32_000, message: "nonce too low" } }
          : node(method, params)
      const { use } = network({ first: picky })
      const sent = yield* use((client) => Effect.andThen(proven(client), sends(client, raws)))
      assert.deepStrictEqual(sent.map(Result.isSuccess), [true, false, true])
      const [, second] = sent
      assert.strictEqual(second !== undefined && Result.isFailure(second) && second.failure._tag, "SendRejected")
    })
  )

  it.effect("that had no answer of their own are unknown, and are not made again here", () =>
    Effect.gen(function* () {
      for (const lost of [
        () => Response.json({ error: { code: -32_600, message: "batches are not supported" } }),
        () => new Response("", { status: 503 }),
        () => new Response("<html>", { status: 200 }),
        () => "hang" as const
      ]) {
        const { log, use } = network({ first: node }, (calls, answer) =>
          calls[0]?.method === "eth_sendRawTransaction" ? lost() : Response.json(calls.map(answer))
        )
        const fiber = yield* Effect.forkChild(use((client) => Effect.andThen(proven(client), sends(client, raws))))
        yield* pass("11 seconds")
        for (const each of yield* Fiber.join(fiber)) {
          assert.strictEqual(Result.isFailure(each) && each.failure._tag, "ChainUnavailable")
        }
        assert.strictEqual(log.filter((line) => line.endsWith("eth_sendRawTransaction")).length, 3)
      }
    })
  )

  it.effect("that were answered stand, beside those that were not", () =>
    Effect.gen(function* () {
      const { use } = network({ first: node }, (calls, answer) =>
        Response.json((calls[0]?.method === "eth_sendRawTransaction" ? calls.slice(0, 2) : calls).map(answer))
      )
      const sent = yield* use((client) => Effect.andThen(proven(client), sends(client, raws)))
      assert.deepStrictEqual(sent.map(Result.isSuccess), [true, true, false])
    })
  )
})
