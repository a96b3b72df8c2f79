/** Screening of a quote's parties: when it is asked, for whom, and on which chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { bound } from "../../../src/domain/OrderNonce.ts"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import * as Quoting from "../../support/Quoting.ts"

const { DESTINATION, OWNER, STABLE, TOKEN, destination, source } = Quoting

describe("screening", () => {
  it.effect("asks for owner and destination on the source chain, before anything else is done for them", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* scene.quote()
      assert.deepStrictEqual(scene.asked.screened, [{ chainId: source.id, addresses: [OWNER, DESTINATION] }])
      assert.deepStrictEqual(scene.asked.order, ["screening", "store", "routing", "simulation"])
    })
  )

  it.effect("blocks a listed owner, a listed destination, and everybody while it cannot tell", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const blocked = Effect.map(Effect.flip(scene.quote()), (error) => {
        assert.strictEqual(error._tag, "ScreeningBlocked")
        assert.notInclude(error.message.toLowerCase(), "0x")
      })
      scene.script.listed = new Set([OWNER])
      yield* blocked
      scene.script.listed = new Set([DESTINATION])
      yield* blocked
      scene.script.listed = new Set()
      scene.script.screeningAvailable = false
      yield* blocked
      assert.deepStrictEqual(scene.asked.order, ["screening"])
    })
  )

  it.effect("comes before every other reason to refuse, also where the source chain cannot be found", () =>
    Effect.gen(function* () {
      const others: ReadonlyArray<Partial<QuoteRequest>> = [
        { route: "", tokenIn: Quoting.PAYOUT },
        { route: "", destChainId: 99 },
        { route: "", sourceChainId: 99 },
        { maxNetworkFee: 0n },
        { tokenOut: TOKEN },
        { amountIn: 0n }
      ]
      for (const request of others) {
        const scene = yield* Quoting.make()
        scene.script.listed = new Set([OWNER])
        assert.strictEqual((yield* Effect.flip(scene.quote(request)))._tag, "ScreeningBlocked")
      }
      const scene = yield* Quoting.make()
      scene.script.listed = new Set([DESTINATION])
      yield* (yield* scene.chain(source.id)).fail("code", "balance", "block", "transactionCount")
      assert.strictEqual((yield* Effect.flip(scene.quote({ route: "" })))._tag, "ScreeningBlocked")
    })
  )

  it.effect("counts on the source chain only, also where another chain was expected to be it", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      // The token is listed on both chains, and only the chain that is not the destination has it.
      yield* (yield* scene.chain(source.id)).setCode(TOKEN, "0x")
      const { route: _hint, ...unhinted } = Quoting.request
      const { quote } = yield* scene.service.quote(unhinted)
      assert.strictEqual(quote.sourceChainId, destination.id)
      assert.deepStrictEqual(scene.asked.screened.at(-1), {
        chainId: destination.id,
        addresses: [OWNER, DESTINATION]
      })
      scene.script.unscreened = new Set([destination.id])
      const asking = yield* Effect.forkChild(Effect.flip(scene.service.quote(unhinted)))
      yield* TestClock.adjust("3500 millis")
      assert.strictEqual((yield* Fiber.join(asking))._tag, "ScreeningBlocked")
    })
  )

  it.effect("takes no order nonce for those whom it blocks", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.listed = new Set([OWNER])
      assert.strictEqual((yield* Effect.flip(scene.quote()))._tag, "ScreeningBlocked")
      scene.script.listed = new Set()
      assert.strictEqual((yield* scene.quote()).order.nonce, bound(source.contracts.guard, 0n))
    })
  )

  it.effect("refuses where no chain is configured, and so nobody can be screened", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make({ chains: [] })
      const failed = yield* Effect.flip(scene.quote({ tokenOut: STABLE, route: "" }))
      assert.strictEqual(failed._tag === "QuoteFailed" ? failed.reason : failed._tag, "unsupported_chain")
    })
  )
})
