/** That the checker finds what it is there to find. */
import { assert, describe, it } from "@effect/vitest"
import { findings, type Observed } from "./Checker.ts"

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
    { chainId: 1, orderHash: "0xa0", txHash: "0x01", eventIndex: 3, token: "0xDA", feeAmount: 5n, builderFee: 2n }
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
  booked: ["revenue:0x01_3", "accrual:0x01_3", "revenue:0x01_3"]
}

const [settlement] = sound.settlements
const [delivered, failed, quoted] = sound.intents
const [first, second] = sound.transactions

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
  "a booking out of nothing": { booked: [...sound.booked, "revenue:0x09_0"] }
}

describe("Checker", () => {
  it("finds nothing wrong where all is well", () => {
    assert.deepStrictEqual(findings(sound), [])
  })

  it.each(Object.keys(broken))("finds %s", (name) => {
    assert.isNotEmpty(findings({ ...sound, ...broken[name] }))
  })
})
