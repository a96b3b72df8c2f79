/** Ends intents that no transaction carries and that no block can settle any more. */
import { Effect, Option } from "effect"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import { Settlements } from "../settle/Settlements.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { CONCURRENCY, isolated, resolved } from "./Findings.ts"

/** Makes `expire(view)`, which looks at up to `watcher.batch` overdue intents of a chain. */
export const make = Effect.gen(function* () {
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings
  const settlements = yield* Settlements

  return Effect.fnUntraced(function* (view: ChainView) {
    if (Option.isNone(view.confirmed)) return []
    const { timestamp } = view.confirmed.value
    const overdue = yield* intents.overdue(view.client.chain.id, timestamp, settings.watcher.batch)
    const detail = "the deadline passed, and no transaction carried it"
    return yield* Effect.forEach(
      overdue,
      (intent) => isolated(Effect.map(settlements.resolve(view, intent, { _tag: "Unsent" }, detail), resolved)),
      { concurrency: CONCURRENCY }
    )
  })
})
