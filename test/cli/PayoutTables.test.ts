import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { asOpened } from "../../src/cli/PayoutTables.ts"
import { LeftOut, type OpenedPayout } from "../../src/domain/Payout.ts"
import { address } from "../support/IntentFixtures.ts"

const opened: OpenedPayout = {
  id: "batch",
  chainId: 1,
  token: address(0xa),
  status: "open",
  minAmount: 60n,
  total: 66n,
  lines: [{ builderId: "alpha", payoutAddress: address(0x80), amount: 66n, entries: 2 }],
  createdAtMs: 0,
  leftOut: []
}

it("says of a full batch that a rest below the minimum is left out of the next one", () => {
  assert.notInclude(asOpened(opened), "minimum")
  const full = asOpened({ ...opened, more: true })
  assert.include(full, "open another one for the rest")
  assert.include(full, "A builder whose rest is below the minimum amount is left out until it reaches it.")
})

it("shows a reason of a later release as it is, since the batch is open by then", () => {
  const left = { builderId: "beta", payoutAddress: address(0x81), amount: "9" }
  const decode = Schema.decodeUnknownSync(Schema.Array(LeftOut))
  const text = asOpened({
    ...opened,
    leftOut: decode([
      { ...left, reason: "wallet_chain" },
      { ...left, reason: "a_later_reason" }
    ])
  })
  assert.match(text, /beta .* 9 +wallet_chain/)
  assert.match(text, /beta .* 9 +a_later_reason/)
})
