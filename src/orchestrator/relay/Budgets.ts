/**
 * Budgets before a sweep is simulated: postpones sweeps whose class has cost the relayer more than it may, and those of owners whose
 * sweeps failed too often. Nothing of it ends a sweep.
 */
import { Clock, Effect } from "effect"
import { type Budgets, type ExposureClass, holding, isSpent, type Sums } from "../../domain/Exposure.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** A sweep that must wait. */
export interface Excess {
  /** For people. */
  readonly text: string
  /** Pause before it is judged again, in milliseconds. */
  readonly pauseMillis: number
}

/** Makes `overBudget(client, claimed)`: the intents that must wait, by id. */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const failing = yield* makeFailing

  /** The class whose losses make the sweep wait. Reservations do not count here, since one may be the sweep's own. */
  const spentClass = (
    budgets: Budgets,
    isListed: boolean,
    classes: ReadonlyArray<ExposureClass>,
    sumsOf: (key: ExposureClass) => Sums
  ) => (isListed ? holding(classes, budgets, sumsOf) : classes.find((key) => isSpent(key, budgets, sumsOf(key))))

  return Effect.fn("Relay.overBudget")(function* ({ chain }: ChainClient, claimed: ReadonlyArray<Intent>) {
    const sweeps = claimed.map((intent) => ({
      intent,
      classes: desk.classes(chain, intent),
      isListed: desk.isListed(chain, intent.order)
    }))
    const [known, failed] = yield* Effect.all(
      [desk.sums([...new Set(sweeps.flatMap(({ classes }) => classes))]), failing(chain.id, claimed)],
      { concurrency: "unbounded" }
    )
    const budgets = desk.budgetsOn(chain)
    const pauseMillis = ExposureDesk.pauseOf({ isBusy: false })
    const over = new Map<string, Excess>()
    for (const { classes, intent, isListed } of sweeps) {
      const spent = spentClass(budgets, isListed, classes, ExposureDesk.sumsIn(known))
      if (spent !== undefined) {
        yield* desk.alerts.note(chain, { spent, isBusy: false, wei: 1n }, known.get(spent))
        over.set(intent.id, { text: `the budget of ${spent} is spent`, pauseMillis })
      } else if (failed.has(intent.order.owner)) {
        over.set(intent.id, {
          text: "too many of the owner's sweeps failed on chain recently",
          pauseMillis
        })
      }
    }
    return over
  })
})

/**
 * Makes `failing(chainId, claimed)`: owners whose sweeps failed too often. The operator hears of builders with too many failures,
 * and their sweeps go on, since anybody can use a builder's public key.
 */
const makeFailing = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const intents = yield* Intents
  const { failureBudget } = (yield* OrchestratorSettings).relayer

  return Effect.fnUntraced(function* (chainId: number, claimed: ReadonlyArray<Intent>) {
    const builders = new Set(
      claimed.flatMap(({ attributed }) => (attributed === undefined ? [] : [attributed.builderId]))
    )
    const burned = yield* intents.burned({
      chainId,
      owners: claimed.map(({ order }) => order.owner),
      builders: [...builders],
      sinceMs: (yield* Clock.currentTimeMillis) - failureBudget.windowMillis
    })
    for (const builderId of builders) {
      const key = `builder_failing:${builderId}`
      const failures = burned.builders.get(builderId) ?? 0
      if (failures < failureBudget.builder) yield* alerts.clear(key)
      else {
        yield* alerts.raise({
          key,
          severity: "warning",
          kind: "builder_failing",
          message: `Many sweeps of builder ${builderId} failed on chain in the last hour. Sweeps of other owners go on. If the builder's API key is abused, ask the builder to rotate it.`,
          details: { builderId, failures }
        })
      }
    }
    const owners = claimed.map(({ order }) => order.owner)
    return new Set(owners.filter((owner) => (burned.owners.get(owner) ?? 0) >= failureBudget.owner))
  })
})
