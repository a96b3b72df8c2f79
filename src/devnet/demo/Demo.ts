/** Runs every scenario of the demo and sums them up. */
import { Clock, Effect } from "effect"
import type { DevInfo } from "../DevInfo.ts"
import type { DemoEvent, SummaryRow } from "./Events.ts"
import { SCENARIOS } from "./Scenarios.ts"
import { sweep } from "./Sweep.ts"
import * as SweepApi from "./SweepApi.ts"
import * as WalletSweep from "./WalletSweep.ts"

/** Calls `emit` with each step as it happens. Succeeds with true if every sweep was delivered and every balance matched. */
export const run = Effect.fn("Demo.run")(function* (info: DevInfo, emit: (event: DemoEvent) => Effect.Effect<void>) {
  const startedAt = yield* Clock.currentTimeMillis
  const api = yield* SweepApi.make(info.orchestratorUrl)
  const rows: Array<SummaryRow> = []
  for (const [index, scenario] of SCENARIOS.entries()) {
    yield* emit({ event: "scenario", number: index + 1, title: scenario.title })
    rows.push(
      "holdings" in scenario
        ? yield* WalletSweep.sweep(info, api, scenario, emit)
        : yield* sweep(info, api, scenario, emit)
    )
  }
  yield* emit({ event: "summary", rows, elapsedMs: (yield* Clock.currentTimeMillis) - startedAt })
  return rows.every((row) => row.ok)
})
