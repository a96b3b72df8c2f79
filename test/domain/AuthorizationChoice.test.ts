import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "../../src/domain/Address.ts"
import { choose } from "../../src/domain/AuthorizationChoice.ts"
import type { AccountCode } from "../../src/domain/Delegation.ts"

const delegate = Address.of(`0x${"a1".repeat(20)}`)
const other = Address.of(`0x${"99".repeat(20)}`)

const accounts = {
  plain: { _tag: "Plain" },
  ours: { _tag: "Delegated", delegate },
  other: { _tag: "Delegated", delegate: other },
  contract: { _tag: "Contract" }
} as const satisfies Record<string, AccountCode>

const choice = (
  account: AccountCode,
  nonces: { readonly signed: bigint; readonly latest: bigint; readonly pending?: bigint },
  changes: { readonly chainId?: number; readonly address?: Address.Address } = {}
) =>
  choose({
    account,
    authorization: { address: delegate, chainId: 1, nonce: nonces.signed, r: "0x", s: "0x", yParity: 0, ...changes },
    accountNonce: { latest: nonces.latest, pending: nonces.pending ?? nonces.latest },
    chainId: 1,
    delegate
  })

const outcome = (...input: Parameters<typeof choice>) => {
  const chosen = choice(...input)
  return chosen._tag === "Refuse" ? chosen.reason : chosen._tag
}

describe("the choice of the authorization", () => {
  it("leaves it out where the account runs our delegate, whatever it says", () => {
    assert.strictEqual(outcome(accounts.ours, { signed: 4n, latest: 9n }), "LeaveOut")
  })

  it("attaches one that applies next", () => {
    assert.strictEqual(outcome(accounts.plain, { signed: 4n, latest: 4n }), "Attach")
    assert.strictEqual(outcome(accounts.other, { signed: 4n, latest: 4n }), "Attach")
    assert.strictEqual(outcome(accounts.plain, { signed: 5n, latest: 4n, pending: 5n }), "Attach")
  })

  it("waits where a pending transaction of the account uses the nonce", () => {
    assert.strictEqual(outcome(accounts.plain, { signed: 4n, latest: 4n, pending: 5n }), "Later")
  })

  it("refuses one that is past, ahead, or for something else", () => {
    assert.strictEqual(outcome(accounts.plain, { signed: 3n, latest: 4n }), "stale_authorization")
    assert.strictEqual(outcome(accounts.plain, { signed: 5n, latest: 4n }), "stale_authorization")
    assert.strictEqual(outcome(accounts.plain, { signed: 4n, latest: 4n }, { chainId: 0 }), "stale_authorization")
    assert.strictEqual(outcome(accounts.plain, { signed: 4n, latest: 4n }, { address: other }), "stale_authorization")
    assert.strictEqual(outcome(accounts.other, { signed: 3n, latest: 4n }), "delegation_replaced")
    assert.strictEqual(outcome(accounts.contract, { signed: 4n, latest: 4n }), "delegation_replaced")
  })

  const Nonce = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 4n }))
  it.prop("attaches nothing but the account's pending nonce", [Nonce, Nonce, Nonce], ([signed, latest, more]) => {
    const pending = latest + more
    return (outcome(accounts.plain, { signed, latest, pending }) === "Attach") === (signed === pending)
  })
})
