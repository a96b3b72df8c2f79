/** Reports the relayer's exposure to its operator. */
import { Effect } from "effect"
import { classOf, EMPTY, parse } from "../../domain/Exposure.ts"
import type { ExposureReport } from "../../domain/ExposureReport.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Classes that a report names. */
const CLASSES = 100

/** Makes `report`. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const exposures = yield* Exposures
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make

  return Effect.fn("ExposureReporting.report")(function* (): Effect.fn.Return<ExposureReport, StoreUnavailable> {
    const keys = chains.all.flatMap(({ chain }) => [
      classOf("unlisted", "all", chain.id),
      classOf("listed", "all", chain.id)
    ])
    const [known, largest] = yield* Effect.all([exposures.sums(keys), exposures.largest(CLASSES)], {
      concurrency: "unbounded"
    })
    const limited = yield* Effect.forEach(chains.all, ({ chain }) => withLimits(chain))
    const budgets = limited.flatMap((chain) => {
      const { listedHour, unlisted } = ChainLimits.lossBudgets(relayer, chain)
      const limits = [
        { scope: "unlisted" as const, budgetHour: unlisted.hour, budgetDay: unlisted.day },
        { scope: "listed" as const, budgetHour: listedHour }
      ]
      return limits.map((limit) => {
        const { day, hour, open } = known.get(classOf(limit.scope, "all", chain.id)) ?? EMPTY
        return { chainId: chain.id, name: chain.name, ...limit, lostHour: hour.lost, lostDay: day.lost, reserved: open }
      })
    })
    const classes = largest.flatMap(({ day, hour, key, open }) => {
      const parts = parse(key)
      return parts === undefined
        ? []
        : [{ ...parts, lostHour: hour.lost, lostDay: day.lost, earnedDay: day.earned, reserved: open }]
    })
    return { budgets, classes }
  })
})
