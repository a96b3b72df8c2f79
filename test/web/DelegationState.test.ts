/** The state of a delegation rests on the delegates that the page reviews orders with, and says where it does not. */
import { assert, describe, it } from "vitest"
import type { Address, Delegation } from "../../src/sdk/index.ts"
import { delegationState } from "../../src/web/sweep/delegationState.ts"

const at = (digit: string): Address => `0x${digit.repeat(40)}`

const [OURS, THIEF] = [at("a"), at("b")]

const runs = (delegate: Address): Delegation => ({ kind: "delegated", delegate })

describe("the delegation of an account", () => {
  it("is to the sweep delegate only if the page knows that contract, whatever the service names", () => {
    const facts = { known: OURS, named: THIEF, stated: "ours" } as const
    assert.deepStrictEqual(delegationState({ ...facts, read: runs(THIEF) }), { kind: "other", isStated: false })
    const uppercase: Address = `0x${"A".repeat(40)}`
    assert.deepStrictEqual(delegationState({ ...facts, read: runs(uppercase) }), {
      kind: "ours",
      delegate: OURS,
      isStated: false
    })
  })

  it("is compared with the service's contract if the page knows none, and said to be so", () => {
    const facts = { known: undefined, named: OURS, stated: undefined }
    assert.deepStrictEqual(delegationState({ ...facts, read: runs(OURS) }), {
      kind: "ours",
      delegate: OURS,
      isStated: true
    })
    assert.deepStrictEqual(delegationState({ ...facts, read: runs(THIEF) }), { kind: "other", isStated: true })
  })

  it("without code or of a contract is what the node says", () => {
    for (const known of [OURS, undefined]) {
      for (const kind of ["none", "contract"] as const) {
        const state = delegationState({ known, named: THIEF, stated: "ours", read: { kind } })
        assert.deepStrictEqual(state, { kind, isStated: false })
      }
    }
  })

  it("without a node is said by the service, with no address", () => {
    const facts = { known: OURS, named: OURS, read: undefined }
    assert.deepStrictEqual(delegationState({ ...facts, stated: "ours" }), { kind: "ours", isStated: true })
    assert.isUndefined(delegationState({ ...facts, stated: undefined }))
  })
})
