/** Refused quotes are counted by reasons that operators see, in the words of the alert rules. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Counting from "../../../src/orchestrator/quote/Counting.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { isolated, series } from "../../support/Metrics.ts"

const failed = (reason: QuoteFailed["reason"]) => new QuoteFailed({ reason, detail: "d" })

it.effect("a full budget, a pause and dear gas are told from what does not answer, which the client cannot do", () =>
  isolated(
    Effect.gen(function* () {
      const reasons = [
        "budget_spent",
        "token_declined",
        "chain_paused",
        "fee_limit",
        "chain_unavailable",
        "paused"
      ] as const
      for (const reason of reasons) {
        yield* Effect.ignore(Counting.measured("one")(Effect.fail(failed(reason))))
      }
      const counted = ["budget_spent", "chain_paused", "chain_unavailable", "fee_limit", "paused", "unavailable"]
      assert.deepStrictEqual(
        yield* series("sweep_quotes_total"),
        counted.map((reason) => `sweep_quotes_total{outcome="refused",reason="${reason}",provider=""} 1`)
      )
    })
  )
)

it("the reasons of the alert rule are those that are counted", () => {
  const rules = readFileSync(new URL("../../../deploy/prometheus/rules.yml", import.meta.url), "utf8")
  const [, reasons = ""] = /sweep_quotes_total\{outcome="refused", reason=~"([^"]+)"\}/.exec(rules) ?? []
  const counted = [
    ...(["budget_spent", "too_busy", "chain_unavailable"] as const).map((reason) => Counting.reasonIn(failed(reason))),
    Counting.reasonIn(new ScreeningBlocked({ cause: "unavailable" }))
  ]
  assert.sameMembers(reasons.split("|"), counted)
})
