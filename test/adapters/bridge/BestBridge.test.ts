/** The choice among bridges, of which some are broken, lie or are slow, and the following of each one's deposits. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as BestBridge from "../../../src/adapters/bridge/BestBridge.ts"
import {
  Bridge,
  type BridgeDeposit,
  type BridgeRequest,
  type BridgeRoute
} from "../../../src/ports/orchestrator/Bridge.ts"
import { NoRoute, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"

const request: BridgeRequest = {
  sourceChainId: FakeEnds.SOURCE,
  destChainId: FakeEnds.DESTINATION,
  tokenIn: address(0x11),
  tokenOut: address(0x22),
  amountIn: 1_000n,
  depositor: address(0x33),
  recipient: address(0x44),
  slippageBps: 50,
  deadline: 2n ** 40n
}

interface Behaviour {
  readonly mark: "0x01" | "0x02" | "0x03"
  readonly minAmountOut?: bigint
  readonly seconds?: number
  readonly route?: Effect.Effect<void, NoRoute | RoutingUnavailable>
  readonly prepare?: Effect.Effect<void>
  readonly lie?: Partial<BridgeDeposit>
  readonly isOffered?: boolean
  /** Least arrival of its own next route. Default: it has none. */
  readonly next?: bigint
}

/** A bridge whose calldata is its mark. */
const bridgeOf = (name: string, behaviour: Behaviour): BestBridge.NamedBridge => {
  const { isOffered = true, lie = {}, mark, minAmountOut = 900n, seconds = 60 } = behaviour
  const route: BridgeRoute = {
    provider: name,
    target: address(0x50),
    calldata: mark,
    amountOut: minAmountOut,
    minAmountOut,
    gas: 1n,
    passing: 0,
    estimatedSeconds: seconds
  }
  const deposit: BridgeDeposit = {
    tokenIn: request.tokenIn,
    amountIn: request.amountIn,
    tokenOut: request.tokenOut,
    minAmountOut,
    destChainId: BigInt(request.destChainId),
    depositor: request.depositor,
    recipient: request.recipient,
    ...lie
  }
  const { next } = behaviour
  const own =
    next === undefined
      ? route
      : { ...route, alternatives: [{ ...route, provider: `${name}'s next`, amountOut: next, minAmountOut: next }] }
  const routeOf = () => Effect.as(behaviour.route ?? Effect.void, own)
  return {
    name,
    isOffered,
    reads: (calldata) => calldata === mark,
    bridge: {
      route: routeOf,
      prepare: () => Effect.as(behaviour.prepare ?? Effect.void, routeOf),
      decode: (_source, _target, calldata) =>
        calldata === mark ? Effect.succeed(deposit) : Effect.fail(new NoRoute({ detail: `not of ${name}` })),
      delivery: () =>
        Effect.succeed({ _tag: "Delivered", txHash: FakeEnds.hash(Number(mark)), amountOut: minAmountOut })
    }
  }
}

const best = (fallback: BestBridge.NamedBridge, ...bridges: ReadonlyArray<BestBridge.NamedBridge>) =>
  Effect.map(
    Layer.build(BestBridge.layer({ fallback, bridges, bpsPerHour: 60 }).pipe(Layer.provide(FakeEnds.make([]).layer))),
    (context) => Effect.provide(Bridge, context)
  ).pipe(Effect.flatten)

const outcome = (bridge: Bridge["Service"]) =>
  Effect.match(bridge.route(request), {
    onSuccess: ({ provider }) => provider,
    onFailure: ({ _tag, detail }) => `${_tag}: ${detail}`
  })

/** Lets the clock go on in small steps until the effect ends. Returns its result and the time in milliseconds. */
const timed = Effect.fnUntraced(function* <A>(effect: Effect.Effect<A>) {
  const fiber = yield* Effect.forkChild(effect)
  for (let elapsed = 0; elapsed <= 20_000; elapsed += 100) {
    for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
    if (fiber.pollUnsafe() !== undefined) return { result: yield* Fiber.join(fiber), elapsed }
    yield* TestClock.adjust(100)
  }
  return yield* Effect.die("did not end")
})

const unavailable = Effect.fail(new RoutingUnavailable({ provider: "x", detail: "HTTP 500" }))
const noRoute = Effect.fail(new NoRoute({ detail: "too little" }))

describe("the best bridge", () => {
  it.effect("keeps the next routes of each bridge behind its best, by their own arrival", () =>
    Effect.gen(function* () {
      const across = bridgeOf("across", { mark: "0x01", minAmountOut: 9_000n, next: 8_000n })
      const relay = bridgeOf("relay", { mark: "0x02", minAmountOut: 8_500n, next: 7_000n })
      const { alternatives = [], ...route } = yield* (yield* best(across, relay)).route(request)
      assert.deepStrictEqual(
        [route, ...alternatives].map(({ provider }) => provider),
        ["across", "relay", "across's next", "relay's next"]
      )
      assert.isTrue(alternatives.every((each) => each.alternatives === undefined))
    })
  )

  it.effect("is the one of the best arrival, by amount and time", () =>
    Effect.gen(function* () {
      const across = bridgeOf("across", { mark: "0x01", minAmountOut: 9_000n, seconds: 3_600 })
      const larger = bridgeOf("relay", { mark: "0x02", minAmountOut: 9_001n, seconds: 3_600 })
      assert.strictEqual(yield* outcome(yield* best(across, larger)), "relay")
      const faster = bridgeOf("relay", { mark: "0x02", minAmountOut: 8_990n, seconds: 60 })
      assert.strictEqual(yield* outcome(yield* best(across, faster)), "relay")
      const equal = bridgeOf("relay", { mark: "0x02", minAmountOut: 9_000n, seconds: 3_600 })
      assert.strictEqual(yield* outcome(yield* best(across, equal)), "across")
    })
  )

  it.effect.each([
    ["fails", { mark: "0x02", route: unavailable }],
    ["has no route", { mark: "0x02", route: noRoute }],
    ["dies", { mark: "0x02", route: Effect.die("broken") }],
    ["dies while it reads the chains", { mark: "0x02", prepare: Effect.die("broken") }],
    ["pays somebody else", { mark: "0x02", minAmountOut: 5_000n, lie: { recipient: address(0xee) } }],
    ["deposits for somebody else", { mark: "0x02", minAmountOut: 5_000n, lie: { depositor: address(0xee) } }],
    ["takes another token", { mark: "0x02", minAmountOut: 5_000n, lie: { tokenIn: address(0xee) } }],
    ["takes another amount", { mark: "0x02", minAmountOut: 5_000n, lie: { amountIn: 1n } }],
    ["delivers another token", { mark: "0x02", minAmountOut: 5_000n, lie: { tokenOut: address(0xee) } }],
    ["delivers on another chain", { mark: "0x02", minAmountOut: 5_000n, lie: { destChainId: 1n } }],
    ["promises less than it says", { mark: "0x02", minAmountOut: 5_000n, lie: { minAmountOut: 1n } }]
  ] as const)("is another one if one %s", ([, broken]) =>
    Effect.gen(function* () {
      const honest = bridgeOf("across", { mark: "0x01" })
      assert.strictEqual(yield* outcome(yield* best(honest, bridgeOf("relay", broken))), "across")
      assert.strictEqual(yield* outcome(yield* best(bridgeOf("relay", broken), honest)), "across")
    })
  )

  it.effect("has the routes of the other honest ones behind it, best first", () =>
    Effect.gen(function* () {
      const across = bridgeOf("across", { mark: "0x01", minAmountOut: 900n })
      const relay = bridgeOf("relay", { mark: "0x02", minAmountOut: 950n })
      const names = ({ alternatives = [], provider }: BridgeRoute) => [
        provider,
        ...alternatives.map((next) => next.provider)
      ]
      const liar = bridgeOf("lifi", { mark: "0x03", minAmountOut: 5_000n, lie: { recipient: address(0xee) } })
      const bridge = yield* best(across, relay, liar)
      assert.deepStrictEqual(names(yield* bridge.route(request)), ["relay", "across"])
      const lifi = bridgeOf("lifi", { mark: "0x03", minAmountOut: 925n })
      const all = yield* best(across, relay, lifi)
      assert.deepStrictEqual(names(yield* all.route(request)), ["relay", "lifi", "across"])
    })
  )

  it.effect("does not wait for a slow one: 600 ms after the first good answer, and three seconds in all", () =>
    Effect.gen(function* () {
      const honest = bridgeOf("across", { mark: "0x01" })
      const silent = bridgeOf("relay", { mark: "0x02", minAmountOut: 5_000n, route: Effect.never })
      assert.deepStrictEqual(yield* timed(outcome(yield* best(honest, silent))), { result: "across", elapsed: 600 })
      const other = bridgeOf("lifi", { mark: "0x03", route: Effect.never })
      assert.deepStrictEqual(yield* timed(outcome(yield* best(silent, other))), {
        result: "RoutingUnavailable: relay: no answer in time; lifi: no answer in time",
        elapsed: 3_000
      })
      const stuck = bridgeOf("relay", { mark: "0x02", prepare: Effect.never })
      assert.deepStrictEqual(yield* timed(outcome(yield* best(honest, stuck))), { result: "across", elapsed: 3_000 })
    })
  )

  it.effect("lets a bad answer shorten nobody's time", () =>
    Effect.gen(function* () {
      const liar = bridgeOf("relay", { mark: "0x02", lie: { recipient: address(0xee) } })
      const slow = bridgeOf("across", { mark: "0x01", route: Effect.sleep(2_000) })
      assert.deepStrictEqual(yield* timed(outcome(yield* best(slow, liar))), { result: "across", elapsed: 2_000 })
    })
  )

  it.effect("can be retried unless every bridge has said that there is no route", () =>
    Effect.gen(function* () {
      const none = bridgeOf("across", { mark: "0x01", route: noRoute })
      const liar = bridgeOf("lifi", { mark: "0x03", lie: { amountIn: 1n } })
      assert.strictEqual(
        yield* outcome(yield* best(none, liar)),
        "NoRoute: across: too little; lifi: the deposit does not match the request"
      )
      const lost = bridgeOf("relay", { mark: "0x02", route: unavailable })
      assert.strictEqual(
        yield* outcome(yield* best(none, lost)),
        "RoutingUnavailable: across: too little; relay: HTTP 500"
      )
    })
  )
})

describe("the only bridge that is offered", () => {
  it.effect("keeps its own time limits and failures", () =>
    Effect.gen(function* () {
      const slow = bridgeOf("across", { mark: "0x01", route: Effect.sleep(4_500) })
      const removed = bridgeOf("relay", { mark: "0x02", minAmountOut: 5_000n, isOffered: false })
      assert.deepStrictEqual(yield* timed(outcome(yield* best(slow, removed))), { result: "across", elapsed: 4_500 })
      const none = bridgeOf("across", { mark: "0x01", route: noRoute })
      assert.strictEqual(yield* outcome(yield* best(none, removed)), "NoRoute: too little")
    })
  )
})

describe("a deposit", () => {
  it.effect("is read and followed by the bridge whose call it is, also after that one is no longer offered", () =>
    Effect.gen(function* () {
      const across = bridgeOf("across", { mark: "0x01", minAmountOut: 1n })
      const removed = bridgeOf("relay", { mark: "0x02", minAmountOut: 5_000n, isOffered: false })
      const bridge = yield* best(across, removed)
      assert.strictEqual(yield* outcome(bridge), "across")
      const route = { ...(yield* bridge.route(request)), calldata: "0x02" } as const
      const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
      assert.strictEqual(deposit.minAmountOut, 5_000n)
      const followed = yield* bridge.delivery({
        sourceChainId: request.sourceChainId,
        order: orderOf(request, route),
        receipt: FakeEnds.receiptOf(FakeEnds.hash(1), 1n, [])
      })
      assert.deepStrictEqual(followed, { _tag: "Delivered", txHash: FakeEnds.hash(2), amountOut: 5_000n })
    })
  )

  it.effect("of unknown calldata is read by the first bridge", () =>
    Effect.gen(function* () {
      const bridge = yield* best(bridgeOf("across", { mark: "0x01" }), bridgeOf("relay", { mark: "0x02" }))
      const refused = yield* Effect.flip(bridge.decode(request.sourceChainId, address(0x50), "0xff"))
      assert.strictEqual(refused.detail, "not of across")
    })
  )
})
