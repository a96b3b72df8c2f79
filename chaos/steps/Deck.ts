/** Chooses the steps of a run from its seed: every kind comes before any comes more often than it is in the deck. */
import { Effect, Random } from "effect"
import * as Kills from "../Kills.ts"
import * as Reorgs from "../Reorgs.ts"
import * as ChainFaults from "./ChainFaults.ts"
import * as DatabaseFaults from "./DatabaseFaults.ts"
import { DEPTHS, killed, reorganised } from "./KillsAndReorgs.ts"
import * as PayoutFaults from "./PayoutFaults.ts"
import * as PoisonedRows from "./PoisonedRows.ts"
import { skewedClocks } from "./SkewedClocks.ts"
import type { Side, Step } from "./Step.ts"
import { unfillableDeposits } from "./UnfillableDeposits.ts"

const UNFILLABLE = 2_000
const SKEW_SECONDS = 30
const MOST_LAG = 30

/** Share of chain silences that last until an alert about them is due, and their time. */
const LONG_SHARE = 0.1
const LONG_MILLIS = 32_000

/** Facts about the network that choices depend on. */
export interface Surroundings {
  readonly chainIds: Readonly<Record<Side, number>>
}

/** Owners that kills and reorganisations sweep for. */
export const LASTING_OWNERS = Reorgs.LASTING_OWNERS

const oneOf = <A>(from: ReadonlyArray<A>): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, from.length, { halfOpen: true }), (index) => {
    const found = from[index]
    if (found === undefined) throw new Error("there is nothing to choose from")
    return found
  })

const side = oneOf<Side>(["alpha", "beta"])
const millis = Random.nextIntBetween(1_500, 4_000)
/** Longer than any response may take. */
const longerThanAnswers = Random.nextIntBetween(5_500, 8_000)

const silentChain = ({ chainIds }: Surroundings) =>
  Effect.gen(function* () {
    const isLong = (yield* Random.next) < LONG_SHARE
    const chosen = yield* side
    const how = yield* oneOf(["process", "proxies"] as const)
    const silence = { side: chosen, how, millis: isLong ? LONG_MILLIS : yield* longerThanAnswers }
    return ChainFaults.silentChain(silence, chainIds[chosen])
  })

/** Chooses among all reorganisations. Only the first owner is drained, who must be another one each time. */
const reorg = (drained: number) =>
  Effect.gen(function* () {
    const [planned] = yield* Random.shuffle(yield* Reorgs.plan(DEPTHS))
    if (planned === undefined) throw new Error("a plan has reorganisations")
    const [first = 0, ...others] = planned.owners
    const owners = [planned.kind === "reverted" ? drained : first, ...others]
    // Another replica runs in any case, and sees it.
    return { ...planned, owners, unseen: false }
  })

/** `position` is that of the step in the run. */
type Choice = (around: Surroundings, position: number) => Effect.Effect<Step>

const poisoned =
  (queue: PoisonedRows.Queue): Choice =>
  () =>
    Effect.succeed(PoisonedRows.poisonedRow(queue))

/** The kinds of steps, by the names that `--only` takes. */
export const KINDS = {
  kill: () =>
    Effect.map(Kills.plan(1, LASTING_OWNERS), ([round]) => {
      if (round === undefined) throw new Error("a plan has rounds")
      return killed(round)
    }),
  reorg: (_, position) => Effect.map(reorg(LASTING_OWNERS + position), reorganised),
  "silent chain": silentChain,
  "silent database": () =>
    Effect.gen(function* () {
      const how = yield* oneOf(["process", "one replica"] as const)
      return DatabaseFaults.silentDatabase({ how, millis: yield* longerThanAnswers })
    }),
  "read-only database": () => Effect.map(millis, DatabaseFaults.readOnlyDatabase),
  "full disk": () => Effect.map(millis, DatabaseFaults.fullDisk),
  "lagging logs": () =>
    Effect.gen(function* () {
      return ChainFaults.laggingLogs({ side: yield* side, blocks: yield* Random.nextIntBetween(1, MOST_LAG) })
    }),
  "skewed clocks": () =>
    Effect.gen(function* () {
      const seconds = yield* oneOf([SKEW_SECONDS, -SKEW_SECONDS])
      return skewedClocks({ seconds, millis: yield* millis })
    }),
  "poisoned outbox message": poisoned("outbox message"),
  "poisoned intent": poisoned("intent"),
  "poisoned relay transaction": poisoned("relay transaction"),
  "poisoned webhook delivery": poisoned("webhook delivery"),
  "unfillable deposits": () => Effect.sync(() => unfillableDeposits(UNFILLABLE)),
  "payout changed": () =>
    Effect.map(oneOf(["opened", "recorded", "broadcast", "mined"] as const), PayoutFaults.changedPayout),
  "payout reorganised": () => Effect.map(oneOf(PayoutFaults.MOMENTS), PayoutFaults.reorganisedPayout)
} satisfies Readonly<Record<string, Choice>>

export type Kind = keyof typeof KINDS

export const ALL_KINDS = Object.keys(KINDS) as ReadonlyArray<Kind>

/** Number of each kind in a deck. Default: 1. */
const COPIES: Partial<Record<Kind, number>> = { kill: 3, reorg: 2, "silent chain": 2, "lagging logs": 2 }

/** Number of owners that so many steps may drain or sweep for, besides those of the traffic. */
export const ownersFor = (count: number): number => LASTING_OWNERS + count

/** The steps of a run. The same seed chooses the same steps. */
export const plan = Effect.fnUntraced(function* (count: number, only: ReadonlyArray<Kind>, around: Surroundings) {
  const chosen: Array<Kind> = []
  while (chosen.length < count) {
    const copies = only.flatMap((kind) => Array.from({ length: (COPIES[kind] ?? 1) - 1 }, () => kind))
    chosen.push(...(yield* Random.shuffle(only)), ...(yield* Random.shuffle(copies)))
  }
  return yield* Effect.forEach(chosen.slice(0, count), (kind, position) =>
    Effect.map(KINDS[kind](around, position), (step) => ({ kind, step }))
  )
})

export type Planned = Effect.Success<ReturnType<typeof plan>>[number]
