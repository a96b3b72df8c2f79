/**
 * Packs ready sweeps into transactions and sends them. If nodes refuse a batch because of an owner, smaller batches are offered
 * for the same nonce until the owner is found and all others are sent.
 */
import { Effect, Exit } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Bounds, compose } from "../../domain/BatchComposition.ts"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import { hasSlot } from "../../domain/LaneSlots.ts"
import { batchRoom, TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
import * as SweepGroups from "../../domain/SweepGroups.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { intentFields } from "../shared/LogFields.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Content from "./Content.ts"
import { LaneLoads } from "./LaneLoads.ts"
import * as Lanes from "./Lanes.ts"
import * as NonceUse from "./NonceUse.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import * as Postponement from "./Postponement.ts"
import { authorizationOf, intentsOf, ownerOf, placeOf, type Ready } from "./Prepared.ts"
import * as Reserving from "./Reserving.ts"
import * as Trial from "./Trial.ts"

/** Calldata of a batch's items, in bytes. Nodes accept transactions of up to 128 KB; signatures, addresses and padding need the rest. */
const CALLDATA_BYTES = 64_000

/** A batch uses at most 1/2 of a block's gas limit. A larger one waits longer, since it fits only into emptier blocks. */
const BLOCK_SHARE = 2n

/** Batches that one search offers to the nodes. It postpones the rest, so that it ends within its lease. */
const OFFERS = 40

/**
 * Makes `parcels`, which packs sweeps into transactions. Sweeps that run unlisted code have transactions of their own, so that it
 * cannot harm listed ones, and so have those of each generation of the contracts. All sweeps of an account stay together. Those
 * for which its transaction has no room are postponed until it has ended.
 */
const makeParcels = Effect.fnUntraced(function* (exposure: Effect.Success<typeof Reserving.make>) {
  const loads = yield* LaneLoads
  const { postpone } = yield* Postponement.make
  const settings = yield* OrchestratorSettings

  const boundsOf = (
    { chain }: ChainClient,
    { fees, head, lane, laneBalance, laneNonce }: NonceUse.Conditions
  ): Bounds => {
    const { reserved } = loads.of(chain.id, { address: lane, nonce: laneNonce })
    // Half of what the lane can pay for beside its pending transactions, since others may send from it at the same time.
    const affordable = (laneBalance - reserved) / (2n * fees.maxFeePerGas)
    const total = [head.gasLimit / BLOCK_SHARE, TRANSACTION_GAS_CAP, affordable].reduce((a, b) => (a < b ? a : b))
    return { items: settings.relayer.batch, gas: batchRoom(total), bytes: CALLDATA_BYTES }
  }

  return Effect.fn("Relay.parcels")(function* (
    client: ChainClient,
    conditions: NonceUse.Conditions,
    free: ReadonlyArray<Ready>
  ) {
    const bounds = boundsOf(client, conditions)
    const isListed = (group: SweepGroups.Group<Ready>) => group.every((each) => exposure.isListed(client, each))
    const groups = SweepGroups.grouped(free, placeOf)
    const entryOf = ([first]: SweepGroups.Group<Ready>) => Content.entryOf(client.chain, first)
    const packed = [groups.filter(isListed), groups.filter((group) => !isListed(group))]
      .flatMap((each) => [...Map.groupBy(each, entryOf).values()])
      .map((each) => compose(each.flatMap(measured), bounds))
    const left = packed.flatMap((each) => each.left.map(({ sweep }) => sweep))
    yield* postpone(left.map(({ intent }) => intent.id))
    yield* exposure.releaseUnsent(left)
    return packed.flatMap(({ batches }) => batches.map((batch) => batch.map(unmeasured)))
  })
})

/**
 * Makes `confirmed(client, lane, parcels)`, which leaves out and postpones listed sweeps that would fail in the order of the parcels. They
 * settled in their rehearsal behind a sweep that is not sent, or that is sent after them.
 */
const makeConfirmed = Effect.fnUntraced(function* (exposure: Effect.Success<typeof Reserving.make>) {
  const { postpone } = yield* Postponement.make

  return Effect.fn("Relay.confirmed")(function* (
    client: ChainClient,
    lane: Address.Address,
    parcels: ReadonlyArray<NonceUse.Parcel>
  ) {
    const failing = yield* Trial.failingIn(client, lane, parcels.flat(2))
    for (const { intent } of failing) {
      yield* Effect.logWarning("sweep.postponed").pipe(
        Effect.annotateLogs({
          ...intentFields(client, intent),
          detail: "it does not settle in the order in which it would be sent"
        })
      )
    }
    yield* postpone(failing.map(({ intent }) => intent.id))
    yield* exposure.releaseUnsent(failing)
    return parcels.flatMap((parcel) => {
      const kept = parcel.flatMap((group): NonceUse.Parcel => {
        const [first, ...rest] = group.filter((each) => !failing.includes(each))
        return first === undefined ? [] : [[first, ...rest]]
      })
      return kept.length === 0 ? [] : [kept]
    })
  })
})

/**
 * Makes `dispatch`, which reserves the exposure of ready sweeps, packs those that the budgets allow, and gives each parcel to a function,
 * one after the other. That function calls `send`, which sends a parcel.
 */
export const make = Effect.gen(function* () {
  const blocks = yield* OwnerBlocks
  const exposure = yield* Reserving.make
  const confirmed = yield* makeConfirmed(exposure)
  const { postpone } = yield* Postponement.make
  const parcels = yield* makeParcels(exposure)
  const renewShortages = yield* Lanes.makeRenewShortages
  const useNonce = yield* NonceUse.make

  /** The owners whom nodes refused before are tried last, and those without an authorization first. */
  const suspicionOn =
    (client: ChainClient) =>
    (group: SweepGroups.Group<Ready>): number => {
      if (blocks.isKnown(client, ownerOf(group))) return 2
      return authorizationOf(group) === undefined ? 0 : 1
    }

  /** True if each owner is one because of whom a self-send was paid a short time ago. */
  const isBlocked = Effect.fnUntraced(function* (client: ChainClient, parcel: NonceUse.Parcel) {
    const free = yield* Effect.filter(parcel, (group) => blocks.mayGoAlone(client, ownerOf(group)))
    return free.length === 0
  })

  /** Returns the number of sweeps that it sent. Those of owners who block the batch are postponed. */
  const send = Effect.fn("Relay.send")(
    function* (client: ChainClient, conditions: NonceUse.Conditions, parcel: NonceUse.Parcel) {
      if (yield* isBlocked(client, parcel)) {
        yield* postpone(NonceUse.idsOf(parcel))
        return 0
      }
      let search = BatchSearch.start(parcel, suspicionOn(client))
      let sent = 0
      let offers = 0
      while (true) {
        const used = yield* useNonce(client, conditions, search, OFFERS - offers)
        yield* renewShortages(client.chain, { lane: conditions.lane, wei: used.reserve })
        for (const group of used.search.found.slice(search.found.length)) {
          yield* blocks.note(client, intentsOf(group), used.detail, used.sent === 0)
        }
        search = used.search
        sent += used.sent
        offers += used.offers
        const left = BatchSearch.remaining(search)
        if (left.length === 0 || used.isHeld) return sent
        if (!hasSlot(used.nonce + 1n, conditions.laneNonce) || offers >= OFFERS) {
          yield* postpone(NonceUse.idsOf(left))
          return sent
        }
      }
    },
    (effect, _client, _conditions, parcel) =>
      Effect.onExit(effect, (exit) =>
        Exit.isSuccess(exit) && exit.value === parcel.flat().length
          ? Effect.void
          : exposure.releaseUnsent(parcel.flat())
      )
  )

  /** Returns what `sendOne` returns for each parcel. */
  const dispatch = <E>(
    client: ChainClient,
    conditions: NonceUse.Conditions,
    ready: ReadonlyArray<Ready>,
    sendOne: (parcel: NonceUse.Parcel) => Effect.Effect<number, E>
  ) =>
    exposure.reserving(client, conditions, ready, (free) =>
      parcels(client, conditions, free).pipe(
        Effect.flatMap((all) => confirmed(client, conditions.lane, all)),
        Effect.flatMap((all) => Effect.forEach(all, sendOne))
      )
    )

  return { dispatch, send }
})

type Measured = ReturnType<typeof Content.sizesOf<Ready>>[number]

const measured = (group: SweepGroups.Group<Ready>): ReadonlyArray<SweepGroups.Group<Measured>> => {
  const [first, ...rest] = Content.sizesOf(group)
  return first === undefined ? [] : [[first, ...rest]]
}

const unmeasured = ([first, ...rest]: SweepGroups.Group<Measured>): SweepGroups.Group<Ready> => [
  first.sweep,
  ...rest.map(({ sweep }) => sweep)
]
