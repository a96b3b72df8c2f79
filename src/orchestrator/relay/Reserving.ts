/**
 * Reserves exposure before sweeps are signed, all of a claim at once: that of sweeps with unlisted tokens, that of owners' first
 * sweeps, also those that pay an account with code, and that of an owner's sweeps beyond its credit. Other sweeps of listed tokens reserve only what `RelayTransactions.allocate`
 * stores for their transaction: the lane and the chain.
 */
import { Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Chain } from "../../domain/Chain.ts"
import { batchClass, type Denied, worstCase } from "../../domain/Exposure.ts"
import { claimOf } from "../../domain/ExposureClaims.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import { paysOthers } from "../../domain/Listing.ts"
import { covered, paidFor } from "../../domain/OwnerCredit.ts"
import { batchGasLimit } from "../../domain/RelayGas.ts"
import { grouped } from "../../domain/SweepGroups.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as Content from "./Content.ts"
import * as OwnerCredits from "./OwnerCredits.ts"
import * as Postponement from "./Postponement.ts"
import { type Candidate, type Conditions, type Later, later, ownerOf, placeOf, type Ready } from "./Prepared.ts"

/** Wei that a sweep reserves at these fees. No version of its transaction may have higher fees than the sweep's ceiling. */
export const weiOf = (fees: Pick<GasFees, "maxFeePerGas">, candidate: Candidate): bigint => {
  const gas = batchGasLimit([Content.gasOf(candidate)])
  const { dataFee, prices } = candidate
  const worst = worstCase({ gas, maxFeePerGas: fees.maxFeePerGas, dataFee })
  const most = gas * prices.ceiling + dataFee
  return most < worst ? most : worst
}

/** Wei that the sweep's network fee covers. */
const valueOf = (fees: Pick<GasFees, "maxFeePerGas">, candidate: Candidate): bigint =>
  candidate.intent.cover?.value ?? weiOf(fees, candidate)

/** Sweeps of one owner, what their network fees cover in wei, and the owner's credit. */
interface Credited {
  readonly sweeps: ReadonlyArray<Ready>
  readonly values: ReadonlyArray<bigint>
  readonly credit: bigint
}

/**
 * The sweeps as the credit decides: those beyond it reserve `pots`, and accounts of sweeps that the owner has not paid for are checked.
 * `place`: place of a sweep beyond the credit, from 0 on, and negative within it.
 */
const judged = (chain: Chain, { credit, sweeps, values }: Credited, pots: Ready["pots"]) => {
  const mayRise = !sweeps.slice(0, 1).some(({ intent }) => paysOthers(chain, intent.order))
  const [free, paid] = [covered(credit, values, mayRise), paidFor(credit, values)]
  return sweeps.map((each, index) => ({
    each: { ...each, pots: index < free ? [] : pots, isChecked: index >= paid && Content.isCheckable(chain, each) },
    place: index - free
  }))
}

/** The sweeps that a budget has no room for. */
const deniedAmong = (ready: ReadonlyArray<Ready>, denied: ReadonlyMap<string, Denied>): ReadonlyArray<Later> =>
  ready.flatMap(({ intent }) => {
    const lack = denied.get(intent.id)
    return lack === undefined
      ? []
      : [later(intent, `the budget of ${lack.spent} has no room for it`, ExposureDesk.pauseOf(lack))]
  })

/** Withdraws the claims of sweeps that are not sent. */
const releasing = (desk: Effect.Success<typeof ExposureDesk.make>) => (sweeps: ReadonlyArray<Ready>) =>
  Effect.forEach(
    Map.groupBy(sweeps, ({ reservedBy }) => reservedBy),
    ([claim, some]) => {
      const ids = some.map(({ intent }) => intent.id)
      return claim === undefined ? Effect.void : Effect.ignore(desk.release(ids, claim))
    },
    { discard: true }
  )

/**
 * Makes `isListed(client, ready)`, `use(client, conditions, ready, send)`, which postpones the sweeps that a budget has no room for
 * and passes the others to `send`, and `releaseUnsent(sweeps)`, which ends the reservations of those that no transaction carries. Each call of
 * `use` is a claim of its own, and a sweep that another claim has reserved, too, keeps its reservation: its worker may be about to
 * send it.
 */
export const make = Effect.gen(function* () {
  const creditsOf = yield* OwnerCredits.make
  const desk = yield* ExposureDesk.make
  const { putOff } = yield* Postponement.make
  const random = yield* SecureRandom.SecureRandom

  const isListed = ({ chain }: ChainClient, { intent }: Ready): boolean => desk.isListed(chain, intent)

  /** Classes of a first sweep that is unlisted only because of the account that it pays. Others reserve none beside their own. */
  const potsOf = ({ chain }: ChainClient, { intent: { order }, pots }: Ready): Ready["pots"] =>
    desk.isListed(chain, { order }) ? pots : []

  /**
   * The sweeps, those beyond their owner's credit with the class of batches. These come last, by their place beyond the credit, so that
   * the pot has room for one of each owner before it has for a second one. The accounts of sweeps that their owner has not paid for are
   * checked.
   */
  const withBatches = Effect.fnUntraced(function* (
    client: ChainClient,
    { fees }: Pick<Conditions, "fees">,
    ready: ReadonlyArray<Ready>
  ) {
    const { chain } = client
    const { listedHour } = yield* desk.budgetsOn(chain)
    // 0: the operator has set no budget.
    const pots = listedHour === 0n ? [] : [batchClass(chain.id)]
    const unreserved = ready.filter((each) => isListed(client, each) && each.pots.length === 0)
    const groups = grouped(unreserved, placeOf).map((sweeps) => ({
      sweeps,
      owner: ownerOf(sweeps),
      values: sweeps.map((each) => valueOf(fees, each))
    }))
    const needed = new Map(groups.map(({ owner, values }) => [owner, values.reduce((sum, wei) => sum + wei, 0n)]))
    const credits = yield* creditsOf(chain, needed)
    const decided = groups.flatMap(({ owner, sweeps, values }) =>
      judged(chain, { sweeps, values, credit: credits.get(owner) ?? 0n }, pots)
    )
    const within = new Map(decided.flatMap(({ each, place }) => (place < 0 ? [[each.intent.id, each]] : [])))
    const beyond = decided.filter(({ place }) => place >= 0).toSorted((a, b) => a.place - b.place)
    const kept = ready.flatMap((each) => {
      if (unreserved.includes(each)) return within.get(each.intent.id) ?? []
      return { ...each, isChecked: each.pots.length > 0 && Content.isCheckable(chain, each) }
    })
    return [...kept, ...beyond.map(({ each }) => each)]
  })

  /**
   * If `send` succeeds, it has sent each sweep or ended its reservation. If it fails or is interrupted, the claim withdraws from all of them,
   * also from those that were never tried. An unfinished transaction keeps the reservations of its sweeps.
   */
  const use = Effect.fnUntraced(function* <A, E, R>(
    client: ChainClient,
    conditions: Conditions,
    prepared: ReadonlyArray<Ready>,
    send: (free: ReadonlyArray<Ready>) => Effect.Effect<A, E, R>
  ) {
    const { chain } = client
    const ready = yield* withBatches(client, conditions, prepared)
    const { listed = [], others = [] } = Object.groupBy(ready, (each) => (isListed(client, each) ? "listed" : "others"))
    const needed = [
      ...others.map((each) => ({
        intentId: each.intent.id,
        classes: [...desk.classes(chain, each.intent, conditions.lane), ...potsOf(client, each)],
        wei: weiOf(conditions.fees, each)
      })),
      ...listed.flatMap((each) =>
        each.pots.length === 0
          ? []
          : [{ intentId: each.intent.id, classes: each.pots, wei: weiOf(conditions.fees, each) }]
      )
    ]
    const claim = claimOf(yield* Clock.currentTimeMillis, yield* random.uuidV4())
    const ids = needed.map(({ intentId }) => intentId)
    const used = Effect.gen(function* () {
      const denied = yield* desk.reserve(chain, needed, claim)
      yield* putOff(client, deniedAmong(ready, denied))
      const free = ready.flatMap((each) => {
        if (denied.has(each.intent.id)) return []
        return [ids.includes(each.intent.id) ? { ...each, reservedBy: claim } : each]
      })
      return yield* send(free)
    })
    // A database that answers late may have reserved them.
    return yield* Effect.onError(used, () => Effect.ignore(desk.release(ids, claim)))
  })

  return { isListed, use, releaseUnsent: releasing(desk) }
})

export type Reserving = Effect.Success<typeof make>
