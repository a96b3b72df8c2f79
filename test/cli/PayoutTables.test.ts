import { assert, it } from "@effect/vitest"
import { asOpened } from "../../src/cli/PayoutTables.ts"
import type { OpenedPayout } from "../../src/domain/Payout.ts"
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
