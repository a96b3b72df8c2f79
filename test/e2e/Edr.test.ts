/** The services on the other node: the demo's sweeps and a delegated owner's, on EDR as they run on anvil. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import * as Demo from "../../src/devnet/demo/Demo.ts"
import type { DemoEvent, SummaryRow } from "../../src/devnet/demo/Events.ts"
import { SCENARIOS } from "../../src/devnet/demo/Scenarios.ts"
import { balanceOf, freshOwner, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

layer(Services.layer({ node: "edr" }), { excludeTestServices: true })("Sweeps on EDR", (it) => {
  it.effect("delivers every sweep of the demo, every balance to the wei", () =>
    Effect.gen(function* () {
      const { info } = yield* Services
      const events: Array<DemoEvent> = []
      const matched = yield* Demo.run(info, (event) => Effect.sync(() => events.push(event)))
      const rows = events.flatMap((event): ReadonlyArray<SummaryRow> => (event.event === "summary" ? event.rows : []))
      assert.deepStrictEqual(
        rows.map(({ ok, status, title }) => ({ ok, status, title })),
        SCENARIOS.map(({ title }) => ({ ok: true, status: "delivered", title }))
      )
      assert.isTrue(matched)
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("sweeps again for an owner who is delegated, without a second authorization", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const alpha = place(services, 0)
      const client = SweepClient.make(services.info.orchestratorUrl, 2)
      const owner = yield* freshOwner(alpha, "USDC", "500")
      const sweep = Effect.fnUntraced(function* (amountIn: string) {
        const quote = yield* Effect.promise(() =>
          client.quote({ owner: owner.address, chain: alpha.info, tokenIn: "USDC", amountIn, tokenOut: "DAI" })
        )
        assert.strictEqual(quote.status, 200, quote.text)
        const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
        yield* Effect.promise(() => client.submitAccepted(signed))
        const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
        assert.strictEqual(ended.string("status"), "delivered", ended.text)
        return ended.string("txHash") as `0x${string}`
      })

      const hashes = [yield* sweep("200"), yield* sweep("300")]
      assert.strictEqual(yield* balanceOf(alpha, "USDC", owner.address), 0n)
      const types = yield* alpha.dev.node.ask("read the transactions", (node) =>
        Promise.all(hashes.map(async (hash) => (await node.getTransaction({ hash })).type))
      )
      assert.deepStrictEqual(types, ["eip7702", "eip1559"])
    })
  )
})
