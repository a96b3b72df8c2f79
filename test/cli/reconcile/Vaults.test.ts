/** One node proves little about the contract of a token. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { mayHold } from "../../../src/cli/reconcile/Vaults.ts"
import { network, type Node } from "../../adapters/evm/rpc/scriptedNodes.ts"
import { address } from "../../support/FakeChain.ts"

const without: Node = () => ({ result: "0x" })
const withCode: Node = () => ({ result: "0x6001" })
const failing: Node = () => "refuse connection"

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
})
