/**
 * Chooses the steps of a run from its seed: every kind comes before any comes more often than it is in the deck, and every variant
 * of a kind before any comes again.
 */
import { Effect, Random } from "effect"
import * as Fork from "../Fork.ts"
import * as Kills from "../Kills.ts"
import * as Reorgs from "../Reorgs.ts"
import { blockedBatch } from "./BlockedBatch.ts"
import * as ChainFaults from "./ChainFaults.ts"
import * as DatabaseFaults from "./DatabaseFaults.ts"
import { deal, dealEach } from "./Dealing.ts"
import { DEPTHS, killed, reorganised } from "./KillsAndReorgs.ts"
import * as PayoutFaults from "./PayoutFaults.ts"
import * as PoisonedRows from "./PoisonedRows.ts"
import { faultyNode, type RpcFault } from "./RpcFaults.ts"
import { skewedClocks } from "./SkewedClocks.ts"
import type { Side, Step } from "./Step.ts"
import { unfillableDeposits } from "./UnfillableDeposits.ts"
import { wallets } from "./Wallets.ts"

const UNFILLABLE = 2_000
const SKEW_SECONDS = 30
const MOST_LAG = 30

/** Silence of a chain that lasts until an alert about it is due. */
const LONG_MILLIS = 32_000

/** Facts about the network that choices depend on. */
export interface Surroundings {
  readonly chainIds: Readonly<Record<Side, number>>
}

/** Owners that kills and reorganisations sweep for. */
export const LASTING_OWNERS = Reorgs.LASTING_OWNERS

const SIDES = ["alpha", "beta"] as const satisfies ReadonlyArray<Side>
const millis = Random.nextIntBetween(1_500, 4_000)
/** Longer than any response may take. */
const longerThanAnswers = Random.nextIntBetween(5_500, 8_000)

/** Makes the step of a variant. `position` is that of the step in the run. */
interface Chosen {
  readonly around: Surroundings
  readonly position: number
}

interface Choice {
  readonly variants: number
  readonly choose: (variant: number, chosen: Chosen) => Effect.Effect<Step>
}

const among = <A>(variants: ReadonlyArray<A>, choose: (variant: A, chosen: Chosen) => Effect.Effect<Step>): Choice => ({
  variants: variants.length,
  choose: (index, chosen) => {
    const variant = variants[index]
    return variant === undefined ? Effect.die(new Error("there is no such variant")) : choose(variant, chosen)
  }
})

const always = (choose: (chosen: Chosen) => Effect.Effect<Step>): Choice =>
  among(["only"], (_, chosen) => choose(chosen))

const silences = SIDES.flatMap((side) => (["process", "proxies"] as const).map((how) => ({ side, how })))

const silentChain = (lasting: Effect.Effect<number>) =>
  among(silences, (variant, { around }) =>
    Effect.map(lasting, (time) => ChainFaults.silentChain({ ...variant, millis: time }, around.chainIds[variant.side]))
  )

/** Only the first owner is drained, who must be another one each time. */
const reorg = Effect.fnUntraced(function* (kind: Fork.Kind, position: number) {
  const planned = yield* Random.shuffle(yield* Reorgs.plan(DEPTHS))
  const found = planned.find((each) => each.kind === kind)
  if (found === undefined) return yield* Effect.die(new Error(`a plan has no reorganisation with ${kind} transactions`))
  const [first = 0, ...others] = found.owners
  const owners = [kind === "reverted" ? LASTING_OWNERS + position : first, ...others]
  // Another replica runs in any case, and sees it.
  return reorganised({ ...found, owners, unseen: false })
})

const faulty = (fault: RpcFault) =>
  among(SIDES, (side, { around }) =>
    Effect.map(longerThanAnswers, (time) => faultyNode({ fault, side, millis: time }, around.chainIds[side]))
  )

const poisoned = (queue: PoisonedRows.Queue) => always(() => Effect.succeed(PoisonedRows.poisonedRow(queue)))

/** The kinds of steps, by the names that `--only` takes. */
export const KINDS = {
  kill: always(() =>
    Effect.flatMap(Kills.plan(1, LASTING_OWNERS), ([round]) =>
      round === undefined ? Effect.die(new Error("a plan has rounds")) : Effect.succeed(killed(round))
    )
  ),
  reorg: among(Fork.KINDS, (kind, { position }) => reorg(kind, position)),
  "silent chain": silentChain(longerThanAnswers),
  "stale chain": silentChain(Effect.succeed(LONG_MILLIS)),
  "silent database": among(["process", "one replica"] as const, (how) =>
    Effect.map(longerThanAnswers, (time) => DatabaseFaults.silentDatabase({ how, millis: time }))
  ),
  "read-only database": always(() => Effect.map(millis, DatabaseFaults.readOnlyDatabase)),
  "full disk": always(() => Effect.map(millis, DatabaseFaults.fullDisk)),
  "429": faulty("429"),
  "5xx": faulty("5xx"),
  "cut answers": faulty("cut answers"),
  "wrong ids": faulty("wrong ids"),
  "slow answers": faulty("slow answers"),
  "node behind": faulty("node behind"),
  "node on a fork": faulty("node on a fork"),
  "blocked batch": always(() => Effect.succeed(blockedBatch)),
  "lagging logs": among(SIDES, (side) =>
    Effect.map(Random.nextIntBetween(1, MOST_LAG), (blocks) => ChainFaults.laggingLogs({ side, blocks }))
  ),
  "skewed clocks": among([SKEW_SECONDS, -SKEW_SECONDS], (seconds) =>
    Effect.map(millis, (time) => skewedClocks({ seconds, millis: time }))
  ),
  "poisoned outbox message": poisoned("outbox message"),
  "poisoned intent": poisoned("intent"),
  "poisoned relay transaction": poisoned("relay transaction"),
  "poisoned webhook delivery": poisoned("webhook delivery"),
  "unfillable deposits": always(() => Effect.sync(() => unfillableDeposits(UNFILLABLE))),
  wallets: among(["kill", ...SIDES] as const, (fault, { around }) => Effect.succeed(wallets(fault, around.chainIds))),
  "payout changed": among(["opened", "recorded", "broadcast", "mined"] as const, (moment) =>
    Effect.succeed(PayoutFaults.changedPayout(moment))
  ),
  "payout reorganised": among(PayoutFaults.MOMENTS, (moment) => Effect.succeed(PayoutFaults.reorganisedPayout(moment)))
} satisfies Readonly<Record<string, Choice>>

export type Kind = keyof typeof KINDS

export const ALL_KINDS = Object.keys(KINDS) as ReadonlyArray<Kind>

/** Number of each kind in a deck. Default: 1. */
const COPIES: Partial<Record<Kind, number>> = { kill: 3, reorg: 2, "silent chain": 2, "lagging logs": 2 }

/** Number of owners that so many steps may drain or sweep for, besides those of the traffic. */
export const ownersFor = (count: number): number => LASTING_OWNERS + count

/** The steps of a run. The same seed chooses the same steps. */
export const plan = Effect.fnUntraced(function* (count: number, only: ReadonlyArray<Kind>, around: Surroundings) {
  const random = yield* Random.Random
  const next = () => random.nextDoubleUnsafe()
  const kinds = deal(
    only.map((kind) => ({ value: kind, copies: COPIES[kind] ?? 1 })),
    count,
    next
  )
  const variants = new Map(
    only.map((kind) => {
      const choice: Choice = KINDS[kind]
      const indices = Array.from({ length: choice.variants }, (_, index) => index)
      return [kind, dealEach(indices, kinds.filter((each) => each === kind).length, next).values()] as const
    })
  )
  return yield* Effect.forEach(kinds, (kind, position) => {
    const choice: Choice = KINDS[kind]
    return Effect.map(choice.choose(variants.get(kind)?.next().value ?? 0, { around, position }), (step) => ({
      kind,
      step
    }))
  })
})

export type Planned = Effect.Success<ReturnType<typeof plan>>[number]
