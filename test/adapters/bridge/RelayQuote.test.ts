/** Answers of Relay, honest and tampered with, and the calldata that is made of them. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Result, Schema } from "effect"
import { concatHex, numberToHex } from "viem"
import * as RelayDeposit from "../../../src/adapters/bridge/RelayDeposit.ts"
import * as RelayQuote from "../../../src/adapters/bridge/RelayQuote.ts"
import { differences } from "../../../src/domain/BridgeChoice.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { Account, address as accountOf, Uint256 } from "../../domain/Arbitraries.ts"
import { address } from "../../support/FakeChain.ts"
import { answerTo, approval, depositCall, DEPOSITORY, ORDER_ID, request, REQUEST_ID } from "./relayAnswers.ts"

const decode = Schema.decodeUnknownSync(RelayQuote.RelayAnswer)
const honest = answerTo(request)
const EVIL = address(0xee)

const accept = (answer: unknown) => RelayQuote.accept(request, decode(answer), [DEPOSITORY])

/** A copy in which the value at the path is another one. */
const tampered = (path: string, value: unknown): unknown => {
  const copy: unknown = structuredClone(honest)
  const keys = path.split(".")
  const last = keys.pop() ?? assert.fail()
  const place = keys.reduce((at, key) => (at as Record<string, unknown>)[key], copy) as Record<string, unknown>
  assert.property(place, last)
  place[last] = value
  return copy
}

const [approve, deposit] = honest.steps

const { Boolean: Lie } = Schema
/** Which fields of an answer are other ones. */
const Lies = Schema.Tuple([Lie, Lie, Lie, Lie, Lie, Lie, Lie, Lie])

describe("an answer of Relay", () => {
  it("is accepted if each field is what was asked for", () => {
    const { amountOut, deposit: accepted, estimatedSeconds, target } = Result.getOrThrow(accept(honest))
    assert.strictEqual(target, DEPOSITORY)
    assert.strictEqual(amountOut, 998_000n)
    assert.strictEqual(estimatedSeconds, 3)
    assert.deepStrictEqual(accepted, {
      tokenIn: request.tokenIn,
      amountIn: request.amountIn,
      tokenOut: request.tokenOut,
      minAmountOut: 993_010n,
      destChainId: 31338n,
      depositor: request.depositor,
      recipient: request.recipient,
      orderId: ORDER_ID,
      requestId: REQUEST_ID
    })
  })

  it("is accepted without an approval, and without the optional fields", () => {
    const { recipient: _recipient, sender: _sender, ...details } = honest.details
    assert.isTrue(Result.isSuccess(accept({ ...honest, steps: [deposit], details })))
    assert.isTrue(Result.isSuccess(accept({ ...honest, steps: [{ ...approve, items: [] }, deposit] })))
  })

  it.each([
    ["steps.1.items.0.data.to", EVIL],
    ["steps.1.items.0.data.from", EVIL],
    ["steps.1.items.0.data.chainId", 31338],
    ["steps.1.items.0.data.value", "1"],
    ["steps.1.items.0.data.data", depositCall(EVIL, request.tokenIn, request.amountIn)],
    ["steps.1.items.0.data.data", depositCall(request.depositor, EVIL, request.amountIn)],
    ["steps.1.items.0.data.data", depositCall(request.depositor, request.tokenIn, request.amountIn - 1n)],
    ["steps.1.items.0.data.data", concatHex([deposit?.items[0]?.data.data ?? "0x", "0x00"])],
    ["steps.1.items.0.data.data", approval(EVIL, 1n)],
    ["steps.1.items.0.data.data", "0x"],
    ["steps.1.items", []],
    ["steps.1.items", [...(deposit?.items ?? []), ...(deposit?.items ?? [])]],
    ["steps.1.kind", "signature"],
    ["steps.1.id", "swap"],
    ["steps.0.id", "authorize"],
    ["steps.0.items.0.data.to", EVIL],
    ["steps.0.items.0.data.value", "1"],
    ["steps.0.items.0.data.data", approval(EVIL, request.amountIn)],
    ["steps", [deposit, approve]],
    ["steps", [approve, deposit, deposit]],
    ["steps", []],
    ["details.sender", EVIL],
    ["details.recipient", EVIL],
    ["details.currencyIn.amount", "999999"],
    ["details.currencyIn.currency.address", EVIL],
    ["details.currencyIn.currency.chainId", 1],
    ["details.currencyOut.currency.address", EVIL],
    ["details.currencyOut.currency.chainId", 1],
    ["details.currencyOut.minimumAmount", "0"],
    ["details.currencyOut.minimumAmount", "998001"],
    ["details.currencyOut.minimumAmount", "900000"],
    ["details.currencyOut.amount", "2000000"]
  ])("is refused with another %s", (path, value) => {
    assert.isTrue(Result.isFailure(accept(tampered(path, value))), JSON.stringify(value))
  })

  it("is refused if its target is not listed, and without a request id or a minimum", () => {
    assert.isTrue(Result.isFailure(RelayQuote.accept(request, decode(honest), [])))
    const steps = honest.steps.map(({ requestId: _id, ...step }) => step)
    assert.isTrue(Result.isFailure(accept({ ...honest, steps })))
    const { minimumAmount: _minimum, ...currencyOut } = honest.details.currencyOut
    assert.isTrue(Result.isFailure(accept({ ...honest, details: { ...honest.details, currencyOut } })))
  })

  it.prop(
    "is accepted only if none of its fields is another one",
    [Lies, Account, Uint256],
    ([lies, account, amount]) => {
      const other = accountOf(account)
      const field = <A>(index: number, truth: A, lie: A): A => (lies[index] === true ? lie : truth)
      const answer = answerTo(
        {
          sourceChainId: field(0, request.sourceChainId, 1),
          destChainId: field(1, request.destChainId, 1),
          tokenIn: field(2, request.tokenIn, other),
          tokenOut: field(3, request.tokenOut, other),
          amountIn: field(4, request.amountIn, amount),
          depositor: field(5, request.depositor, other),
          recipient: field(6, request.recipient, other),
          slippageBps: request.slippageBps
        },
        field(7, DEPOSITORY, other)
      )
      const isHonest = JSON.stringify(answer) === JSON.stringify(honest)
      const result = accept(answer)
      assert.strictEqual(Result.isSuccess(result), isHonest)
      if (Result.isSuccess(result)) {
        const wanted = { ...request, minAmountOut: 993_010n, destChainId: BigInt(request.destChainId) }
        assert.deepStrictEqual(differences(wanted, result.success.deposit), [])
      }
    }
  )
})

describe("a request to Relay", () => {
  it("names the depositor as the one to whom a refund goes", () => {
    assert.deepStrictEqual(RelayQuote.bodyOf(request), {
      user: request.depositor,
      recipient: request.recipient,
      refundTo: request.depositor,
      originChainId: 31337,
      destinationChainId: 31338,
      originCurrency: request.tokenIn,
      destinationCurrency: request.tokenOut,
      amount: "1000000",
      tradeType: "EXACT_INPUT",
      slippageTolerance: "50"
    })
  })
})

describe("the calldata of a deposit into Relay's depository", () => {
  const Parts = Schema.Struct({
    accounts: Schema.Tuple([Account, Account, Account, Account]),
    amounts: Schema.Tuple([Uint256, Uint256, Uint256, Uint256, Uint256])
  })

  const depositOf = ({ accounts, amounts }: typeof Parts.Type): RelayDeposit.RelayDeposit => ({
    tokenIn: accountOf(accounts[0]),
    tokenOut: accountOf(accounts[1]),
    depositor: accountOf(accounts[2]),
    recipient: accountOf(accounts[3]),
    amountIn: amounts[0],
    minAmountOut: amounts[1],
    destChainId: amounts[2],
    orderId: numberToHex(amounts[3], { size: 32 }),
    requestId: numberToHex(amounts[4], { size: 32 })
  })

  it.prop("reads back as its terms, in any case of its letters", [Parts], ([parts]) => {
    const expected = depositOf(parts)
    const calldata = RelayDeposit.encode(expected)
    assert.deepStrictEqual(Option.getOrThrow(RelayDeposit.decode(calldata)), expected)
    const upper: Hex = `0x${calldata.slice(2).toUpperCase()}`
    assert.deepStrictEqual(Option.getOrThrow(RelayDeposit.decode(upper)), expected)
    // The contract reads its own call in front of the terms.
    assert.isTrue(calldata.startsWith(RelayDeposit.call(expected)))
    assert.isTrue(calldata.startsWith(RelayDeposit.SELECTOR))
  })

  it.prop(
    "has no other reading: a changed byte changes the terms or is not a deposit",
    [Parts, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 291 }))],
    ([parts, position]) => {
      const calldata = RelayDeposit.encode(depositOf(parts))
      const at = 2 + position * 2
      const byte = (Number.parseInt(calldata.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, "0")
      const changed: Hex = `0x${calldata.slice(2, at)}${byte}${calldata.slice(at + 2)}`
      const read = Option.getOrUndefined(RelayDeposit.decode(changed))
      assert.notDeepEqual(read, depositOf(parts))
    }
  )

  it("is not a deposit without its terms, or with more bytes", () => {
    const calldata = RelayDeposit.encode(Result.getOrThrow(accept(honest)).deposit)
    for (const other of [calldata.slice(0, -64), `${calldata}00`, calldata.slice(0, 2 + 132 * 2), "0x"]) {
      assert.isTrue(Option.isNone(RelayDeposit.decode(other as Hex)), String(other.length))
    }
  })
})
