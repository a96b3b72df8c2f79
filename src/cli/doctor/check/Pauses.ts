/** Looks for choices of the operator that take the place of pauses in the settings. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import { mapped } from "../../../adapters/sql/shared/Database.ts"
import * as OperatorChoices from "../../../adapters/sql/shared/OperatorChoices.ts"
import { orchestrator } from "../../../config/Orchestrator.ts"
import * as Settings from "../../../domain/doctor/Settings.ts"
import type { Check } from "../Check.ts"

const { pausedChains } = orchestrator

const resumed = Effect.flatMap(PgClient.PgClient, OperatorChoices.resumedChains).pipe(mapped("read pauses"))

export const pauses: Check = {
  name: "pauses",
  services: ["orchestrator"],
  findings: Effect.fnUntraced(function* ({ withDatabase }) {
    // A setting that cannot be read is a finding of the check of settings.
    const paused = yield* Effect.orElseSucceed(pausedChains.config, (): ReadonlyArray<number> => [])
    if (paused.length === 0) return []
    // Without a database or its schema nobody has chosen anything. The check of the database tells of it.
    const known = Option.getOrElse(
      yield* Effect.option(withDatabase(resumed)),
      (): ReadonlyArray<Settings.Resumed> => []
    )
    return Settings.judgeResumed(
      pausedChains.name,
      known.filter(({ chainId }) => paused.includes(chainId))
    )
  })
}
