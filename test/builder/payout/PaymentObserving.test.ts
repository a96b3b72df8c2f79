/** Looks at a payment while the chain goes on. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Latch } from "effect"
import { backend, owing, run, said } from "./PayoutScene.ts"

layer(backend, { excludeTestServices: true })("a look at a payment", (it) => {
  it.effect("shows one block, although the payment is mined between its reads", () =>
    Effect.gen(function* () {
      // The approval lasts, so that nothing but the payment waits for a block.
      yield* run((yield* owing("USDC", [1n])).id)
      const { balances, desk, dev, id } = yield* owing("USDC", [11n, 22n])
      const ask = dev.node.ask
      yield* ask("hold transactions back", (node) => node.setAutomine(false))
      const dead = yield* run(id, { dies: "broadcast" })
      assert.include(said(dead.exit), "the power is gone")

      const isRead = yield* Latch.make()
      let reads = 0
      const next = yield* run(id, {
        client: (real) => ({
          call: (request) =>
            real.call(request).pipe(
              Effect.tap(() => {
                reads += 1
                // The nonce of Permit2, the balance and the allowance.
                return reads === 3 ? isRead.open : Effect.void
              })
            ),
          transactionCount: (address, block) =>
            isRead.await.pipe(
              Effect.andThen(Effect.orDie(ask("mine the payment", (node) => node.mine({ blocks: 1 })))),
              Effect.andThen(real.transactionCount(address, block))
            )
        })
      }).pipe(Effect.ensuring(Effect.orDie(ask("mine at once", (node) => node.setAutomine(true)))))
      assert.isTrue(Exit.isSuccess(next.exit), said(next.exit))
      assert.deepStrictEqual(yield* balances, [11n, 22n])
      const after = yield* desk.get(id)
      assert.strictEqual(after.status, "paid")
      assert.strictEqual(after.payments?.length, 1)
    })
  )
})
