/** Sweeps tokens of two chains with one signature by the tools of the server, over standard input and output. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Address from "../../src/domain/Address.ts"
import { balanceOf, freshOwner, place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"
import { asAnswer, call, connect, ended, setUp } from "./stdioClient.ts"

interface Accepted {
  readonly id: string
  readonly status: string
}

layer(Services.layer(), { excludeTestServices: true })("The MCP server's tools for many tokens", (it) => {
  it.effect("sweep tokens of two chains with one signature, and say why a token has no quote", () =>
    Effect.gen(function* () {
      const { alpha, services, trusted } = yield* setUp
      const beta = place(services, 1)
      const client = yield* connect(trusted)
      const owner = yield* freshOwner(alpha, "DAI", "60")
      yield* beta.dev.fund(Address.of(owner.address), { token: "USDC", amount: 50_000_000n })
      const token = (at: typeof alpha, symbol: string) => ({
        chainId: at.info.id,
        token: Support.tokenOf(at.info, symbol).address,
        amount: "max"
      })
      const quoted = yield* call(client, "sweep_quotes", {
        owner: owner.address,
        destination: owner.address,
        destChainId: alpha.info.id,
        tokenOut: Support.tokenOf(alpha.info, "USDC").address,
        tokens: [token(alpha, "DAI"), token(beta, "USDC"), token(beta, "DAI")],
        userId: "model",
        subscriptionActive: false
      })
      assert.isFalse(quoted.isError, quoted.text)
      const answer = asAnswer(quoted)
      // Attributed by the environment's key.
      assert.strictEqual(answer.string("quotes.0.quote.builderId"), "dev")
      assert.strictEqual(answer.string("quotes.2.reason"), "insufficient_balance")

      const signed = yield* Effect.promise(() => Support.signBatch(owner, answer))
      const unauthorized = yield* call(client, "submit_sweep", { ...signed, authorizations: [] })
      assert.isTrue(unauthorized.isError)
      assert.include(unauthorized.text, "`signing.authorizations`")
      const turned = yield* call(client, "submit_sweep", { ...signed, quoteIds: signed.quoteIds.toReversed() })
      assert.include(turned.text, "order of the signed legs")
      const submitted = yield* call(client, "submit_sweep", { ...signed })
      assert.isFalse(submitted.isError, submitted.text)
      const intents = submitted.value["intents"] as ReadonlyArray<Accepted>
      assert.deepStrictEqual(
        intents,
        signed.quoteIds.map((id) => ({ id, status: "submitted" }))
      )
      for (const { id } of intents) {
        const status = yield* ended(client, id)
        assert.strictEqual(status.value["status"], "delivered", status.text)
      }
      const again = yield* call(client, "submit_sweep", { ...signed })
      assert.isFalse(again.isError, again.text)
      assert.deepStrictEqual(again.value, submitted.value)
      const received = yield* balanceOf(alpha, "USDC", owner.address)
      assert.isTrue(received >= BigInt(answer.string("totals.minAmountOut.amount")), `received ${received}`)
      assert.strictEqual(yield* balanceOf(beta, "USDC", owner.address), 0n)
    }).pipe(Effect.scoped)
  )
})
