/** Relay over HTTP, against a stub in the recorded shapes, and the proof of its deliveries by the chains' own logs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { encodeAbiParameters, parseAbiParameters, toEventSelector } from "viem"
import * as MemoryIdempotency from "../../../src/adapters/memory/shared/Idempotency.ts"
import * as Health from "../../../src/adapters/providers/Health.ts"
import * as Relay from "../../../src/adapters/bridge/Relay.ts"
import type { NamedBridge } from "../../../src/adapters/bridge/BestBridge.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import type { BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import * as FakeEnds from "./fakeEnds.ts"
import { answerTo, DEPOSITORY, ORDER_ID, request as asked, REQUEST_ID } from "./relayAnswers.ts"

const TARGETS = [{ name: "relay", kind: "bridge", address: DEPOSITORY }] as const

const request: BridgeRequest = { ...asked, deadline: 2n ** 40n }

const QUOTE: Answer = { status: 200, body: answerTo(asked) }

const scene = Effect.fnUntraced(function* (options: Partial<Relay.Options> = {}) {
  const stub = yield* StubServer
  const fake = FakeEnds.make(TARGETS)
  const environment = yield* Layer.build(Layer.mergeAll(fake.layer, MemoryIdempotency.layer))
  const relay = yield* Relay.make({ apiUrl: stub.url, isOffered: true, ...options }).pipe(Effect.provide(environment))
  return { ...fake, relay, stub, bridge: relay.bridge }
})

const http = Layer.mergeAll(
  StubServer.answering(() => QUOTE),
  FetchHttpClient.layer,
  Health.layer
)

const failureOf = ({ bridge }: Pick<NamedBridge, "bridge">, wanted: BridgeRequest = request) =>
  Effect.map(Effect.flip(bridge.route(wanted)), ({ _tag, detail }) => `${_tag}: ${detail}`)

describe("a route of Relay", () => {
  it.effect("is the deposit of the answer, and reads back as the request", () =>
    Effect.gen(function* () {
      const { bridge, relay, stub } = yield* scene({ apiKey: Redacted.make("k3y") })
      const route = yield* Effect.flatMap(bridge.prepare(request), (routeOf) => routeOf(request.amountIn))
      assert.strictEqual(route.target, DEPOSITORY)
      assert.strictEqual(route.minAmountOut, 993_010n)
      assert.strictEqual(route.amountOut, 998_000n)
      assert.strictEqual(route.estimatedSeconds, 3)
      assert.isTrue(relay.reads(route.calldata))
      const deposit = yield* bridge.decode(request.sourceChainId, route.target, route.calldata)
      assert.include(deposit, {
        tokenIn: request.tokenIn,
        amountIn: request.amountIn,
        tokenOut: request.tokenOut,
        minAmountOut: 993_010n,
        destChainId: 31338n,
        depositor: request.depositor,
        recipient: request.recipient
      })
      const [seen] = yield* stub.seen
      assert.strictEqual(`${seen?.method} ${seen?.path}`, "POST /quote/v2")
      assert.strictEqual(seen?.headers.get("x-api-key"), "k3y")
      assert.include(JSON.parse(seen?.body ?? "{}"), { refundTo: request.depositor, amount: "1000000" })
    }).pipe(Effect.provide(http))
  )

  it.effect("is not asked for where the operator or the guard lists no depository", () =>
    Effect.gen(function* () {
      const { ends, stub, ...rest } = yield* scene()
      ends.listed.clear()
      assert.match(yield* failureOf(rest), /^NoRoute: relay: no depository is listed on source/)
      ends.listed.add(DEPOSITORY)
      assert.match(yield* failureOf(rest), /^NoRoute/)
      assert.strictEqual(ends.reads, 1)
      yield* TestClock.adjust("1 minute")
      yield* rest.bridge.route(request)
      assert.lengthOf(yield* stub.seen, 1)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route for what could not be proved or is not served", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      assert.match(yield* failureOf(rest, { ...request, tokenOut: NATIVE }), /^NoRoute: .*cannot be proved/)
      assert.match(yield* failureOf(rest, { ...request, amountIn: 0n }), /^NoRoute: .*zero/)
      assert.match(yield* failureOf(rest, { ...request, destChainId: 7 }), /^NoRoute: .*not configured/)
      assert.lengthOf(yield* stub.seen, 0)
    }).pipe(Effect.provide(http))
  )

  it.effect("has no route if the service refuses, or its answer is not what was asked for", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer({
        status: 400,
        body: { message: "to 0xsecret", errorCode: "AMOUNT_TOO_LOW", requestId: "0x" }
      })
      assert.strictEqual(yield* failureOf(rest), "NoRoute: relay: AMOUNT_TOO_LOW")
      yield* stub.answer({ status: 400, body: { message: "x", errorCode: "<script>" } })
      assert.strictEqual(yield* failureOf(rest), "NoRoute: relay: the service refuses the request")
      yield* stub.answer({ status: 200, body: answerTo({ ...asked, recipient: address(0xee) }) })
      assert.match(yield* failureOf(rest), /^NoRoute: relay: the answer has another recipient/)
      yield* stub.answer({ status: 200, body: answerTo(asked, address(0xee)) })
      assert.match(yield* failureOf(rest), /^NoRoute: .*not listed/)
    }).pipe(Effect.provide(http))
  )

  it.effect.each([
    ["a limit of requests", { status: 429, headers: { "retry-after": "7" } }, "HTTP 429, next request in 7 s"],
    ["a failure of the service", { status: 502, body: "bad gateway" }, "HTTP 502"],
    ["a body that is no JSON", { status: 200, body: "<html>" }, "HTTP 200 with a malformed body"],
    ["a body of another shape", { status: 200, body: { steps: [] } }, "HTTP 200 with a malformed body at details"]
  ] as const)("is unavailable after %s", ([, reply, detail]) =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer(reply)
      assert.strictEqual(yield* failureOf(rest), `RoutingUnavailable: ${detail}`)
    }).pipe(Effect.provide(http))
  )

  it.effect("keeps the pause that the service asks for", () =>
    Effect.gen(function* () {
      const { bridge, stub, ...rest } = yield* scene()
      yield* stub.answer({ status: 429, headers: { "retry-after": "7" } })
      yield* failureOf({ bridge, ...rest })
      yield* stub.answer(QUOTE)
      yield* failureOf({ bridge, ...rest })
      assert.lengthOf(yield* stub.seen, 1)
      yield* TestClock.adjust("7 seconds")
      yield* bridge.route(request)
    }).pipe(Effect.provide(http))
  )

  it.live("is unavailable if the service does not answer in time", () =>
    Effect.gen(function* () {
      const { stub, ...rest } = yield* scene()
      yield* stub.answer({ status: 200, silent: true })
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: no answer within 2500 ms/)
    }).pipe(Effect.provide(http))
  )
})

const DEPOSITED = toEventSelector("RelayErc20Deposit(address,address,uint256,bytes32)")
const FILL = FakeEnds.hash(0xf111)

/** A settled order with a route of Relay. The status of the request and the chains are the test's. */
const settled = Effect.fnUntraced(function* () {
  const { bridge, ends, stub } = yield* scene()
  const route = yield* bridge.route(request)
  const depositLog = FakeEnds.log(
    DEPOSITORY,
    [DEPOSITED],
    encodeAbiParameters(parseAbiParameters("address, address, uint256, bytes32"), [
      request.depositor,
      request.tokenIn,
      request.amountIn,
      ORDER_ID
    ]),
    FakeEnds.hash(0xd)
  )
  const look = (nonce = 0n, logs = [depositLog]) =>
    bridge.delivery({
      sourceChainId: request.sourceChainId,
      order: { ...orderOf(request, route), nonce },
      receipt: FakeEnds.receiptOf(FakeEnds.hash(0xd), 50n, logs)
    })
  const says = (status: string, txHashes: ReadonlyArray<Hash> = []) =>
    stub.answer({ status: 200, body: { status, inTxHashes: [FakeEnds.hash(0xd)], txHashes } })
  const fill = (value = 993_010n, blockNumber = 60n, to = request.recipient, token = request.tokenOut) =>
    ends.receipts.set(FILL, FakeEnds.receiptOf(FILL, blockNumber, [FakeEnds.transfer(token, to, value, FILL)]))
  return { bridge, depositLog, ends, fill, look, says, stub }
})

describe("a delivery of Relay", () => {
  it.effect("is proved by a transfer to the recipient at the chain's depth", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says, stub } = yield* settled()
      yield* says("pending")
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      const { path } = (yield* stub.seen).at(-1) ?? assert.fail()
      assert.strictEqual(path, `/intents/status/v3?requestId=${REQUEST_ID}`)
      yield* says("success", [FILL])
      fill(995_000n, 99n)
      // The depth of three blocks is not reached.
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      ends.head = 101n
      assert.deepStrictEqual(yield* look(), { _tag: "Delivered", txHash: FILL, amountOut: 995_000n })
    }).pipe(Effect.provide(http))
  )

  it.effect("is not proved by the service's word alone, nor by another transfer", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("success", [FILL])
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill(993_009n)
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill(993_010n, 60n, address(0xee))
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill(993_010n, 60n, request.recipient, address(0xee))
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      // Older than the deposit.
      fill(993_010n, 40n)
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill()
      const honest = ends.receipts.get(FILL) ?? assert.fail()
      ends.receipts.set(FILL, { ...honest, status: "reverted" })
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      ends.receipts.set(FILL, { ...honest, blockHash: FakeEnds.hash(0xbad) })
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      ends.receipts.set(FILL, honest)
      assert.strictEqual((yield* look())._tag, "Delivered")
    }).pipe(Effect.provide(http))
  )

  it.effect("proves one order with one transfer, however often it is asked", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("success", [FILL])
      fill()
      assert.strictEqual((yield* look(1n))._tag, "Delivered")
      assert.strictEqual((yield* look(2n))._tag, "Pending")
      assert.strictEqual((yield* look(1n))._tag, "Delivered")
      const second = FakeEnds.transfer(request.tokenOut, request.recipient, 993_010n, FILL, 1)
      const { logs, ...receipt } = ends.receipts.get(FILL) ?? assert.fail()
      ends.receipts.set(FILL, { ...receipt, logs: [...logs, second] })
      assert.strictEqual((yield* look(2n))._tag, "Delivered")
      assert.strictEqual((yield* look(3n))._tag, "Pending")
    }).pipe(Effect.provide(http))
  )

  it.effect("stays open while the service is silent, fails or says anything else", () =>
    Effect.gen(function* () {
      const { fill, look, says, stub } = yield* settled()
      fill()
      for (const status of ["waiting", "depositing", "submitted", "failure", "a new one"]) {
        yield* says(status, [FILL])
        assert.deepStrictEqual(yield* look(), { _tag: "Pending" }, status)
      }
      for (const reply of [{ status: 500 }, { status: 404, body: {} }, { status: 200, body: "success" }]) {
        yield* stub.answer(reply)
        assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      }
    }).pipe(Effect.provide(http))
  )

  it.effect("is refunded once the owner has the deposit back on the source chain", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("refund", [FILL])
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      // A transfer of the output to the recipient is no refund.
      fill()
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill(request.amountIn / 2n - 1n, 60n, request.depositor, request.tokenIn)
      assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      fill(request.amountIn - 10n, 60n, request.depositor, request.tokenIn)
      assert.strictEqual(ends.receipts.size, 1)
      assert.deepStrictEqual(yield* look(), { _tag: "Refunded" })
    }).pipe(Effect.provide(http))
  )

  it.effect("cannot be proved without the depository's own event of the deposit", () =>
    Effect.gen(function* () {
      const { depositLog, fill, look, says } = yield* settled()
      yield* says("success", [FILL])
      fill()
      for (const logs of [
        [],
        [{ ...depositLog, address: address(0xee) }],
        [{ ...depositLog, topics: [FakeEnds.hash(1)] }],
        [{ ...depositLog, data: `0x${depositLog.data.slice(2, -1)}0` as const }]
      ]) {
        const failed = yield* Effect.flip(look(0n, logs))
        assert.include(failed.message, "no deposit of this order")
      }
    }).pipe(Effect.provide(http))
  )
})
