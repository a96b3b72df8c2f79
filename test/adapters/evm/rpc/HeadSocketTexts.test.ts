/** Texts of a node at the other end of a subscription, as they reach the log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import * as HeadSocket from "../../../../src/adapters/evm/rpc/HeadSocket.ts"
import { chain } from "../../../support/FakeChain.ts"
import { pass } from "./scriptedNodes.ts"
import { type ScriptedSocket, scriptedSockets } from "./scriptedSocket.ts"

const KEY = "secret-api-key-of-the-node"

/** Details of the losses that are logged. */
const lost = Effect.fnUntraced(function* (react: (socket: ScriptedSocket) => void) {
  const details: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    if (String(message) === "heads.subscription_lost") {
      details.push(String(fiber.getRef(References.CurrentLogAnnotations)["detail"]))
    }
  })
  const layers = Layer.mergeAll(scriptedSockets(react), Logger.layer([logger]))
  yield* Effect.gen(function* () {
    const { start } = yield* HeadSocket.make(chain, `wss://node.example/v2/${KEY}`, () => Effect.succeed("accepted"))
    yield* start
    yield* pass("100 millis")
  }).pipe(Effect.scoped, Effect.provide(layers))
  return details
})

describe("a node's text about a subscription", () => {
  it.effect("is logged without the key of the URL, and cut", () =>
    Effect.gen(function* () {
      const [reason, ...others] = yield* lost((socket) => {
        socket.end(`no plan for ${KEY}${"!".repeat(500)}`)
      })
      assert.deepStrictEqual(others, [])
      assert.include(reason, "node.example: 1000: no plan for [hidden]!")
      assert.isAtMost(reason?.length ?? 0, 250)
    })
  )

  it.effect("is logged in the same way when it stands for the chain's id", () =>
    Effect.gen(function* () {
      const [other] = yield* lost((socket) => {
        socket.say({ id: 1, result: `${"!".repeat(150)}${KEY}${"!".repeat(500)}` })
      })
      assert.include(other, "serves chain !!!")
      assert.notInclude(other, "secret-api")
      assert.isAtMost(other?.length ?? 0, 250)
      // It has no text of its own.
      const [odd] = yield* lost((socket) => {
        socket.say({ id: 1, result: { toString: KEY } })
      })
      assert.include(odd, 'serves chain {"toString":"[hidden]"}')
    })
  )
})
