import { describe, expect, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { Accrual, isOwnSale, outboxMessages, Revenue, type Settlement, sweepId } from "../../src/domain/Accrual.ts"
import * as Arbitraries from "./Arbitraries.ts"

const txHash = `0x${"ab".repeat(32)}` as const
const settlement: Settlement = {
  sweepId: sweepId(txHash, 3),
  chainId: 8453,
  feeToken: Arbitraries.address(1n),
  feeAmount: 70n,
  builderFee: 30n,
  txHash,
  settledAtMs: 1_700_000_000_000
}
const revenue = {
  _tag: "Revenue",
  revenue: {
    sweepId: `${txHash}_3`,
    chainId: 8453,
    token: settlement.feeToken,
    amount: 70n,
    txHash,
    settledAtMs: settlement.settledAtMs
  }
}
const accrual = {
  builderId: "bld_a",
  sweepId: `${txHash}_3`,
  token: settlement.feeToken,
  amount: 30n,
  chainId: 8453
}

describe("outboxMessages", () => {
  it("reports the protocol's income alone without a builder, or where the builder earned nothing", () => {
    expect(outboxMessages(settlement, undefined)).toEqual([revenue])
    for (const payoutMode of ["onchain", "ledger"] as const) {
      expect(outboxMessages({ ...settlement, builderFee: 0n }, { builderId: "bld_a", payoutMode })).toEqual([revenue])
    }
  })

  it("owes the builder that is paid from the ledger", () => {
    const messages = outboxMessages(settlement, { builderId: "bld_a", payoutMode: "ledger" })
    expect(messages).toEqual([revenue, { _tag: "Accrual", accrual: { ...accrual, payoutMode: "ledger" } }])
  })

  it("records as paid what the sweep itself paid", () => {
    expect(outboxMessages(settlement, { builderId: "bld_a", payoutMode: "onchain" })).toEqual([
      revenue,
      { _tag: "Accrual", accrual: { ...accrual, paidTxHash: txHash } }
    ])
  })

  it("reports no income from a sale of the fee recipient, which pays its fee to itself", () => {
    expect(outboxMessages({ ...settlement, isOwnSale: true }, undefined)).toEqual([])
    expect(outboxMessages({ ...settlement, isOwnSale: true }, { builderId: "bld_a", payoutMode: "ledger" })).toEqual([
      { _tag: "Accrual", accrual: { ...accrual, payoutMode: "ledger" } }
    ])
  })

  it.prop("never loses or invents a unit", [Arbitraries.Units, Arbitraries.Units], ([feeAmount, builderFee]) => {
    const messages = outboxMessages({ ...settlement, feeAmount, builderFee }, { builderId: "b", payoutMode: "ledger" })
    const sum = messages.reduce(
      (total, message) => total + (message._tag === "Accrual" ? message.accrual.amount : message.revenue.amount),
      0n
    )
    expect(sum).toBe(feeAmount + builderFee)
  })
})

describe("a sale of the fee recipient", () => {
  const [recipient, other] = [Arbitraries.address(8n), Arbitraries.address(9n)]

  it("is a sweep from it to itself", () => {
    expect(isOwnSale({ owner: recipient, destination: recipient }, recipient)).toBe(true)
    expect(isOwnSale({ owner: recipient, destination: other }, recipient)).toBe(false)
    expect(isOwnSale({ owner: other, destination: recipient }, recipient)).toBe(false)
    expect(isOwnSale({ owner: other, destination: other }, recipient)).toBe(false)
  })
})

describe("wire", () => {
  it("takes the spec's accrual of four strings, and writes amounts as decimal strings", () => {
    const posted = { builderId: "b", sweepId: "s", token: settlement.feeToken.toLowerCase(), amount: "5" }
    const decoded = { builderId: "b", sweepId: "s", token: settlement.feeToken, amount: 5n }
    expect(Schema.decodeUnknownExit(Accrual)(posted)).toEqual(Exit.succeed(decoded))
    expect(Schema.encodeSync(Accrual)(decoded)).toEqual({ ...posted, token: settlement.feeToken })
    expect(Schema.encodeSync(Revenue)(revenue.revenue)).toEqual({ ...revenue.revenue, amount: "70" })
  })

  it("refuses an accrual without one of them", () => {
    for (const field of ["builderId", "sweepId", "token", "amount"]) {
      const posted = { builderId: "b", sweepId: "s", token: settlement.feeToken, amount: "5", [field]: undefined }
      expect(Exit.isFailure(Schema.decodeUnknownExit(Accrual)(posted)), field).toBe(true)
    }
  })
})
