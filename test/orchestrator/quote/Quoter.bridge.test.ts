import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Quoting from "../../support/Quoting.ts"

const { DESTINATION, OWNER, STABLE, TARGET, TOKEN, WHOLE, destination, source } = Quoting

describe("a quote across chains", () => {
  it.effect("has no minimum in the order, and the bridge's exact output in the quote", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order, quote } = yield* scene.quote(Quoting.crossChain)
      const bridged = order.amountIn - order.feeAmount
      assert.strictEqual(order.minAmountOut, 0n)
      assert.strictEqual(order.destChainId, BigInt(destination.id))
      assert.isTrue(quote.crossChain)
      assert.strictEqual(quote.sourceChainId, source.id)
      assert.strictEqual(quote.estimatedAmountOut, bridged - Quoting.BRIDGE_FEE + Quoting.BRIDGE_SURPLUS)
      assert.strictEqual(quote.minAmountOut, bridged - Quoting.BRIDGE_FEE)
      assert.strictEqual(quote.provider, "bridge")
      // A block of the source, the bridge, and the depth of the destination, in whole seconds.
      assert.strictEqual(quote.estimatedSeconds, Math.ceil(1.5 + 7 + 1))
      assert.deepStrictEqual(scene.asked.bridged, [
        {
          sourceChainId: source.id,
          destChainId: destination.id,
          tokenIn: TOKEN,
          tokenOut: STABLE,
          amountIn: bridged,
          depositor: OWNER,
          recipient: DESTINATION,
          slippageBps: 60,
          deadline: order.deadline
        }
      ])
      assert.deepStrictEqual(scene.asked.swaps, [])
    })
  )

  it.effect("bridges native currency as its wrapped token, at both ends", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { order } = yield* scene.quote({
        ...Quoting.crossChain,
        tokenIn: NATIVE,
        tokenOut: NATIVE,
        amountIn: WHOLE
      })
      assert.strictEqual(order.tokenIn, NATIVE)
      assert.strictEqual(order.tokenOut, NATIVE)
      assert.strictEqual(scene.asked.bridged[0]?.tokenIn, source.wrappedNative)
      assert.strictEqual(scene.asked.bridged[0]?.tokenOut, NATIVE)
    })
  )

  const lies = {
    recipient: (deposit) => ({ ...deposit, recipient: TARGET }),
    depositor: (deposit) => ({ ...deposit, depositor: TARGET }),
    "destination chain": (deposit) => ({ ...deposit, destChainId: 1n }),
    "input token": (deposit) => ({ ...deposit, tokenIn: STABLE }),
    "output token": (deposit) => ({ ...deposit, tokenOut: TOKEN }),
    "input amount": (deposit) => ({ ...deposit, amountIn: deposit.amountIn - 1n }),
    "output amount": (deposit) => ({ ...deposit, minAmountOut: deposit.minAmountOut - 1n })
  } satisfies Record<string, Quoting.Script["deposit"]>

  it.effect.each(Object.entries<Quoting.Script["deposit"]>(lies))(
    "is never made of a deposit of another %s",
    ([, lie]) =>
      Effect.gen(function* () {
        const scene = yield* Quoting.make()
        scene.script.deposit = lie
        const failed = yield* Effect.flip(scene.quote(Quoting.crossChain))
        assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "no_route")
        assert.deepStrictEqual(scene.asked.simulated, [])
        assert.deepStrictEqual(scene.asked.created, [])
      })
  )
})
