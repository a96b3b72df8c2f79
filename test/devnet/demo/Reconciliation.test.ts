import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../../src/domain/Address.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { type Balances, reconcile, reconcileWallet } from "../../../src/devnet/demo/Reconciliation.ts"

const anyone = Address.of("0x00000000000000000000000000000000000000aa")

const order: SweepOrder = {
  owner: anyone,
  tokenIn: anyone,
  amountIn: 100n,
  feeAmount: 3n,
  builder: anyone,
  builderFee: 2n,
  tokenOut: anyone,
  minAmountOut: 90n,
  destination: anyone,
  swapTarget: anyone,
  swapCalldata: "0x",
  deadline: 1n,
  nonce: 0n,
  destChainId: 1n
}

const before: Balances = { ownerIn: 100n, ownerNative: 0n, destinationOut: 5n, feeRecipient: 10n, builder: 0n }
const after: Balances = { ownerIn: 0n, ownerNative: 0n, destinationOut: 96n, feeRecipient: 13n, builder: 2n }

const failing = (changed: Partial<Balances>) =>
  reconcile({
    order,
    nativeIn: false,
    nativeOutToOwner: false,
    before,
    after: { ...after, ...changed },
    delivered: 91n,
    minAmountOut: 90n
  })
    .filter((check) => !check.ok)
    .map((check) => check.name)

describe("Reconciliation", () => {
  it("accepts balances that match the order", () => {
    assert.deepStrictEqual(failing({}), [])
  })

  it("finds a single wei that is off, whosever it is", () => {
    assert.deepStrictEqual(failing({ ownerIn: 1n }), ["owner paid amountIn"])
    assert.deepStrictEqual(failing({ ownerNative: 1n }), ["owner paid no gas"])
    assert.deepStrictEqual(failing({ destinationOut: 97n }), ["destination received the amount of the chain's event"])
    assert.deepStrictEqual(failing({ feeRecipient: 12n }), ["protocol received feeAmount"])
    assert.deepStrictEqual(failing({ builder: 3n }), ["builder received builderFee"])
  })

  it("finds a delivery under the minimum", () => {
    assert.deepStrictEqual(failing({ destinationOut: 94n }), [
      "destination received the amount of the chain's event",
      "destination received at least the minimum"
    ])
  })

  it("counts the swept native currency, and only it, as the owner's change", () => {
    const native = reconcile({
      order,
      nativeIn: true,
      nativeOutToOwner: false,
      before: { ...before, ownerNative: 100n },
      after: { ...after, ownerNative: 0n },
      delivered: 91n,
      minAmountOut: 90n
    })
    assert.isTrue(native.every((check) => check.ok))
  })
})

describe("Reconciliation of a wallet", () => {
  const tokens = ["DAI on alpha", "USDC on beta"].map((name) => ({
    name,
    order,
    owner: { before: 100n, after: 0n },
    feeRecipient: { before: 10n, after: 13n }
  }))
  const sound: Parameters<typeof reconcileWallet>[0] = {
    tokens,
    native: [
      { chain: "alpha", before: 0n, after: 0n },
      { chain: "beta", before: 0n, after: 0n }
    ],
    destination: { before: 5n, after: 187n },
    delivered: 182n,
    minimum: 180n
  }
  const failures = (changed: Partial<typeof sound>) =>
    reconcileWallet({ ...sound, ...changed })
      .filter((check) => !check.ok)
      .map((check) => check.name)
  /** The tokens, with one balance of the second changed. */
  const second = (changed: Partial<(typeof tokens)[number]>) => ({
    tokens: tokens.map((token, index) => (index === 1 ? { ...token, ...changed } : token))
  })

  it("accepts balances that match all orders", () => {
    assert.deepStrictEqual(failures({}), [])
  })

  it("finds a single wei that is off in any token and on any chain", () => {
    assert.deepStrictEqual(failures(second({ owner: { before: 100n, after: 1n } })), [
      "owner paid amountIn of USDC on beta"
    ])
    assert.deepStrictEqual(failures(second({ feeRecipient: { before: 10n, after: 12n } })), [
      "protocol received feeAmount of USDC on beta"
    ])
    assert.deepStrictEqual(
      failures({
        native: [
          { chain: "alpha", before: 0n, after: 0n },
          { chain: "beta", before: 1n, after: 0n }
        ]
      }),
      ["owner paid no gas on beta"]
    )
    assert.deepStrictEqual(failures({ delivered: 183n }), ["destination received the amounts of the chains' events"])
    assert.deepStrictEqual(failures({ minimum: 183n }), ["destination received at least the minimums"])
  })
})
