/**
 * Packs ready sweeps into transactions and sends them. If nodes refuse a batch because of an owner, smaller batches are offered
 * for the same nonce until the owner is found and all others are sent.
 */
import { Clock, Effect, Exit } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { type Bounds, compose } from "../../domain/BatchComposition.ts"
import * as BatchSearch from "../../domain/BatchSearch.ts"
import { hasSlot } from "../../domain/LaneSlots.ts"
import { batchGasLimit, batchRoom, TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
import * as SweepGroups from "../../domain/SweepGroups.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Content from "./Content.ts"
import { LaneLoads } from "./LaneLoads.ts"
import * as LaneShortages from "./LaneShortages.ts"
import * as NonceUse from "./NonceUse.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import * as OrderCheck from "./OrderCheck.ts"
import * as Postponement from "./Postponement.ts"
import {
  type Conditions,
  idsOf,
  intentsOf,
  type Later,
  later,
  OUT_OF_ORDER,
  ownerOf,
  type Parcel,
  placeOf,
  type Ready
} from "./Prepared.ts"
import * as Reserving from "./Reserving.ts"

/** Calldata of a batch's items, in bytes. Nodes accept transactions of up to 128 KB; signatures, addresses and padding need the rest. */
const CALLDATA_BYTES = 64_000

/** A batch uses at most 1/2 of a block's gas limit. A larger one waits longer, since it fits only into emptier blocks. */
const BLOCK_SHARE = 2n

/** Maximum time from the beginning of a search to its last offer, in milliseconds. Slow nodes could otherwise prolong it beyond its lease. */
const OFFER_MILLIS = 15_000

/**
 * Makes `parcels`, which packs sweeps into transactions. Sweeps that run unlisted code have transactions of their own, so that it
 * cannot harm listed ones, and so have those of each generation of the contracts. All sweeps of an account stay together. Those
 * for which its transaction has no room are postponed until it has ended.
 */
const makeParcels = Effect.fnUntraced(function* (reserving: Reserving.Reserving) {
  const loads = yield* LaneLoads
  const { postpone } = yield* Postponement.make
  const settings = yield* OrchestratorSettings

  const boundsOf = (
    { chain }: ChainClient,
    { fees, head, lane, laneBalance, laneNonce }: Conditions,
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
    conditions: Conditions,
    free: ReadonlyArray<Ready>
  ) {
    const bounds = boundsOf(client, conditions, free)
    const isListed = (group: SweepGroups.Group<Ready>) => group.every((each) => reserving.isListed(client, each))
    const groups = SweepGroups.grouped(free, placeOf)
    const entryOf = ([first]: SweepGroups.Group<Ready>) => Content.entryOf(client.chain, first)
    const packed = [groups.filter(isListed), groups.filter((group) => !isListed(group))]
      .flatMap((each) => [...Map.groupBy(each, entryOf).values()])
      .map((each) => compose(each.flatMap(measured), bounds))
    const left = packed.flatMap((each) => each.left.map(({ sweep }) => sweep))
    yield* postpone(left.map(({ intent }) => intent.id))
    yield* reserving.releaseUnsent(left)
    return packed.flatMap(({ batches }) => batches.map((batch) => batch.map(unmeasured)))
  })
})

/**
 * Makes `send(client, conditions, parcel, before)`, which sends a parcel and adds what it sends to `before`, the sweeps that were sent
 * before it. It adds them also if it fails later.
 */
const makeSend = Effect.fnUntraced(function* (reserving: Reserving.Reserving) {
  const blocks = yield* OwnerBlocks
  const { postpone, putOff } = yield* Postponement.make
  const renewShortages = yield* LaneShortages.makeRenew
  const useNonce = yield* NonceUse.make

  /** True if each owner is one because of whom a self-send was paid a short time ago. */
  const isBlocked = Effect.fnUntraced(function* (client: ChainClient, parcel: Parcel) {
    const free = yield* Effect.filter(parcel, (group) => blocks.mayGoAlone(client, ownerOf(group)))
    return free.length === 0
  })

  /** Returns the number of sweeps that it sent. Those of owners who block the batch are postponed. */
  return Effect.fn("Relay.send")(
    function* (client: ChainClient, conditions: Conditions, parcel: Parcel, before: Array<Ready>) {
      if (yield* isBlocked(client, parcel)) {
        yield* postpone(idsOf(parcel))
        return 0
      }
      let search = BatchSearch.start(parcel, (group) => blocks.suspicion(client, group))
      const members: Array<SweepGroups.Group<Ready>> = []
      let sent = 0
      let offers = 0
      const earlier = [...before]
      const startedMs = yield* Clock.currentTimeMillis
      const mayOffer = (more: number) =>
        Effect.map(
          Clock.currentTimeMillis,
          (now) => offers + more < BatchSearch.OFFERS && ageOf(now, startedMs) < OFFER_MILLIS
        )
      while (true) {
        const plan = { earlier, parcel, sent: members }
        const chosen = yield* NonceUse.choose(client, conditions.lane, plan, search)
        yield* putOff(client, outOfOrder(chosen.left))
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
        if (!used.isHeld) yield* putOff(client, outOfOrder(used.left))
        const left = BatchSearch.remaining(search)
        if (left.length === 0 || used.isHeld) return sent
        if (!hasSlot(used.nonce + 1n, conditions.laneNonce) || !(yield* mayOffer(0))) {
          yield* postpone(idsOf(left))
          return sent
        }
      }
    },
    (effect, _client, _conditions, parcel) =>
      Effect.onExit(effect, (exit) =>
        Exit.isSuccess(exit) && exit.value === parcel.flat().length
          ? Effect.void
          : reserving.releaseUnsent(parcel.flat())
      )
  )
})

/** Sweeps that settle only behind one that is not sent. */
const outOfOrder = (left: Parcel): ReadonlyArray<Later> => left.flat().map(({ intent }) => later(intent, OUT_OF_ORDER))

/** Makes `sendOne`, which is `send` with an alert for a lane that cannot sign. It postpones the sweeps of a parcel that cannot be stored. */
const makeSendOne = Effect.fnUntraced(function* (reserving: Reserving.Reserving) {
  const alerts = yield* StandingAlerts
  const { postpone } = yield* Postponement.make
  const send = yield* makeSend(reserving)

  return Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: Conditions,
    parcel: Parcel,
    before: Array<Ready>
  ) {
    const { chain } = client
    const { lane } = conditions
    const postponed = Effect.as(postpone(idsOf(parcel)), 0)
    return yield* send(client, conditions, parcel, before).pipe(
      Effect.tap(alerts.clear(LaneAlerts.signingKey(chain.id, lane))),
      Effect.catchTags({
        SigningFailed: ({ detail }) =>
          Effect.andThen(alerts.raise(LaneAlerts.cannotSignBatch(chain, lane, detail)), postponed),
        // Another worker sent some of them after this one's lease had ended. The others are free again.
        IntentTaken: () => postponed,
        // The operator has drained the lane meanwhile. Another lane takes them.
        LaneClosed: () => postponed,
        // Other processes, or other batches of this one, have used its last slots or its balance meanwhile.
        LaneFull: () => postponed
      })
    )
  })
})

/**
 * Makes `dispatch(client, conditions, ready)`, which reserves the exposure of ready sweeps, packs those that the budgets allow, and sends
 * the parcels one after the other. One whose sweeps were rehearsed behind those of a parcel that was not sent whole is simulated again
 * behind the sweeps that were sent. Returns the number of sweeps that it sent.
 */
export const make = Effect.gen(function* () {
  const reserving = yield* Reserving.make
  const parcels = yield* makeParcels(reserving)
  const sendOne = yield* makeSendOne(reserving)
  const settlingInOrder = yield* OrderCheck.make(reserving)

  const sendAll = Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: Conditions,
    all: ReadonlyArray<Parcel>
  ) {
    const broken = new Set<Ready["sequence"]>()
    const sent: Array<Ready> = []
    const missing: Array<Ready> = []
    let total = 0
    for (const planned of all) {
      const sweeps = planned.flat()
      const isBroken = sweeps.some(({ sequence }) => broken.has(sequence))
      const [parcel] = isBroken
        ? yield* settlingInOrder(client, conditions.lane, [planned], { sent, missing })
        : [planned]
      const count = parcel === undefined ? 0 : yield* sendOne(client, conditions, parcel, sent)
      if (count < sweeps.length) for (const { sequence } of sweeps) broken.add(sequence)
      missing.push(...sweeps.filter((each) => !sent.includes(each)))
      total += count
    }
    return total
  })

  return (client: ChainClient, conditions: Conditions, ready: ReadonlyArray<Ready>) =>
    reserving.use(client, conditions, ready, (free) =>
      parcels(client, conditions, free).pipe(
        Effect.flatMap((all) => settlingInOrder(client, conditions.lane, all)),
        Effect.flatMap((all) => sendAll(client, conditions, all))
      )
    )
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
