/** One node proves little about the contract of a token. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Result } from "effect"
import { zeroHash } from "viem"
import { mayHold, unsettled } from "../../../src/cli/reconcile/Vaults.ts"
import { network, type Node, pass } from "../../adapters/evm/rpc/scriptedNodes.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../support/FakeChain.ts"

const without: Node = () => ({ result: "0x" })
const withCode: Node = () => ({ result: "0x6001" })
const failing: Node = () => "refuse connection"

/** It refuses so many requests for the rate. */
const limited = (times: number, node: Node = without): Node => {
  let left = times
  return (method, params) => (left-- > 0 ? { status: 429, text: "too many requests" } : node(method, params))
}

/** It refuses for the rate, and names a time. */
const refusing: Node = () => ({ status: 429, text: "too many requests", headers: { "retry-after": "4" } })

const TOKENS = [address(0x0a), address(0x0b)]

const judge = (nodes: Record<string, Node>) =>
  network(nodes)
    .use((client) => mayHold(client, TOKENS))
    .pipe(Effect.result)

describe("a vault", () => {
  it.effect("may hold a token that an endpoint has, whatever the others say", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ first: without, second: withCode }), Result.succeed(true))
      assert.deepStrictEqual(yield* judge({ first: withCode, second: without }), Result.succeed(true))
      assert.deepStrictEqual(yield* judge({ first: without, second: without, third: withCode }), Result.succeed(true))
      const second: Node = (_, params) => ({ result: params[0] === TOKENS[1] ? "0x6001" : "0x" })
      assert.deepStrictEqual(yield* judge({ first: without, second }), Result.succeed(true))
    })
  )

  it.effect("may hold a token that only one of several endpoints does not have", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ first: without, second: failing }), Result.succeed(true))
      assert.deepStrictEqual(yield* judge({ first: failing, second: without, third: failing }), Result.succeed(true))
    })
  )

  it.effect("holds no token that two endpoints, or the only one, do not have", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* judge({ first: without }), Result.succeed(false))
      assert.deepStrictEqual(yield* judge({ first: without, second: without }), Result.succeed(false))
      assert.deepStrictEqual(yield* judge({ first: failing, second: without, third: without }), Result.succeed(false))
    })
  )

  it.effect("is not judged while no endpoint answers", () =>
    Effect.gen(function* () {
      assert.isTrue(Result.isFailure(yield* judge({ first: failing, second: failing })))
    })
  )

  it.effect("is judged by an endpoint that first refuses for the rate", () =>
    Effect.gen(function* () {
      const { use } = network({ first: limited(3), second: without })
      const judging = yield* Effect.forkChild(use((client) => mayHold(client, [address(0x0a)])))
      for (let step = 0; step < 10; step++) yield* pass("200 millis")
      assert.isFalse(yield* Fiber.join(judging))
    })
  )

  it.effect("may hold a token while an endpoint refuses for the rate longer than reads wait", () =>
    Effect.gen(function* () {
      const { log, use } = network({ first: limited(Infinity), second: without })
      const judging = yield* Effect.forkChild(use((client) => mayHold(client, [address(0x0a)])))
      for (let second = 0; second < 30; second++) yield* pass("1 second")
      assert.isTrue(yield* Fiber.join(judging))
      assert.isBelow(log.length, 40)
    })
  )

  it.effect("is judged at once if the endpoints that refuse for the rate are not needed", () =>
    Effect.gen(function* () {
      for (const [second, expected] of [
        [without, false],
        [withCode, true]
      ] as const) {
        for (const nodes of [
          { first: without, second, third: refusing },
          { first: refusing, second: without, third: second }
        ]) {
          const judging = yield* Effect.forkChild(network(nodes).use((client) => mayHold(client, [address(0x0a)])))
          yield* pass("100 millis")
          assert.isDefined(judging.pollUnsafe())
          assert.strictEqual(yield* Fiber.join(judging), expected)
        }
      }
    })
  )
})

describe("a vault whose forgotten payment may still be mined", () => {
  const early = {
    number: 1n,
    hash: zeroHash,
    parentHash: zeroHash,
    timestamp: 0n,
    baseFeePerGas: 1n,
    gasLimit: 1n
  }
  const told = (nodes: Record<string, Node>) =>
    network(nodes)
      .use((client) => unsettled({ client, head: early, confirmed: Option.some(early) }, 60_000, Effect.succeed(true)))
      .pipe(
        Effect.map((open) => open.map(({ text }) => text).join()),
        Effect.catchTag("ChainUnavailable", ({ message }) => Effect.succeed(message))
      )

  it.effect("is waited for unless two endpoints, or the only one that answers, show a contract", () =>
    Effect.gen(function* () {
      for (const nodes of [
        { first: without },
        { first: without, second: without },
        { first: failing, second: without }
      ]) {
        assert.include(yield* told(nodes), "may still be mined")
      }
      for (const nodes of [{ first: withCode }, { first: withCode, second: withCode }]) {
        assert.include(yield* told(nodes), "no confirmed block from after the restore")
      }
      for (const nodes of [
        { first: withCode, second: without },
        { first: without, second: withCode }
      ]) {
        assert.include(yield* told(nodes), "gave different answers")
      }
    })
  )
})

const unproved = new ChainUnavailable({
  chainId: chain.id,
  method: "eth_getCode",
  detail: "fewer than two endpoints answered"
})

describe("many tokens", () => {
  const tokens = Array.from({ length: 32 }, (_, index) => address(0x100 + index))

  it.effect("are looked up 16 at a time", () =>
    Effect.gen(function* () {
      let [running, most] = [0, 0]
      const code = () =>
        Effect.suspend(() => {
          most = Math.max(most, (running += 1))
          return Effect.delay(
            Effect.sync(() => {
              running -= 1
              return "0x" as const
            }),
            "10 seconds"
          )
        })
      const judging = yield* Effect.forkChild(mayHold({ chain, code }, tokens))
      yield* pass("10 seconds")
      yield* pass("10 seconds")
      assert.isDefined(judging.pollUnsafe())
      assert.isFalse(yield* Fiber.join(judging))
      assert.strictEqual(most, 16)
    })
  )

  it.effect("are looked up one after the other if that proved nothing about them together", () =>
    Effect.gen(function* () {
      let running = 0
      const code = () =>
        Effect.suspend(() => {
          running += 1
          return Effect.delay(
            Effect.suspend(() => (running > 1 ? Effect.fail(unproved) : Effect.succeed("0x" as const))),
            "1 second"
          ).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                running -= 1
              })
            )
          )
        })
      const judging = yield* Effect.forkChild(mayHold({ chain, code }, tokens))
      for (let second = 0; second < 34; second++) yield* pass("1 second")
      assert.isFalse(yield* Fiber.join(judging))
    })
  )
})
