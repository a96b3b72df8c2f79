/** Orders of earlier generations whose fee would count as their output. Their delegates may have another fee recipient. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pad } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { address } from "../../support/FakeChain.ts"
import { authorize, EARLIER, make, upgraded } from "./intakeScene.ts"

type Scene = Effect.Success<ReturnType<typeof make>>

const reasonOf = (submitting: ReturnType<Scene["submit"]>) =>
  Effect.map(Effect.flip(submitting), (error) => (error._tag === "SubmissionRefused" ? error.reason : error._tag))

describe("refused is", () => {
  it.effect("an order of an earlier generation to the fee recipient of its own delegate", () =>
    Effect.gen(function* () {
      const former = address(0x55)
      const submitTo = Effect.fnUntraced(function* (destination: Address.Address, isRead: boolean) {
        const order = {
          tokenIn: NATIVE,
          tokenOut: upgraded.wrappedNative,
          destination,
          destChainId: BigInt(upgraded.id),
          nonce: 7n
        }
        const scene = yield* make({ chainId: upgraded.id, order })
        if (isRead)
          yield* scene.upgraded.onCall(({ to }) => Effect.succeed(to === EARLIER.delegate ? pad(former) : "0x"))
        const authorization = yield* authorize({ chainId: upgraded.id, address: EARLIER.delegate })
        return scene.submit({ authorization })
      })
      assert.strictEqual(yield* reasonOf(yield* submitTo(former, true)), "expired_quote")
      assert.strictEqual((yield* yield* submitTo(upgraded.feeRecipient, true)).status, "submitted")
      assert.strictEqual(yield* reasonOf(yield* submitTo(former, false)), "expired_quote")
    })
  )
})
