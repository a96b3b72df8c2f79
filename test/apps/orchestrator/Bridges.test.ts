/** The bridges of a deployment: which are offered, whose deposits are read, and which services operators see. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import * as RelayDeposit from "../../../src/adapters/bridge/RelayDeposit.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Bridges from "../../../src/apps/orchestrator/Bridges.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import * as FakeEnds from "../../adapters/bridge/fakeEnds.ts"
import { address } from "../../support/FakeChain.ts"

const noRoute = Effect.fail(new NoRoute({ detail: "Across has none" }))
const across = Layer.succeed(Bridge, {
  route: () => noRoute,
  prepare: () => Effect.succeed(() => noRoute),
  decode: () => noRoute,
  delivery: () => Effect.succeed({ _tag: "Pending" })
})

const unpriced = Layer.succeed(Prices, {
  usd: () => Effect.succeed(new Map()),
  detailed: () => Effect.succeed(new Map())
})

const made = Effect.fnUntraced(function* (options?: Bridges.Options) {
  const context = yield* Layer.build(
    Bridges.layer(across, options).pipe(
      Layer.provide([FakeEnds.make([]).layer, MemoryIdempotency.layer, FetchHttpClient.layer, unpriced]),
      Layer.provideMerge(Health.layer)
    )
  )
  const names = Effect.map(Context.get(context, ProviderStates).all, (states) => states.map(({ name }) => name))
  return { bridge: Context.get(context, Bridge), names: yield* names }
})

const request = {
  sourceChainId: FakeEnds.SOURCE,
  destChainId: FakeEnds.DESTINATION,
  tokenIn: address(0x11),
  tokenOut: address(0x22),
  amountIn: 1n,
  depositor: address(0x33),
  recipient: address(0x44),
  slippageBps: 50,
  deadline: 1n
}

const deposit: RelayDeposit.RelayDeposit = {
  tokenIn: request.tokenIn,
  amountIn: 1n,
  tokenOut: request.tokenOut,
  minAmountOut: 1n,
  destChainId: 1n,
  depositor: request.depositor,
  recipient: request.recipient,
  orderId: FakeEnds.hash(1),
  requestId: FakeEnds.hash(2)
}

describe("the bridges of a deployment", () => {
  it.effect("are Across alone by default, with Relay's earlier deposits still read", () =>
    Effect.gen(function* () {
      const { bridge, names } = yield* made()
      assert.deepStrictEqual(names, [])
      assert.strictEqual((yield* Effect.flip(bridge.route(request))).detail, "Across has none")
      const read = yield* bridge.decode(request.sourceChainId, address(0x4c), RelayDeposit.encode(deposit))
      assert.strictEqual(read.recipient, request.recipient)
    })
  )

  it.effect("are those that the operator names", () =>
    Effect.gen(function* () {
      const { bridge, names } = yield* made({ offered: ["lifi", "relay"] })
      assert.deepStrictEqual(names, ["relay", "relay-status", "lifi-bridge"])
      const { detail } = yield* Effect.flip(bridge.route(request))
      assert.include(detail, "across: Across has none; relay: relay: no depository is listed on source")
    })
  )
})
