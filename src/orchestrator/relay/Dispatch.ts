/**
 * Packs ready sweeps into transactions and sends them. If nodes refuse a batch because of an owner, smaller batches are offered
 * for the same nonce until the owner is found and all others are sent.
 */
import { Clock, Effect, Exit } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type * as Address from "../../domain/Address.ts"
import { type Bounds, compose } from "../../domain/BatchComposition.ts"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import { hasSlot } from "../../domain/LaneSlots.ts"
import { batchGasLimit, batchRoom, TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
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

/** Maximum time from the beginning of a search to its last offer, in milliseconds. Slow nodes could otherwise prolong it beyond its lease. */
const OFFER_MILLIS = 15_000

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
    { fees, head, lane, laneBalance, laneNonce }: NonceUse.Conditions,
    free: ReadonlyArray<Ready>
  ): Bounds => {
    const { reserved } = loads.of(chain.id, { address: lane, nonce: laneNonce })
    // Half of what the lane can pay for beside its pending transactions, since others may send from it at the same time.
    const affordable = (laneBalance - reserved) / (2n * fees.maxFeePerGas)
    // One endpoint tells the block's gas limit. A false one does not divide what the largest sweep alone may use.
    const share = [head.gasLimit / BLOCK_SHARE, ...free.map((each) => batchGasLimit([Content.gasOf(each)]))].reduce(
      (a, b) => (a > b ? a : b)
    )
    const total = [share, TRANSACTION_GAS_CAP, affordable].reduce((a, b) => (a < b ? a : b))
    return { items: settings.relayer.batch, gas: batchRoom(total), bytes: CALLDATA_BYTES }
  }

  return Effect.fn("Relay.parcels")(function* (
    client: ChainClient,
    conditions: NonceUse.Conditions,
    free: ReadonlyArray<Ready>
  ) {
    const bounds = boundsOf(client, conditions, free)
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

const logged = (client: ChainClient, sweeps: ReadonlyArray<Ready>) =>
  Effect.forEach(
    sweeps,
    ({ intent }) =>
      Effect.logWarning("sweep.postponed").pipe(
        Effect.annotateLogs({
          ...intentFields(client, intent),
          detail: "it does not settle in the order in which it would be sent"
        })
      ),
    { discard: true }
  )

/**
 * Makes `confirmed(client, lane, parcels)`, which leaves out and postpones sweeps that would fail in the order of the parcels. They
 * settled in their rehearsal behind a sweep that is not sent, or that is sent after them, or without one that their transaction carries.
 * It leaves out those, too, of which no node tells it. All of them give up their reservations, which would refuse them at their next
 * claim. `tried`: results of the parcels before a single one. Default: no parcel has been tried.
 */
const makeConfirmed = Effect.fnUntraced(function* (exposure: Effect.Success<typeof Reserving.make>) {
  const { postpone, postponeUnanswered } = yield* Postponement.make

  return Effect.fn("Relay.confirmed")(function* (
    client: ChainClient,
    lane: Address.Address,
    parcels: ReadonlyArray<NonceUse.Parcel>,
    tried?: Tried
  ) {
    const { failing, unanswered } = yield* tried === undefined
      ? Trial.confirm(
          client,
          lane,
          parcels.map((parcel) => parcel.flat())
        )
      : Trial.confirmBehind(client, lane, tried.sent, parcels.flat(2), dependentOn(tried, parcels.flat(2)))
    yield* logged(client, failing)
    yield* postpone(failing.map(({ intent }) => intent.id))
    yield* exposure.releaseUnsent(failing)
    const out = new Set(failing)
    for (const { error, sweeps } of unanswered) {
      const silent = sweeps.filter((each) => !out.has(each))
      for (const each of silent) out.add(each)
      yield* postponeUnanswered(
        client,
        silent.map(({ intent }) => intent.id),
        error
      )
      yield* exposure.releaseUnsent(silent)
    }
    return parcels.flatMap((parcel) => {
      const kept = parcel.flatMap((group): NonceUse.Parcel => {
        const [first, ...rest] = group.filter((each) => !out.has(each))
        return first === undefined ? [] : [[first, ...rest]]
      })
      return kept.length === 0 ? [] : [kept]
    })
  })
})

/**
 * Makes `send(client, conditions, parcel, before)`, which sends a parcel and adds what it sends to `before`, the sweeps that were sent
 * before it. It adds them also if it fails later.
 */
const makeSend = Effect.fnUntraced(function* (exposure: Effect.Success<typeof Reserving.make>) {
  const blocks = yield* OwnerBlocks
  const { postpone } = yield* Postponement.make
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

  const putOff = Effect.fnUntraced(function* (client: ChainClient, left: NonceUse.Parcel) {
    yield* logged(client, left.flat())
    yield* postpone(NonceUse.idsOf(left))
  })

  /** Returns the number of sweeps that it sent. Those of owners who block the batch are postponed. */
  return Effect.fn("Relay.send")(
    function* (client: ChainClient, conditions: NonceUse.Conditions, parcel: NonceUse.Parcel, before: Array<Ready>) {
      if (yield* isBlocked(client, parcel)) {
        yield* postpone(NonceUse.idsOf(parcel))
        return 0
      }
      let search = BatchSearch.start(parcel, suspicionOn(client))
      const members: Array<SweepGroups.Group<Ready>> = []
      let sent = 0
      let offers = 0
      const earlier = [...before]
      const startedMs = yield* Clock.currentTimeMillis
      const mayOffer = (more: number) =>
        Effect.map(Clock.currentTimeMillis, (now) => offers + more < OFFERS && ageOf(now, startedMs) < OFFER_MILLIS)
      while (true) {
        const plan = { earlier, parcel, sent: members }
        const chosen = yield* NonceUse.choose(client, conditions.lane, plan, search)
        yield* putOff(client, chosen.left)
        search = chosen.search
        if (chosen.members.length === 0) return sent
        const used = yield* useNonce(client, conditions, plan, chosen, mayOffer)
        yield* renewShortages(client.chain, { lane: conditions.lane, wei: used.reserve })
        for (const group of used.search.found.slice(search.found.length)) {
          yield* blocks.note(client, intentsOf(group), used.detail, used.sent === 0)
        }
        search = used.search
        members.push(...used.members)
        before.push(...used.members.flat())
        sent += used.sent
        offers += used.offers
        if (!used.isHeld) yield* putOff(client, used.left)
        const left = BatchSearch.remaining(search)
        if (left.length === 0 || used.isHeld) return sent
        if (!hasSlot(used.nonce + 1n, conditions.laneNonce) || !(yield* mayOffer(0))) {
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
})

/**
 * Sends the parcels one after the other. One whose sweeps were rehearsed behind those of a parcel that was not sent whole is simulated
 * again behind the sweeps that were sent.
 */
const sendAll = <E>(
  confirmed: Effect.Success<ReturnType<typeof makeConfirmed>>,
  client: ChainClient,
  lane: Address.Address,
  all: ReadonlyArray<NonceUse.Parcel>,
  sendOne: SendOne<E>
) => {
  const broken = new Set<Ready["sequence"]>()
  const sent: Array<Ready> = []
  const missing: Array<Ready> = []
  return Effect.forEach(
    all,
    Effect.fnUntraced(function* (planned) {
      const isBroken = planned.flat().some(({ sequence }) => broken.has(sequence))
      const [parcel] = isBroken ? yield* confirmed(client, lane, [planned], { sent, missing }) : [planned]
      const count = parcel === undefined ? 0 : yield* sendOne(parcel, sent)
      if (count < planned.flat().length) for (const { sequence } of planned.flat()) broken.add(sequence)
      missing.push(...planned.flat().filter((each) => !sent.includes(each)))
      return count
    })
  )
}

/**
 * Makes `dispatch`, which reserves the exposure of ready sweeps, packs those that the budgets allow, and gives each parcel to a function,
 * one after the other. That function calls `send`, which sends a parcel.
 */
export const make = Effect.gen(function* () {
  const exposure = yield* Reserving.make
  const confirmed = yield* makeConfirmed(exposure)
  const parcels = yield* makeParcels(exposure)
  const send = yield* makeSend(exposure)

  /** Returns what `sendOne` returns for each parcel. */
  const dispatch = <E>(
    client: ChainClient,
    conditions: NonceUse.Conditions,
    ready: ReadonlyArray<Ready>,
    sendOne: SendOne<E>
  ) =>
    exposure.reserving(client, conditions, ready, (free) =>
      parcels(client, conditions, free).pipe(
        Effect.flatMap((all) => confirmed(client, conditions.lane, all)),
        Effect.flatMap((all) => sendAll(confirmed, client, conditions.lane, all, sendOne))
      )
    )

  return { dispatch, send }
})

/** Sweeps of the parcels before one. */
interface Tried {
  readonly sent: ReadonlyArray<Ready>
  readonly missing: ReadonlyArray<Ready>
}

/**
 * Sweeps that only those that were sent may pay. Without results they are sent, too: rehearsed alone while the others are pending, they
 * would fail for good.
 */
const dependentOn = ({ missing, sent }: Tried, sweeps: ReadonlyArray<Ready>): ReadonlySet<Ready> =>
  Trial.fedBy(sent, sweeps).difference(Trial.fedBy(missing, sweeps))

/** Sends a parcel and adds what it sends to `before`. Returns the number of its sweeps that were sent. */
type SendOne<E> = (parcel: NonceUse.Parcel, before: Array<Ready>) => Effect.Effect<number, E>

type Measured = ReturnType<typeof Content.sizesOf<Ready>>[number]

const measured = (group: SweepGroups.Group<Ready>): ReadonlyArray<SweepGroups.Group<Measured>> => {
  const [first, ...rest] = Content.sizesOf(group)
  return first === undefined ? [] : [[first, ...rest]]
}

const unmeasured = ([first, ...rest]: SweepGroups.Group<Measured>): SweepGroups.Group<Ready> => [
  first.sweep,
  ...rest.map(({ sweep }) => sweep)
]
