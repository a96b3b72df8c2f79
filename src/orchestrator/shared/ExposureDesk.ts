/** Budgets of exposure for sweeps of one process: their classes, the class that a sweep must wait for, and reservations. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { type Denied, EMPTY, type ExposureClass, lacking, type Reservation, type Sums } from "../../domain/Exposure.ts"
import { classesOf, type Route, scopeOf, type Subject } from "../../domain/ExposureClasses.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as ChainLimits from "./ChainLimits.ts"
import * as ExposureAlerts from "./ExposureAlerts.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"

/** Pause while sweeps under way use up a budget, in milliseconds. */
const BUSY_MILLIS = 15_000

/** Pause while losses use up a budget, in milliseconds. */
const SPENT_MILLIS = 60_000

/** Time after which a sweep with this class in its way can be tried again, in milliseconds. */
export const pauseOf = ({ isBusy }: Pick<Denied, "isBusy">): number => (isBusy ? BUSY_MILLIS : SPENT_MILLIS)

/** A sweep as its classes are told. */
type Exposed = Pick<Intent, "attributed" | "network" | "runsOthersCode"> & Pick<Subject, "order">

/** Sums of classes. */
type Known = ReadonlyMap<ExposureClass, Sums>

/** Makes the desk. */
export const make = Effect.gen(function* () {
  const alerts = yield* ExposureAlerts.make
  const chains = yield* Chains
  const exposures = yield* Exposures
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make

  const budgetsOn = (chain: Chain) =>
    Effect.map(withLimits(chain), (limited) => ChainLimits.lossBudgets(relayer, limited))

  const routeOf = (source: Chain, { destChainId }: Pick<SweepOrder, "destChainId">): Route => ({
    source,
    destination: chains.all.find(({ chain }) => BigInt(chain.id) === destChainId)?.chain
  })

  const isListed = (source: Chain, sweep: Pick<Exposed, "order" | "runsOthersCode">): boolean =>
    scopeOf(sweep, routeOf(source, sweep.order)) === "listed"

  const classes = (
    source: Chain,
    { attributed, network, order, runsOthersCode }: Exposed,
    lane?: Address.Address
  ): ReadonlyArray<ExposureClass> => {
    const subject: Subject = { order, runsOthersCode, builderId: attributed?.builderId, network, lane }
    return classesOf(subject, routeOf(source, order))
  }

  /** Sums of the classes of a sweep. None for a sweep of listed tokens, which needs none. */
  const sumsOf = Effect.fnUntraced(function* (source: Chain, sweep: Exposed, known?: Known) {
    if (isListed(source, sweep)) return new Map<ExposureClass, Sums>()
    const keys = classes(source, sweep).filter((key) => known?.has(key) !== true)
    const read = keys.length === 0 ? undefined : yield* exposures.sums(keys)
    return new Map([...(known ?? []), ...keys.map((key) => [key, read?.get(key) ?? EMPTY] as const)])
  })

  /**
   * The class without room for a sweep that costs `wei` at worst; undefined if there is room. Reserves nothing. `before`: sums that were
   * read a moment before, which are not read again.
   */
  const lack = Effect.fnUntraced(function* (source: Chain, sweep: Exposed, wei: bigint, before?: Known) {
    if (isListed(source, sweep)) return undefined
    const known = yield* sumsOf(source, sweep, before)
    const room = { classes: classes(source, sweep), wei }
    const lacks = lacking(room, yield* budgetsOn(source), (key) => known.get(key) ?? EMPTY)
    if (lacks !== undefined) yield* alerts.note(source, { ...lacks, wei }, known.get(lacks.spent))
    return lacks
  })

  /**
   * Reserves sweeps of unlisted tokens by one call. Returns those that must wait, by intent id. `holder`: id of the submission whose
   * sweeps they are, or claim of the relayer.
   */
  const reserve = Effect.fnUntraced(function* (
    source: Chain,
    reservations: ReadonlyArray<Reservation>,
    holder?: string
  ) {
    const denied = new Map<string, Denied>()
    if (reservations.length === 0) return denied
    const budgets = yield* budgetsOn(source)
    for (const each of yield* exposures.reserve(reservations, budgets, holder)) denied.set(each.intentId, each)
    const spent = [...denied.values()].filter(({ isBusy }) => !isBusy)
    if (spent.length > 0) {
      const known = yield* exposures.sums([...new Set(spent.map((each) => each.spent))])
      for (const each of spent) {
        const wei = reservations.find(({ intentId }) => intentId === each.intentId)?.wei ?? 1n
        yield* alerts.note(source, { ...each, wei }, known.get(each.spent))
      }
    }
    return denied
  })

  return {
    alerts,
    budgetsOn,
    classes,
    isListed,
    lack,
    reserve,
    reserved: exposures.reserved,
    release: exposures.release,
    sums: exposures.sums,
    sumsOf
  }
})

/** Sums of a class among those that were read. */
export const sumsIn =
  (known: ReadonlyMap<ExposureClass, Sums>) =>
  (key: ExposureClass): Sums =>
    known.get(key) ?? EMPTY
