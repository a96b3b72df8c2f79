/** The decoder of bridge calls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { getAddress, type Hex, numberToHex, pad, zeroAddress } from "viem"
import { OrderMismatchError, readBridgeCall, readOffer, reviewOrder } from "../../../src/sdk/index.ts"
import { NOW_MS, OTHER, owner, swapDeposit, swapOffer, swapRequest } from "../Offers.ts"

const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))
const address = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 160n - 1n }))

const asAddress = (value: bigint) => getAddress(numberToHex(value, { size: 20 }))

describe("a swap and deposit", () => {
  it.effect.prop(
    "is decoded to the values that were encoded",
    [address, address, address, address, amount, amount, amount, amount],
    ([recipient, token, outputToken, spokePool, inputAmount, minAmount, outputAmount, destChainId]) =>
      Effect.sync(() => {
        const calldata = swapDeposit({
          depositData: {
            recipient: pad(asAddress(recipient)),
            inputToken: asAddress(token),
            outputToken: pad(asAddress(outputToken)),
            outputAmount,
            destinationChainId: destChainId
          },
          swapTokenAmount: inputAmount,
          minExpectedInputTokenAmount: minAmount,
          spokePool: asAddress(spokePool)
        })
        assert.deepStrictEqual(readBridgeCall(calldata), {
          depositor: owner.address,
          recipient: asAddress(recipient),
          inputToken: swapRequest.tokenIn,
          inputAmount,
          outputToken: asAddress(outputToken),
          outputAmount,
          destChainId,
          exclusiveRelayer: zeroAddress,
          fillDeadline: NOW_MS / 1000 + 7_200,
          exclusivity: 0,
          via: { token: asAddress(token), minAmount, spokePool: asAddress(spokePool) }
        })
      })
  )

  it("is not decoded if it does more, and the review refuses it", () => {
    const high: Hex = `0x01${"00".repeat(11)}${OTHER.slice(2)}`
    for (const calldata of [
      swapDeposit({ submissionFees: { amount: 1n, recipient: OTHER } }),
      swapDeposit({ submissionFees: { amount: 1n, recipient: "0x0000000000000000000000000000000000000000" } }),
      swapDeposit({ submissionFees: { amount: 0n, recipient: OTHER } }),
      swapDeposit({ transferType: 1 }),
      swapDeposit({ transferType: 2 }),
      swapDeposit({ enableProportionalAdjustment: false }),
      swapDeposit({ nonce: 1n }),
      swapDeposit({ depositData: { message: "0x00" } }),
      swapDeposit({ depositData: { recipient: high } }),
      swapDeposit({ depositData: { outputToken: high } }),
      swapDeposit({ depositData: { exclusiveRelayer: high } }),
      `${swapDeposit()}00`,
      `${swapDeposit()}${"00".repeat(32)}`,
      swapDeposit().slice(0, -2)
    ] as ReadonlyArray<Hex>) {
      assert.isUndefined(readBridgeCall(calldata))
      const offer = readOffer(swapOffer(swapRequest, calldata))
      assert.throws(() => reviewOrder(offer, swapRequest, { nowMs: NOW_MS }), OrderMismatchError, "cannot be decoded")
    }
    assert.isDefined(readBridgeCall(`0x${swapDeposit().slice(2).toUpperCase()}`))
  })
})
