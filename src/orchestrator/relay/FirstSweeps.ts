/**
 * First sweeps of owners: sweeps of listed tokens whose accounts are not delegated yet, or whose owners have no settled sweep on the
 * chain, since anybody can delegate an account. Such an owner has paid for nothing so far, so the losses of all of them together have a
 * budget.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import {
  type Denied,
  EMPTY,
  type ExposureClass,
  firstClass,
  funderClass,
  lacking,
  type Reservation,
  type Sums
} from "../../domain/Exposure.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Funders from "./Funders.ts"
import * as SettledOwners from "./SettledOwners.ts"

/** Gas of the cheapest transaction that an owner can run ahead with. */
const TRANSFER_GAS = 21_000n

/** A class of a first sweep that has no room for it. */
export type Lack = Omit<Denied, "intentId">

/** A sweep of listed tokens with the wei that it reserves if it is its owner's first one. */
export interface ListedSweep {
  readonly order: Funders.Funded
  readonly wei: bigint
  /** True if the owner's account runs the delegate. */
  readonly isDelegated: boolean
}

/** Owners of first sweeps: the classes of each, or the class that has no room for any of its sweeps. */
export interface Owners {
  readonly classes: ReadonlyMap<Address.Address, ReadonlyArray<ExposureClass>>
  readonly full: ReadonlyMap<Address.Address, Lack>
}

/** Counts first sweeps of one claim against their budgets, as of the last half second. */
export interface Counter {
  /** The class without room for the sweep. If there is room, the sweep counts from now on. */
  readonly lack: (sweep: Pick<Reservation, "classes" | "wei">) => Lack | undefined
  readonly sumsOf: (key: ExposureClass) => Sums
}

/**
 * Makes `ownersOf(client, sweeps)`, the classes of each owner of first sweeps among them, which has none without a limit, and
 * `counterOn(chain, classes)`, the {@link Counter} of one claim.
 */
export const make = Effect.gen(function* () {
  const exposures = yield* Exposures
  const funderOf = Funders.make()
  const losses = yield* ChainLosses
  const settledOf = yield* SettledOwners.make
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make

  const isUnfunded = ({ balance }: ChainClient, owner: Address.Address, baseFeePerGas: bigint) =>
    Effect.map(
      Effect.option(balance(owner)),
      (known) => Option.isSome(known) && known.value < TRANSFER_GAS * baseFeePerGas
    )

  const firstOf = Effect.fnUntraced(function* (chain: Chain, sweeps: ReadonlyArray<ListedSweep>) {
    const delegated = new Set(sweeps.flatMap(({ isDelegated, order }) => (isDelegated ? [order.owner] : [])))
    const settled = yield* settledOf(chain.id, delegated)
    return sweeps.filter(({ isDelegated, order }) => !isDelegated || !settled.has(order.owner))
  })

  /**
   * Asks the node for balances and funders only while first sweeps have lost, and for funders only of sweeps that the budget of all first
   * sweeps has room for: they are read from many blocks of logs, and a crowd of new owners would have them read for nothing.
   */
  const ownersOf = Effect.fnUntraced(function* (client: ChainClient, listed: ReadonlyArray<ListedSweep>) {
    const { chain } = client
    const budgets = ChainLimits.lossBudgets(relayer, yield* withLimits(chain))
    const classes = new Map<Address.Address, ReadonlyArray<ExposureClass>>()
    const full = new Map<Address.Address, Lack>()
    const sweeps = budgets.firstHour === undefined ? [] : yield* firstOf(chain, listed)
    if (sweeps.length === 0) return { classes, full } satisfies Owners
    const { any, unfunded } = (yield* losses.of(chain)).first
    if (any.hour.lost === 0n) {
      for (const { order } of sweeps) classes.set(order.owner, [firstClass(chain.id, false)])
      return { classes, full } satisfies Owners
    }
    const { baseFeePerGas } = yield* client.feesPerGas
    yield* Effect.forEach(
      leastOfEach(sweeps),
      Effect.fnUntraced(function* ({ order, wei }) {
        const hasNoGas = yield* isUnfunded(client, order.owner, baseFeePerGas)
        const pot = firstClass(chain.id, hasNoGas)
        const lack = lacking({ classes: [pot], wei }, budgets, () => (hasNoGas ? unfunded : any))
        if (lack !== undefined) return full.set(order.owner, lack)
        const funder = yield* funderOf(client, order)
        return classes.set(order.owner, [
          pot,
          ...Option.toArray(Option.map(funder, (each) => funderClass(chain.id, each)))
        ])
      }),
      { concurrency: "unbounded", discard: true }
    )
    return { classes, full } satisfies Owners
  })

  const counterOn = Effect.fnUntraced(function* (chain: Chain, classes: ReadonlySet<ExposureClass>) {
    const budgets = ChainLimits.lossBudgets(relayer, yield* withLimits(chain))
    const { any, unfunded } = (yield* losses.of(chain)).first
    const pots = new Map([
      [firstClass(chain.id, false), any],
      [firstClass(chain.id, true), unfunded]
    ])
    const known = new Map([...pots, ...(yield* exposures.sums([...classes].filter((key) => !pots.has(key))))])
    const taken = new Map<ExposureClass, bigint>()
    const sumsOf = (key: ExposureClass): Sums => {
      const sums = known.get(key) ?? EMPTY
      return { ...sums, open: sums.open + (taken.get(key) ?? 0n) }
    }
    return {
      sumsOf,
      lack: (sweep: Pick<Reservation, "classes" | "wei">) => {
        const lacks = lacking(sweep, budgets, sumsOf)
        if (lacks !== undefined) return lacks
        for (const key of sweep.classes) taken.set(key, (taken.get(key) ?? 0n) + sweep.wei)
        return undefined
      }
    } satisfies Counter
  })

  return { counterOn, ownersOf }
})

/** The cheapest sweep of each owner. Where there is no room for it, there is none for another one of the owner's. */
const leastOfEach = (sweeps: ReadonlyArray<ListedSweep>): ReadonlyArray<ListedSweep> => {
  const least = new Map<Address.Address, ListedSweep>()
  for (const sweep of sweeps) {
    const known = least.get(sweep.order.owner)
    if (known === undefined || sweep.wei < known.wei) least.set(sweep.order.owner, sweep)
  }
  return [...least.values()]
}
