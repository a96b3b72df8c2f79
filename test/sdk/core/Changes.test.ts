/** The filter that tells changes from repeated states. */
import { assert, describe, it } from "vitest"
import { makeChangeFilter } from "../../../src/sdk/core/Changes.ts"

describe("a change of an intent", () => {
  it("is the first state, another status, another transaction, another cause of a wait, and the reason of a failure to come", () => {
    const isChange = makeChangeFilter()
    const states = [
      { status: "submitted" },
      { status: "submitted" },
      { status: "submitted", waitingFor: "gas_price" },
      { status: "submitted", waitingFor: "gas_price" },
      { status: "submitted", txHash: "0x01" },
      { status: "submitted", txHash: "0x02" },
      { status: "submitted", txHash: "0x02" },
      { status: "submitted", txHash: "0x02", pendingFailureReason: "reverted" },
      { status: "submitted", txHash: "0x02", pendingFailureReason: "reverted" },
      { status: "settled_source", txHash: "0x02" },
      { status: "delivered", txHash: "0x02", deliveryTxHash: "0x03" },
      { status: "delivered", txHash: "0x02", deliveryTxHash: "0x03" }
    ] as const
    assert.deepStrictEqual(states.map(isChange), [
      true,
      false,
      true,
      false,
      true,
      true,
      false,
      true,
      false,
      true,
      true,
      false
    ])
  })
})
