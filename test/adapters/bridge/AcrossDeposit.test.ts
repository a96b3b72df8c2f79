import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  numberToHex,
  padHex,
  parseAbiParameters,
  toEventSelector,
  toFunctionSelector
} from "viem"
import * as AcrossDeposit from "../../../src/adapters/bridge/AcrossDeposit.ts"
import { spokePoolAbi } from "../../../src/adapters/bridge/spokePoolAbi.ts"
import * as Address from "../../../src/domain/Address.ts"
import { address } from "../../support/FakeChain.ts"
import { between, Byte, Deposit, depositOf, mutated, sample } from "./generated.ts"

/** Data of `FundsDeposited`. */
const DEPOSITED = parseAbiParameters(
  "bytes32, bytes32, uint256, uint256, uint32, uint32, uint32, bytes32, bytes32, bytes"
)

describe("AcrossDeposit calldata", () => {
  it.effect.prop("reads back what was written, whatever the case of its digits", [Deposit], ([generated]) =>
    Effect.sync(() => {
      const deposit = depositOf(generated)
      const calldata = AcrossDeposit.encode(deposit)
      assert.deepStrictEqual(AcrossDeposit.decode(calldata), Option.some(deposit))
      assert.deepStrictEqual(AcrossDeposit.decode(`0x${calldata.slice(2).toUpperCase()}`), Option.some(deposit))
    })
  )

  it.effect.prop("is never read as the deposit it was, once a byte is changed", [between(419), Byte], ([at, by]) =>
    Effect.sync(() => {
      const changed = AcrossDeposit.decode(mutated(AcrossDeposit.encode(sample), at, by))
      assert.notDeepEqual(changed, Option.some(sample))
    })
  )

  it("holds no numbers that do not fit their type", () => {
    // The byte in front of the four bytes of each uint32.
    for (const word of [8, 9, 10]) {
      const calldata = mutated(AcrossDeposit.encode(sample), 4 + 32 * word + 27, 1)
      assert.deepStrictEqual(AcrossDeposit.decode(calldata), Option.none())
    }
  })

  it("carries no message", () => {
    const calldata = encodeFunctionData({
      abi: spokePoolAbi,
      functionName: "depositV3",
      args: [
        sample.depositor,
        sample.recipient,
        sample.inputToken,
        sample.outputToken,
        1n,
        1n,
        10n,
        Address.zero,
        1,
        2,
        0,
        "0xab"
      ]
    })
    assert.deepStrictEqual(AcrossDeposit.decode(calldata), Option.none())
  })

  it("is reserved for one relayer briefly, or for nobody", () => {
    const relayer = address(5)
    assert.isTrue(AcrossDeposit.isExclusivityBounded(Address.zero, 0))
    assert.isTrue(AcrossDeposit.isExclusivityBounded(relayer, 1))
    assert.isTrue(AcrossDeposit.isExclusivityBounded(relayer, AcrossDeposit.MAX_EXCLUSIVITY_SECONDS))
    assert.isFalse(AcrossDeposit.isExclusivityBounded(relayer, AcrossDeposit.MAX_EXCLUSIVITY_SECONDS + 1))
    assert.isFalse(AcrossDeposit.isExclusivityBounded(relayer, 0))
    assert.isFalse(AcrossDeposit.isExclusivityBounded(Address.zero, 1))
    // The contract reads this value as a point in time.
    assert.isFalse(AcrossDeposit.isExclusivityBounded(relayer, 4_000_000_000))
  })
})

describe("AcrossDeposit events", () => {
  const log = {
    address: address(9),
    topics: [],
    data: "0x" as const,
    blockNumber: 1n,
    blockHash: keccak256("0x01"),
    transactionHash: keccak256("0x02"),
    logIndex: 0
  }
  const relay: AcrossDeposit.Relay = {
    originChainId: 8453,
    destinationChainId: 10n,
    depositId: 7n,
    deposit: sample,
    exclusivityDeadline: 0
  }

  it("takes foreign and malformed logs for none", () => {
    const topics = [...AcrossDeposit.filledTopics(relay), numberToHex(1, { size: 32 })]
    for (const each of [log, { ...log, topics }, { ...log, topics, data: "0x1234" as const }]) {
      assert.deepStrictEqual(AcrossDeposit.filledAmount(each, address(9), relay), Option.none())
      assert.deepStrictEqual(
        AcrossDeposit.findDeposited([each], address(9), 8453, () => Option.some(sample)),
        Option.none()
      )
    }
  })

  it("are the last that the deposit equals, as a transaction with two equal deposits has them", () => {
    const deposited = (depositId: bigint) => ({
      ...log,
      topics: encodeEventTopics({
        abi: spokePoolAbi,
        eventName: "FundsDeposited",
        args: {
          destinationChainId: sample.destinationChainId,
          depositId,
          depositor: padHex(sample.depositor, { size: 32 })
        }
      }) as Array<`0x${string}`>,
      data: encodeAbiParameters(DEPOSITED, [
        padHex(sample.inputToken, { size: 32 }),
        padHex(sample.outputToken, { size: 32 }),
        sample.inputAmount,
        sample.outputAmount,
        sample.quoteTimestamp,
        sample.fillDeadline,
        0,
        padHex(sample.recipient, { size: 32 }),
        padHex(sample.exclusiveRelayer, { size: 32 }),
        "0x"
      ])
    })
    const found = AcrossDeposit.findDeposited([deposited(1n), deposited(2n)], address(9), 8453, () =>
      Option.some(sample)
    )
    assert.strictEqual(Option.getOrThrow(found).depositId, 2n)
  })

  it.effect.prop("hash to a different key whatever differs", [Deposit, Deposit], ([first, second]) =>
    Effect.sync(() => {
      const [a, b] = [first, second].map((each) => AcrossDeposit.relayHash({ ...relay, deposit: depositOf(each) }))
      // The quote timestamp and the exclusivity parameter are not part of a relay.
      const comparable = (each: typeof Deposit.Type) =>
        JSON.stringify({ ...each, quoteTimestamp: 0, exclusivityParameter: 0 })
      assert.strictEqual(a === b, comparable(first) === comparable(second))
    })
  )
})

describe("the SpokePool's ABI", () => {
  it("has the published selectors and topics", () => {
    const item = (name: string) => {
      const found = spokePoolAbi.find((each) => each.name === name)
      if (found === undefined) throw new Error(name)
      return found
    }
    const event = (name: string) => {
      const found = item(name)
      return found.type === "event" ? toEventSelector(found) : undefined
    }
    const deposit = item("depositV3")
    assert.strictEqual(deposit.type === "function" && toFunctionSelector(deposit), "0x7b939232")
    assert.strictEqual(event("FundsDeposited"), "0x32ed1a409ef04c7b0227189c3a103dc5ac10e775a15b785dcc510201f7c25ad3")
    assert.strictEqual(event("FilledRelay"), "0x44b559f101f8fbcc8a0ea43fa91a05a729a5ea6e14a7c75aa750374690137208")
  })
})
