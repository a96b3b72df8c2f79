/** Exports of payout batches for a Safe, over HTTP. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import * as Harness from "./Harness.ts"
import { builderOwed, makeChain } from "./consoleScene.ts"

const { asAdmin, CHAIN_ID, field, OTHER_TOKEN, text, TOKEN } = Harness

layer(Harness.layer({ node: makeChain().node }), { excludeTestServices: true })("exports for a Safe", (it) => {
  it.effect("are refused for a batch that was exported for another Safe, which the answer names", () =>
    Effect.gen(function* () {
      yield* builderOwed(7n)
      const opened = yield* asAdmin("POST /admin/payouts", {
        body: { chainId: CHAIN_ID, token: TOKEN, minAmount: "1" }
      })
      const subject = text(opened, "id")
      const path = `/admin/payouts/${subject}`
      const { append } = yield* AuditLog
      yield* append({ actor: "ann", action: "payout.export_safe", subject, details: { vault: OTHER_TOKEN } })
      const refused = yield* asAdmin(`GET ${path}/safe`)
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(field(refused, "error", "issues", 0, "path"), ["id"])
      assert.include(text(refused, "error", "issues", 0, "message"), OTHER_TOKEN)
      assert.strictEqual((yield* asAdmin(`POST ${path}/fail`, { body: { reason: "rejected" } })).status, 200)
    })
  )
})
