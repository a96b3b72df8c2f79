/** That the checker finds what it is there to find. */
import { assert, describe, it } from "@effect/vitest"
import { concatHex, encodeFunctionData, type Hex, zeroAddress } from "viem"
import { sweepDelegate } from "../../src/adapters/evm/abi/contracts.generated.ts"
import { carries } from "../../chaos/Orders.ts"
import { carriedTwice } from "../../chaos/steps/Books.ts"
import { double, findings, lost, type Observed } from "../../chaos/Checker.ts"

const sound: Observed = {
  acknowledged: ["a", "b"],
  intents: [
    {
      id: "a",
      chainId: 1,
      orderHash: "0xa0",
      status: "delivered",
      builderId: "bld",
      history: ["Submitted", "SettledAtSource", "Delivered"]
    },
    { id: "b", chainId: 1, orderHash: "0xb0", status: "failed", builderId: null, history: ["Submitted", "Failed"] },
    { id: "c", chainId: 1, orderHash: "0xc0", status: "quoted", builderId: null, history: [] }
  ],
  settlements: [
    {
      chainId: 1,
      orderHash: "0xa0",
      txHash: "0x01",
      eventIndex: 3,
      owner: "0xE0",
      token: "0xDA",
      amountIn: 100n,
      feeAmount: 5n,
      feeRecipient: "0xF0",
      builder: "0xB0",
      builderFee: 2n,
      destChainId: 1,
      tokenOut: "0xCC",
      amountOut: 92n,
      destination: "0xE0"
    }
  ],
  mined: [
    { chainId: 1, lane: "l", nonce: 0, hash: "0x01" },
    { chainId: 1, lane: "l", nonce: 1, hash: "0x03" }
  ],
  transactions: [
    { chainId: 1, lane: "l", nonce: 0, status: "final", hashes: ["0x01"] },
    { chainId: 1, lane: "l", nonce: 1, status: "final", hashes: ["0x02", "0x03"] }
  ],
  outbox: [
    { key: "revenue:0x01_3", token: "0xda", amount: "5" },
    { key: "accrual:0x01_3", token: "0xda", amount: "2" }
  ],
  booked: ["revenue:0x01_3", "accrual:0x01_3", "revenue:0x01_3"],
  deliveries: [],
  signed: [
    {
      id: "a",
      chainId: 1,
      orderHash: "0xa0",
      owner: "0xe0",
      token: "0xda",
      amountIn: 100n,
      feeAmount: 5n,
      builder: "0xb0",
      builderFee: 2n,
      destChainId: 1,
      tokenOut: "0xcc",
      minAmountOut: 92n,
      destination: "0xe0"
    }
  ],
  batches: [["a", "b"], ["c"]],
  changes: [
    { chainId: 1, account: "0xe0", takesFees: false, token: "0xda", amount: -100n },
    { chainId: 1, account: "0xe0", takesFees: false, token: "0xcc", amount: 92n },
    { chainId: 1, account: "0xf0", takesFees: true, token: "0xda", amount: 5n },
    { chainId: 1, account: "0xb0", takesFees: false, token: "0xda", amount: 2n },
    { chainId: 2, account: "0xe0", takesFees: false, token: "0xcc", amount: 0n }
  ]
}

const [settlement] = sound.settlements
const [signed] = sound.signed
const [delivered, failed, quoted] = sound.intents
const [first, second] = sound.transactions
const [spent, received, , earned] = sound.changes

const broken: Readonly<Record<string, Partial<Observed>>> = {
  "an acknowledged intent that is lost": { acknowledged: ["a", "b", "d"] },
  "an acknowledged intent that never ends": { acknowledged: ["c"] },
  "an order that settled twice": { settlements: [settlement!, { ...settlement!, txHash: "0x03" }] },
  "a delivered intent that never settled": { settlements: [] },
  "a failed intent that settled": { settlements: [settlement!, { ...settlement!, orderHash: "0xb0", txHash: "0x03" }] },
  "a quoted intent that settled": { settlements: [settlement!, { ...settlement!, orderHash: "0xc0", txHash: "0x03" }] },
  "a history with an event twice": {
    intents: [{ ...delivered!, history: ["Submitted", "SettledAtSource", "SettledAtSource", "Delivered"] }, failed!]
  },
  "a quoted intent with a past": { intents: [delivered!, failed!, { ...quoted!, history: ["Submitted"] }] },
  "a gap between nonces": { transactions: [first!, { ...second!, nonce: 2 }] },
  "a stored transaction that was never mined": { mined: sound.mined.slice(0, 1) },
  "a mined transaction that was not stored": { transactions: [first!, { ...second!, hashes: ["0x02"] }] },
  "a transaction that is not done with": { transactions: [first!, { ...second!, status: "mined" }] },
  "a settlement without revenue": { outbox: sound.outbox.slice(1), booked: ["accrual:0x01_3"] },
  "an accrual of another amount": { outbox: [sound.outbox[0]!, { ...sound.outbox[1]!, amount: "3" }] },
  "a message that was not delivered": { booked: ["revenue:0x01_3"] },
  "a booking out of nothing": { booked: [...sound.booked, "revenue:0x09_0"] },
  "an order that settled with another fee": { signed: [{ ...signed!, feeAmount: 4n }] },
  "an order that settled with another builder": { signed: [{ ...signed!, builder: "0xb1" }] },
  "an order that settled for another destination": { signed: [{ ...signed!, destination: "0xe1" }] },
  "an order that settled for less than its minimum": { signed: [{ ...signed!, minAmountOut: 93n }] },
  "an order that is stored with another hash": { signed: [{ ...signed!, orderHash: "0xa1" }] },
  "a batch that was accepted in part": { batches: [["a", "c"]] },
  "a batch of which a leg is gone": { batches: [["a", "d"]] },
  "money that went missing": { changes: [{ ...spent!, amount: -101n }] },
  "money out of nothing": { changes: [{ ...earned!, amount: 3n }] },
  "a delivery on another chain": { changes: [{ ...received!, chainId: 2 }] },
  "a sweep to another chain that never arrived": { settlements: [{ ...settlement!, destChainId: 2 }], changes: [] },
  "a delivery that nobody asked for": {
    deliveries: [{ chainId: 2, originChainId: 1, token: "0xcc", amount: 92n, recipient: "0xe0" }],
    changes: []
  }
}

const OTHER: Hex = "0x00000000000000000000000000000000000000dd"

/** Calldata of orders as `executeBatch` takes them, in a transaction with other bytes around. */
const transactionOf = (orders: ReadonlyArray<{ readonly owner: Hex; readonly nonce: bigint }>): Hex => {
  const encoded = encodeFunctionData({
    abi: sweepDelegate.abi,
    functionName: "executeBatch",
    args: [
      orders.map(({ nonce, owner }) => ({
        owner,
        tokenIn: OTHER,
        amountIn: 1n,
        feeAmount: 0n,
        builder: zeroAddress,
        builderFee: 0n,
        tokenOut: OTHER,
        minAmountOut: 1n,
        destination: owner,
        swapTarget: OTHER,
        swapCalldata: "0x1234" as const,
        deadline: 1n,
        nonce,
        destChainId: 1n
      })),
      orders.map(() => 300_000n),
      [],
      0n,
      "0x"
    ]
  })
  return concatHex(["0x02f8ab", encoded, "0xc0"])
}

describe("a transaction", () => {
  const [one, another] = [`0x${"e1".repeat(20)}`, `0x${"e2".repeat(20)}`] as const
  const raw = transactionOf([
    { owner: one, nonce: 7n },
    { owner: one, nonce: 8n },
    { owner: another, nonce: 9n }
  ])

  it("carries the orders that are in it, of their owners alone", () => {
    assert.isTrue(carries(raw, { owner: one, nonce: 7n }))
    assert.isTrue(carries(raw, { owner: one.toUpperCase().replace("0X", "0x"), nonce: 8n }))
    assert.isTrue(carries(raw, { owner: another, nonce: 9n }))
    assert.isFalse(carries(raw, { owner: one, nonce: 9n }))
    assert.isFalse(carries(raw, { owner: another, nonce: 7n }))
  })

  it("is one of two that carry an order only if the order is in both", () => {
    const carrier = { id: "a", owner: one, nonce: "7", raw }
    assert.deepStrictEqual(carriedTwice([carrier, carrier]), ["a"])
    const without = transactionOf([{ owner: one, nonce: 8n }])
    assert.deepStrictEqual(carriedTwice([carrier, { ...carrier, raw: without }]), [])
    assert.deepStrictEqual(carriedTwice([carrier, { ...carrier, id: "b" }]), [])
  })
})

describe("Checker", () => {
  it("finds nothing wrong where all is well", () => {
    assert.deepStrictEqual(findings(sound), [])
  })

  it("takes no revenue from a sale of the fee recipient, and finds one that is booked", () => {
    const sale = { ...settlement!, owner: "0xF0", destination: "0xf0", builderFee: 0n }
    const sold = { ...sound, settlements: [sale], signed: [], changes: [] }
    assert.deepStrictEqual(findings({ ...sold, outbox: [], booked: [] }), [])
    const outbox = sound.outbox.slice(0, 1)
    assert.lengthOf(findings({ ...sold, outbox, booked: outbox.map(({ key }) => key) }), 1)
  })

  it("names what is lost, and what settled twice", () => {
    assert.deepStrictEqual([lost(sound), double(sound)], [[], []])
    assert.deepStrictEqual(lost({ ...sound, acknowledged: ["a", "d"] }), ["d"])
    assert.deepStrictEqual(double({ ...sound, settlements: [settlement!, settlement!, settlement!] }), ["1 0xa0"])
  })

  it.each(Object.keys(broken))("finds %s", (name) => {
    assert.isNotEmpty(findings({ ...sound, ...broken[name] }))
  })
})
