/**
 * Budgets before a sweep is simulated: postpones sweeps whose class has cost the relayer more than it may, and those of owners whose
 * sweeps failed too often. Nothing of it ends a sweep.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { type Budgets, type ExposureClass, holding, isSpent, type Sums } from "../../domain/Exposure.ts"
import { DAY_MILLIS } from "../../domain/ExposureWindow.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as BuilderFailures from "./BuilderFailures.ts"

/** A sweep that must wait. */
export interface Excess {
  /** For people. */
  readonly text: string
  /** Pause before it is judged again, in milliseconds. */
  readonly pauseMillis: number
}

/** Judgement of claimed sweeps. */
export interface Judged {
  /** Those that must wait, by intent id. */
  readonly over: ReadonlyMap<string, Excess>
  /** Owners whose first sweep waits, see {@link MOST_FIRST_FAILURES}. */
  readonly losing: ReadonlySet<Address.Address>
}

/**
 * Failures on chain in a day after which an owner whose account is not delegated waits. An owner can make a sweep fail with 21,000
 * gas, and the relayer pays about 40,000 for it. Tokens and gas for a new owner take 65,000, so that up to two failures of each
 * owner cost the attacker more than the relayer. An owner without a settled sweep waits as well with one that pays native currency to
 * another account: that account may burn the sweep's gas, and the authorization of a sweep that failed stays.
 */
const MOST_FIRST_FAILURES = 2

const NONE: Judged = { over: new Map(), losing: new Set() }

/** Makes `judge(client, claimed)`. */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const losses = yield* ChainLosses
  const failuresOf = yield* makeFailures

  /** The class whose losses make the sweep wait. Reservations do not count here, since one may be the sweep's own. */
  const spentClass = (
    budgets: Budgets,
    isListed: boolean,
    classes: ReadonlyArray<ExposureClass>,
    sumsOf: (key: ExposureClass) => Sums
  ) => (isListed ? holding(classes, budgets, sumsOf) : classes.find((key) => isSpent(key, budgets, sumsOf(key))))

  /** Classes that can make a sweep wait. Every loss also counts for the class of all sweeps of its scope, or of all first sweeps. */
  const watched = Effect.fnUntraced(function* (chain: Chain, claimed: ReadonlyArray<Intent>) {
    const { first, listed } = yield* losses.of(chain)
    const isWithoutLoss = listed.hour.lost + first.any.hour.lost + first.unfunded.hour.lost === 0n
    return claimed.flatMap((intent) => {
      const isListed = desk.isListed(chain, intent)
      return isListed && isWithoutLoss ? [] : [{ intent, isListed, classes: desk.classes(chain, intent) }]
    })
  })

  return Effect.fn("Relay.judge")(function* ({ chain }: ChainClient, claimed: ReadonlyArray<Intent>) {
    const { first, listed, unlisted } = yield* losses.of(chain)
    const sweeps = yield* watched(chain, claimed)
    // A sweep that failed on chain cost gas, so that no owner has failures while there are no losses.
    const isCalm = [listed, unlisted, first.any, first.unfunded].every(({ day }) => day.lost === 0n)
    if (isCalm && sweeps.length === 0) return NONE
    const [known, failures] = yield* Effect.all(
      [
        desk.sums([...new Set(sweeps.flatMap(({ classes }) => classes))]),
        isCalm ? Effect.succeed(undefined) : failuresOf(chain.id, claimed)
      ],
      { concurrency: "unbounded" }
    )
    const budgets = yield* desk.budgetsOn(chain)
    const pauseMillis = ExposureDesk.pauseOf({ isBusy: false })
    const over = new Map<string, Excess>()
    for (const { id, order } of claimed) {
      if (failures?.often.has(order.owner)) {
        over.set(id, { text: "too many of the owner's sweeps failed on chain recently", pauseMillis })
      }
    }
    for (const { classes, intent, isListed } of sweeps) {
      const spent = spentClass(budgets, isListed, classes, ExposureDesk.sumsIn(known))
      if (spent === undefined) continue
      yield* desk.alerts.note(chain, { spent, isBusy: false, wei: 1n }, known.get(spent))
      over.set(intent.id, { text: `the budget of ${spent} is spent`, pauseMillis })
    }
    return { over, losing: failures?.losing ?? NONE.losing } satisfies Judged
  })
})

/**
 * Makes `failuresOf(chainId, claimed)`: the owners whose sweeps failed too often in the window, and those who may have no first
 * sweep. The operator hears of builders with too many failures, and their sweeps go on, since anybody can use a builder's public
 * key.
 */
const makeFailures = Effect.gen(function* () {
  const intents = yield* Intents
  const { note } = yield* BuilderFailures.make
  const { failureBudget } = (yield* OrchestratorSettings).relayer

  return Effect.fnUntraced(function* (chainId: number, claimed: ReadonlyArray<Intent>) {
    const now = yield* Clock.currentTimeMillis
    const owners = claimed.map(({ order }) => order.owner)
    const builders = new Set(
      claimed.flatMap(({ attributed }) => (attributed === undefined ? [] : [attributed.builderId]))
    )
    const [burned, ofDay] = yield* Effect.all(
      [
        intents.burned({ chainId, owners, builders: [...builders], sinceMs: now - failureBudget.windowMillis }),
        intents.burned({ chainId, owners, builders: [], sinceMs: now - DAY_MILLIS })
      ],
      { concurrency: "unbounded" }
    )
    yield* note(burned.builders)
    return {
      often: new Set(owners.filter((owner) => (burned.owners.get(owner) ?? 0) >= failureBudget.owner)),
      losing: new Set(owners.filter((owner) => (ofDay.owners.get(owner) ?? 0) >= MOST_FIRST_FAILURES))
    }
  })
})
