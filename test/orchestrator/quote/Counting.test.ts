/** Refused quotes are counted by reasons that operators see, in the words of the alert rules. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Counting from "../../../src/orchestrator/quote/Counting.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { isolated, series } from "../../support/Metrics.ts"

const failed = (reason: QuoteFailed["reason"]) => new QuoteFailed({ reason, detail: "d" })

it.effect("a full budget is told from a declined token, which the client cannot do", () =>
  isolated(
    Effect.gen(function* () {
      for (const reason of ["budget_spent", "token_declined"] as const) {
        yield* Effect.ignore(Counting.measured("one")(Effect.fail(failed(reason))))
      }
      assert.deepStrictEqual(yield* series("sweep_quotes_total"), [
        `sweep_quotes_total{outcome="refused",reason="budget_spent",provider=""} 1`,
        `sweep_quotes_total{outcome="refused",reason="unavailable",provider=""} 1`
      ])
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
