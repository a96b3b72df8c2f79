/** Owners whose accounts are delegated to code that burns all gas, once their sweeps are sent. */
import { Effect } from "effect"
import { type Hex, parseEther, type PrivateKeyAccount } from "viem"
import type { Kind } from "../../src/domain/Exposure.ts"
import * as Budgets from "./Budgets.ts"
import type { Attack, Fight } from "./Fight.ts"
import type { Priced } from "./Money.ts"
import { SPOILED } from "./Reach.ts"

/** Whole units of a token that an owner sweeps. */
type Held = readonly [token: Priced, whole: bigint]

/** Tokens of an owner who sweeps once. */
const ONE: readonly [Held] = [["DAI", 60n]]

/** Tokens of an owner who signs for many at once, so that one call of the account has much gas. */
const FIVE: ReadonlyArray<Held> = [
  ["DAI", 60n],
  ["USDT", 60n],
  ["BLK", 60n],
  ["WETH", 1n],
  ["WBTC", 1n]
]

/** Time of a play without an attack, beside which honest sweeps go on. */
const REST = "5 seconds"

/** Deploys code that is one invalid instruction, which uses up all the gas that it is given. */
const BURNER: Hex = "0x60fe60005360016000f3"

/** Delegates the accounts by a transaction of the purse, so that their owners need no native currency. Returns its hash. */
const delegated = (
  { place, purse }: Fight,
  owners: ReadonlyArray<PrivateKeyAccount>,
  address: Hex,
  tip: bigint
): Effect.Effect<Hex, unknown> =>
  place.dev.node.ask("delegate", async (node) => {
    const chainId = place.dev.chain.id
    const authorizations = await Promise.all(
      owners.map(async (owner) =>
        owner.signAuthorization({ address, chainId, nonce: await node.getTransactionCount({ address: owner.address }) })
      )
    )
    return purse.authorize(authorizations, tip)
  })

/** Outcome of an attack. */
export interface Course {
  /** Owners whose accounts were delegated to the burner when a transaction with their sweeps was sent. */
  readonly redelegated: number
  /** Sweeps that failed at the relayer's cost. */
  readonly burned: number
  /** True if the budget that limits the attack has counted a loss. */
  readonly isBooked: boolean
}

/** Findings about an attack that has not attacked, since one that does nothing passes every other bar. */
export const unplayed = ({ burned, isBooked, redelegated }: Course): ReadonlyArray<string> => [
  ...(redelegated === 0 ? ["no account was delegated ahead of its transaction"] : []),
  ...(burned === 0 ? ["no sweep failed at the relayer's cost"] : []),
  ...(isBooked ? [] : ["the budget that limits it counted no loss"])
]

/** True if sweeps of this kind have lost since the attack began. */
const hasLost = ({ world: { sql } }: Fight, kind: Kind) =>
  Effect.map(
    sql`SELECT FROM orchestrator.exposure_sums WHERE class LIKE ${`listed:${kind}:%`} AND lost > 0 LIMIT 1`,
    (rows) => rows.length > 0
  )

/** Sweeps all tokens of owners, and delegates their accounts to the burner ahead of the lane. */
const burned = Effect.fnUntraced(function* (
  fight: Fight,
  owners: ReadonlyArray<PrivateKeyAccount>,
  held: ReadonlyArray<Held>,
  burner: Hex
) {
  for (const [token, whole] of held) yield* fight.purse.endow(owners, { native: 0n, token, whole })
  const done = new Set<Hex>()
  yield* fight.aheadOfSends((tip, raw) => {
    const carried = owners.filter(({ address }) => !done.has(address) && raw.includes(address.slice(2).toLowerCase()))
    return carried.length === 0
      ? undefined
      : Effect.tap(delegated(fight, carried, burner, tip), () =>
          Effect.sync(() => {
            for (const { address } of carried) done.add(address)
          })
        )
  })
  yield* fight.sweepAll(
    owners,
    held.map(([token]) => token)
  )
  yield* fight.concluded
  return done.size
})

interface BurnerAttack extends Pick<Attack, "about" | "budget" | "name" | "settings"> {
  readonly held: ReadonlyArray<Held>
  /** Of the classes whose budget limits it. */
  readonly kind: Kind
  /** Brings the owners into the state in which the attack begins. */
  readonly prepared?: (fight: Fight, owners: ReadonlyArray<PrivateKeyAccount>) => Effect.Effect<void, unknown>
}

const burnerAttack = ({ held, kind, prepared = () => Effect.void, ...attack }: BurnerAttack): Attack => {
  /** Fights that were played. Again, the attack would pay once more for what it may burn. */
  const played = new WeakSet<Fight>()
  return {
    ...attack,
    tokens: "listed",
    expects: SPOILED,
    play: (fight) =>
      Effect.gen(function* () {
        if (played.has(fight)) return yield* Effect.sleep(REST)
        played.add(fight)
        const { contractAddress: burner } = yield* fight.purse.run("deploy a burner", { data: BURNER })
        if (!burner) return yield* Effect.die(new Error("a deployment has an address"))
        const owners = yield* fight.owners(fight.size)
        yield* prepared(fight, owners)
        const redelegated = yield* burned(fight, owners, held, burner)
        const { burned: failed } = yield* fight.ended
        fight.findings.push(...unplayed({ redelegated, burned: failed, isBooked: yield* hasLost(fight, kind) }))
      }).pipe(Effect.scoped)
  }
}

export const burnedFirst = burnerAttack({
  name: "delegated-to-burner-first",
  budget: Budgets.LISTED,
  about:
    "New owners sign for one token each. Ahead of the lane, their accounts are delegated to code that burns all gas.",
  held: ONE,
  kind: "first"
})

export const burnedBatch = burnerAttack({
  name: "delegated-to-burner",
  budget: Budgets.LISTED,
  about:
    "Owners whose accounts run the delegate already sign for five tokens each. Ahead of the lane, their accounts are delegated to code that burns all gas.",
  held: FIVE,
  kind: "first",
  prepared: (fight, owners) =>
    Effect.gen(function* () {
      const { dev } = fight.place
      const hash = yield* delegated(fight, owners, dev.chain.contracts.delegate, 1n)
      yield* dev.node.ask("delegate", (node) => node.waitForTransactionReceipt({ hash }))
    })
})

/** Loss in an hour that the operator accepts while owners burn what they paid, in wei. */
const LOSS_BUDGET = parseEther("0.005")

/** The same, and what the sweep of each of eight owners has paid, in wei. */
const WITH_PAID = parseEther("0.012")

export const burnedBatchOfKnown = burnerAttack({
  name: "delegated-to-burner-later",
  budget: WITH_PAID,
  settings: () => Effect.succeed({ LOSS_BUDGET_WEI: String(LOSS_BUDGET) }),
  about:
    "Owners pay for one sweep that settles, and then sign for five tokens each. Ahead of the lane, their accounts are delegated to code that burns all gas.",
  held: FIVE,
  kind: "batch",
  prepared: (fight, owners) =>
    Effect.gen(function* () {
      const [[token, whole]] = ONE
      yield* fight.purse.endow(owners, { native: 0n, token, whole })
      yield* fight.sweepAll(owners, [token])
      yield* fight.settled
      const { settled } = yield* fight.ended
      if (settled === 0) fight.findings.push("no first sweep settled")
    })
})
