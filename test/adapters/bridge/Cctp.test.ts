/** Routes of CCTP, against a stub in the recorded shape of Circle's API and contracts that say what a test wants. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { numberToHex } from "viem"
import * as CctpDeposit from "../../../src/adapters/bridge/CctpDeposit.ts"
import * as CctpMessage from "../../../src/adapters/bridge/CctpMessage.ts"
import * as CctpFees from "../../../src/adapters/bridge/CctpFees.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { address } from "../../support/FakeChain.ts"
import vector from "../../vectors/cctp-burn.json"
import { CONTRACTS, DOMAINS, FEES, http, request, scene } from "./cctpScene.ts"

const failureOf = ({ bridge }: Effect.Success<ReturnType<typeof scene>>, wanted: BridgeRequest = request) =>
  Effect.map(Effect.flip(bridge.route(wanted)), ({ _tag, detail }) => `${_tag}: ${detail}`)

const feesWith = (fee: object) => ({ status: 200, body: [{ finalityThreshold: 1_000, minimumFee: 1, ...fee }] })

describe("a route of CCTP", () => {
  it.effect("burns for the recipient, and reads back as what was asked for", () =>
    Effect.gen(function* () {
      const { bridge, stub } = yield* scene()
      const route = yield* bridge.route(request)
      assert.strictEqual(route.target, CONTRACTS.source.messenger)
      // 1.3 basis points and 0.21 USDC are expected. With the highest costs and the margin, at most 0.42 USDC are kept.
      assert.strictEqual(route.amountOut, 999_660_000n)
      assert.strictEqual(route.minAmountOut, 999_580_000n)
      const deposit = Option.getOrThrow(CctpDeposit.decode(route.calldata))
      assert.strictEqual(deposit.destinationDomain, DOMAINS.destination)
      assert.strictEqual(deposit.finality, CctpDeposit.FAST)
      assert.deepStrictEqual(yield* bridge.decode(request.sourceChainId, route.target, route.calldata), deposit)
      assert.strictEqual(deposit.recipient, request.recipient)
      assert.strictEqual(deposit.depositor, request.depositor)
      const [{ path } = assert.fail()] = yield* stub.seen
      assert.strictEqual(path, "/v2/burn/USDC/fees/6/3?forward=true")
    }).pipe(Effect.provide(http))
  )

  it.effect("waits for finality where time is worth less than the fee", () =>
    Effect.gen(function* () {
      const patient = yield* scene({ bpsPerHour: 0 })
      const route = yield* patient.bridge.route(request)
      assert.strictEqual(Option.getOrThrow(CctpDeposit.decode(route.calldata)).finality, CctpDeposit.STANDARD)
      assert.strictEqual(route.minAmountOut, 999_736_000n)
      assert.isAbove(route.estimatedSeconds, 1_000)
    }).pipe(Effect.provide(http))
  )

  it.effect("is none for other tokens, larger amounts, and amounts below the fees", () =>
    Effect.gen(function* () {
      const all = yield* scene()
      const onlyUsdc = "NoRoute: cctp: only USDC is carried"
      assert.strictEqual(yield* failureOf(all, { ...request, tokenOut: address(0x77) }), onlyUsdc)
      assert.strictEqual(yield* failureOf(all, { ...request, tokenOut: NATIVE }), onlyUsdc)
      assert.include(yield* failureOf(all, { ...request, amountIn: all.said.limit + 1n }), "one burn carries at most")
      assert.include(yield* failureOf(all, { ...request, amountIn: 250_000n }), "not worth Circle's fees")
      const unknown = yield* scene()
      unknown.said.limit = 0n
      assert.strictEqual(yield* failureOf(unknown), onlyUsdc)
    }).pipe(Effect.provide(http))
  )

  it.effect("is none while the guard does not list the messenger, or the ends do not trust each other", () =>
    Effect.gen(function* () {
      const unlisted = yield* scene()
      unlisted.ends.listed.clear()
      assert.strictEqual(yield* failureOf(unlisted), "NoRoute: cctp: no messenger is listed on source")
      for (const end of ["source", "destination"] as const) {
        const foreign = yield* scene()
        foreign.said.trusted[end] = address(0xee)
        assert.include(yield* failureOf(foreign), "does not know the messenger")
      }
    }).pipe(Effect.provide(http))
  )

  it.effect("takes no absurd fee, and none of a chain to which Circle sends no mints", () =>
    Effect.gen(function* () {
      const all = yield* scene()
      for (const fee of [
        { minimumFee: 51, forwardFee: { med: 1, high: 1 } },
        { forwardFee: { med: 1, high: 50_000_001 } },
        { forwardFee: { med: 50_000_001, high: 1 } },
        {}
      ]) {
        yield* all.stub.answer(feesWith(fee))
        assert.include(yield* failureOf(all), "not worth Circle's fees")
      }
      yield* all.stub.answer(feesWith({ minimumFee: -1, forwardFee: { med: 1, high: 1 } }))
      assert.include(yield* failureOf(all), "RoutingUnavailable")
      yield* all.stub.answer({ status: 404, body: { code: 1, message: "no" } })
      assert.strictEqual(yield* failureOf(all), "NoRoute: cctp: Circle has no fees for these chains")
      yield* all.stub.answer({ status: 500, body: {} })
      assert.include(yield* failureOf(all), "RoutingUnavailable")
    }).pipe(Effect.provide(http))
  )

  it.effect("keeps what the contracts say about some tokens, however many are asked for", () =>
    Effect.gen(function* () {
      const all = yield* scene()
      all.said.minted = NATIVE
      const ask = (number: number) =>
        failureOf(all, { ...request, tokenIn: Address.of(numberToHex(0x1000 + number, { size: 20 })) })
      yield* Effect.forEach(
        Array.from({ length: 501 }, (_, number) => number),
        ask
      )
      const before = all.said.asked
      yield* ask(500)
      assert.strictEqual(all.said.asked, before)
      yield* ask(0)
      assert.isAbove(all.said.asked, before)
    }).pipe(Effect.provide(http))
  )

  it.effect("does not read back if its terms differ from what the contracts do", () =>
    Effect.gen(function* () {
      const { bridge, said } = yield* scene()
      const { calldata, target } = yield* bridge.route(request)
      const deposit = Option.getOrThrow(CctpDeposit.decode(calldata))
      const wrong = [
        { ...deposit, destinationDomain: 0 },
        { ...deposit, tokenOut: address(0x77) },
        { ...deposit, destChainId: 5n }
      ]
      for (const each of wrong) {
        const read = Effect.flip(bridge.decode(request.sourceChainId, target, CctpDeposit.encode(each)))
        assert.strictEqual((yield* read)._tag, "NoRoute")
      }
      const fresh = yield* scene()
      fresh.said.domains.destination = said.domains.destination + 1
      assert.strictEqual(
        (yield* Effect.flip(fresh.bridge.decode(request.sourceChainId, target, calldata)))._tag,
        "NoRoute"
      )
    }).pipe(Effect.provide(http))
  )
})

describe("a burn", () => {
  const deposit: CctpDeposit.CctpDeposit = {
    ...request,
    minAmountOut: 999_000_000n,
    destChainId: BigInt(request.destChainId),
    destinationDomain: 3,
    finality: CctpDeposit.FAST
  }

  it("has the call and the message with which an order burns in the tests of the contracts", () => {
    const { calldata, message, ...ends } = vector
    const at = (address: string) => Address.of(address)
    const burn: CctpDeposit.CctpDeposit = {
      tokenIn: at(vector.token),
      amountIn: BigInt(vector.amount),
      tokenOut: at(vector.tokenOut),
      minAmountOut: BigInt(vector.minAmountOut),
      destChainId: BigInt(vector.destChainId),
      depositor: at(vector.owner),
      recipient: at(vector.recipient),
      destinationDomain: ends.destinationDomain,
      finality: vector.finality
    }
    assert.strictEqual(CctpDeposit.encode(burn), calldata)
    assert.deepStrictEqual(CctpDeposit.decode(calldata as Hex), Option.some(burn))
    const sent = CctpMessage.of(
      {
        sourceDomain: ends.sourceDomain,
        destinationDomain: ends.destinationDomain,
        messenger: at(ends.messenger),
        transmitter: at(ends.transmitter),
        destinationMessenger: at(ends.destinationMessenger),
        destinationTransmitter: at(ends.destinationMessenger)
      },
      burn
    )
    assert.strictEqual(sent, message)
  })

  it("is read only from exactly its own bytes", () => {
    const calldata = CctpDeposit.encode(deposit)
    assert.isTrue(Option.isSome(CctpDeposit.decode(calldata)))
    assert.isTrue(Option.isNone(CctpDeposit.decode(`${calldata}00`)))
    assert.isTrue(Option.isNone(CctpDeposit.decode(calldata.slice(0, -2) as `0x${string}`)))
    assert.isTrue(Option.isNone(CctpDeposit.decode("0x")))
    // Every byte counts: a caller of its own, another hook, or a dirty recipient would be another call.
    for (let at = 10; at < calldata.length; at += 16) {
      const digit = calldata[at] === "1" ? "2" : "1"
      const changed = `${calldata.slice(0, at)}${digit}${calldata.slice(at + 1)}` as `0x${string}`
      const read = Option.getOrUndefined(CctpDeposit.decode(changed))
      if (read !== undefined) assert.strictEqual(CctpDeposit.encode(read), changed)
    }
    assert.isTrue(Option.isNone(CctpDeposit.decode(CctpDeposit.encode({ ...deposit, minAmountOut: 0n }))))
    assert.isTrue(Option.isNone(CctpDeposit.decode(CctpDeposit.encode({ ...deposit, finality: 500 }))))
  })

  it("never allows a fee above the amount", () => {
    const fees = FEES.body as CctpFees.Fees
    for (let amount = 1n; amount < 10n ** 14n; amount *= 3n) {
      for (const { amountOut, minAmountOut } of CctpFees.termsOf(fees, amount)) {
        assert.isTrue(minAmountOut > 0n && minAmountOut <= amountOut && amountOut < amount)
      }
    }
  })
})
