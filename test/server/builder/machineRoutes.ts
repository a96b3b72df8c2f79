/** Registrations over the machine routes. */
import { Effect } from "effect"
import * as Harness from "./Harness.ts"

const { asAdmin, field, text, wallet } = Harness

let registered = 0

/** Registers a builder of its own. */
export const register = Effect.fnUntraced(function* (changes: Readonly<Record<string, unknown>> = {}) {
  registered += 1
  const body = {
    id: `machine_${registered}`,
    name: "Machine",
    builderBps: 10,
    maxBuilderBps: 50,
    payoutAddress: wallet().address,
    ...changes
  }
  const answer = yield* asAdmin("POST /builders", { body })
  return { body, answer, id: body.id, apiKey: text(answer, "apiKey") }
})

export const issuePaths = (answer: Harness.Answer): ReadonlyArray<string> => {
  const issues = field(answer, "error", "issues")
  return Array.isArray(issues) ? issues.map(({ path }: { path: ReadonlyArray<string> }) => path.join(".")) : []
}
