/** The proof of Relay's deliveries and refunds by the chains' own logs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeAbiParameters, encodeEventTopics, parseAbiParameters, toEventSelector } from "viem"
import * as ProvedArrival from "../../../src/adapters/bridge/ProvedArrival.ts"
import { spokePoolAbi } from "../../../src/adapters/bridge/spokePoolAbi.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { orderOf } from "../../ports/orchestrator/Bridge.suite.ts"
import { address, chain } from "../../support/FakeChain.ts"
import * as FakeEnds from "./fakeEnds.ts"
import { DEPOSITORY, ORDER_ID, REQUEST_ID } from "./relayAnswers.ts"
import { failureOf, http, MESSENGER, request, scene, SOURCE_POOLS } from "./relayScene.ts"

const DEPOSITED = toEventSelector("RelayErc20Deposit(address,address,uint256,bytes32)")
const FILL = FakeEnds.hash(0xf111)
const PAYER = address(0x99)
const [FILLED_BY_ACROSS = "0x"] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FilledRelay" })
const REFUNDED_BY_ACROSS = toEventSelector(
  "ExecutedRelayerRefundRoot(uint256,uint256,uint256[],uint32,uint32,address,address[],bool,address)"
)
const CLAIMED_FROM_ACROSS = toEventSelector("ClaimedRelayerRefund(bytes32,bytes32,uint256,address)")
const MINTED_BY_CCTP = toEventSelector("MintAndWithdraw(address,uint256,address,uint256)")

/** A settled order with a route of Relay. The status of the request and the chains are the test's. */
const settled = Effect.fnUntraced(function* () {
  const { bridge, ends, idempotency, setPrice, stub } = yield* scene()
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
  const look = (nonce = 0n, logs = [depositLog], sourceConfirmations?: number) =>
    bridge.delivery({
      ...(sourceConfirmations === undefined ? {} : { sourceConfirmations }),
      sourceChainId: request.sourceChainId,
      order: { ...orderOf(request, route), nonce },
      receipt: FakeEnds.receiptOf(FakeEnds.hash(0xd), 50n, logs)
    })
  const says = (status: string, txHashes: ReadonlyArray<Hash> = []) =>
    stub.answer({ status: 200, body: { status, inTxHashes: [FakeEnds.hash(0xd)], txHashes } })
  const fill = (value = 993_010n, blockNumber = 60n, to = request.recipient, token = request.tokenOut, from = PAYER) =>
    ends.receipts.set(FILL, FakeEnds.receiptOf(FILL, blockNumber, [FakeEnds.transfer(token, to, value, FILL, 0, from)]))
  return { bridge, depositLog, ends, fill, idempotency, look, says, setPrice, stub }
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

  it.effect("takes one transfer for an order at which several replicas look at once", () =>
    Effect.gen(function* () {
      const { ends, fill, idempotency, look, says } = yield* settled()
      yield* says("success", [FILL])
      fill()
      const { logs, ...receipt } = ends.receipts.get(FILL) ?? assert.fail()
      const second = FakeEnds.transfer(request.tokenOut, request.recipient, 993_010n, FILL, 1)
      ends.receipts.set(FILL, { ...receipt, logs: [...logs, second] })
      // Another replica has claimed the first transfer for the order, and not finished.
      const order = `${request.sourceChainId}:${request.depositor}:1`
      yield* idempotency.claim({
        id: `arrival:${request.destChainId}:${FILL}:0`,
        attempt: order,
        fingerprint: order,
        leaseMillis: 10_000,
        lifetimeMillis: 60_000
      })
      assert.strictEqual((yield* look(1n))._tag, "Pending")
      assert.strictEqual((yield* look(2n))._tag, "Delivered")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* look(1n))._tag, "Delivered")
    }).pipe(Effect.provide(http))
  )

  it.effect("is not proved by what the owner or the recipient paid, nor by what belongs to another order", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("success", [FILL])
      for (const payer of [request.recipient, request.depositor]) {
        fill(993_010n, 60n, request.recipient, request.tokenOut, payer)
        assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      }
      fill()
      const { logs, ...receipt } = ends.receipts.get(FILL) ?? assert.fail()
      for (const other of [
        FakeEnds.log(chain.contracts.guard, [FakeEnds.hash(1)], "0x", FILL, 1),
        FakeEnds.log(FakeEnds.EARLIER.guard, [FakeEnds.hash(1)], "0x", FILL, 1),
        FakeEnds.log(FakeEnds.POOL, [FILLED_BY_ACROSS], "0x", FILL, 1),
        FakeEnds.log(FakeEnds.FORMER_POOL, [FILLED_BY_ACROSS], "0x", FILL, 1),
        FakeEnds.log(MESSENGER, [MINTED_BY_CCTP], "0x", FILL, 1)
      ]) {
        ends.receipts.set(FILL, { ...receipt, logs: [...logs, other] })
        assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
      }
      // Anybody can log such an event in a contract of his own.
      const foreign = FakeEnds.log(address(0xee), [MINTED_BY_CCTP], "0x", FILL, 1)
      ends.receipts.set(FILL, { ...receipt, logs: [...logs, foreign] })
      assert.strictEqual((yield* look())._tag, "Delivered")
    }).pipe(Effect.provide(http))
  )

  it("is not proved by a transfer of nothing", () => {
    const arrival = {
      token: request.tokenOut,
      recipient: request.recipient,
      owner: request.depositor,
      minAmountOut: 0n,
      depositedAt: 0n,
      order: "1"
    }
    const of = (value: bigint) => FakeEnds.transfer(request.tokenOut, request.recipient, value, FILL)
    assert.isTrue(Option.isSome(ProvedArrival.arrived(of(1n), arrival)))
    assert.isTrue(Option.isNone(ProvedArrival.arrived(of(0n), arrival)))
  })

  it.effect("is followed while quotes are limited and fail", () =>
    Effect.gen(function* () {
      const { fill, look, says, stub, ...rest } = yield* settled()
      yield* stub.answer({ status: 429, headers: { "retry-after": "600" } })
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: HTTP 429/)
      yield* says("success", [FILL])
      fill()
      assert.match(yield* failureOf(rest), /^RoutingUnavailable: asked for a pause/)
      assert.strictEqual((yield* look())._tag, "Delivered")
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
      assert.deepStrictEqual(yield* look(), {
        _tag: "Refunded",
        paid: {
          txHash: FILL,
          blockNumber: 60n,
          logIndex: 0,
          entry: 0,
          token: request.tokenIn,
          account: request.depositor,
          amount: request.amountIn - 10n
        }
      })
    }).pipe(Effect.provide(http))
  )

  it.effect("is not refunded by what Across refunds", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("refund", [FILL])
      fill(request.amountIn, 60n, request.depositor, request.tokenIn)
      const { logs, ...receipt } = ends.receipts.get(FILL) ?? assert.fail()
      for (const pool of SOURCE_POOLS) {
        for (const topic of [REFUNDED_BY_ACROSS, CLAIMED_FROM_ACROSS]) {
          const other = FakeEnds.log(pool, [topic], "0x", FILL, 1)
          ends.receipts.set(FILL, { ...receipt, logs: [...logs, other] })
          assert.deepStrictEqual(yield* look(), { _tag: "Pending" })
        }
      }
      ends.receipts.set(FILL, { ...receipt, logs })
      assert.strictEqual((yield* look())._tag, "Refunded")
    }).pipe(Effect.provide(http))
  )

  it.effect("is refunded at the source's depth for the sweep's value", () =>
    Effect.gen(function* () {
      const { ends, fill, look, says } = yield* settled()
      yield* says("refund", [FILL])
      fill(request.amountIn, 60n, request.depositor, request.tokenIn)
      const looked = Effect.map(
        Effect.suspend(() => look(0n, undefined, 42)),
        ({ _tag }) => _tag
      )
      assert.strictEqual(yield* looked, "Pending")
      ends.head = 101n
      assert.strictEqual(yield* looked, "Refunded")
    }).pipe(Effect.provide(http))
  )

  it.effect("is refunded only if the costs that the service keeps are small", () =>
    Effect.gen(function* () {
      const { fill, look, says, setPrice } = yield* settled()
      yield* says("refund", [FILL])
      const refunded = (amount: bigint) => {
        fill(amount, 60n, request.depositor, request.tokenIn)
        return Effect.map(look(), ({ _tag }) => _tag)
      }
      // The deposit of one token is worth 1,000 dollars.
      setPrice(request.tokenIn, 1_000_000_000n)
      assert.strictEqual(yield* refunded(899_999n), "Pending")
      setPrice(request.tokenIn, undefined)
      assert.strictEqual(yield* refunded(899_999n), "Pending")
      setPrice(request.tokenIn, 20_000_000n)
      assert.strictEqual(yield* refunded(749_999n), "Pending")
      assert.strictEqual(yield* refunded(750_000n), "Refunded")
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
