/** Simulates sweeps again in the order in which they are sent, if that is another than they were rehearsed in. */
import { Effect, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { mixed, PART_GAS, reordered } from "../../domain/RehearsalParts.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { isListed } from "./Alone.ts"
import * as Content from "./Content.ts"
import * as Postponement from "./Postponement.ts"
import { feeds, later, OUT_OF_ORDER, type Parcel, type Ready } from "./Prepared.ts"
import type * as Reserving from "./Reserving.ts"
import * as SharedCalls from "./SharedCalls.ts"

/** Sweeps that were simulated in the order in which they are sent. Those in neither list are sent. */
export interface Confirmation {
  readonly failing: ReadonlyArray<Ready>
  /** Sweeps of which no node has said anything in that order, with the error of each call. */
  readonly unanswered: ReadonlyArray<{ readonly sweeps: ReadonlyArray<Ready>; readonly error: ChainUnavailable }>
}

/** Sweeps in an order, which is new from the index `from` on. Those from `judgedFrom` on are judged. */
interface Order {
  readonly sweeps: ReadonlyArray<Ready>
  readonly from: number
  readonly judgedFrom: number
  /** Sweeps that are not judged, since the call lacks a sweep that may pay them. Default: none. */
  readonly unjudged?: ReadonlySet<Ready>
  /** Sweeps that are sent if the call has no results. Default: none. */
  readonly assumed?: ReadonlySet<Ready>
}

const NONE: ReadonlySet<Ready> = new Set()

/** Simulates sweeps in their order, if one of those that it is new for is listed. */
const checked = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  { assumed = NONE, from, judgedFrom, sweeps, unjudged = NONE }: Order
): Effect.fn.Return<Confirmation> {
  if (!sweeps.slice(from).some((each) => isListed(client, each))) return { failing: [], unanswered: [] }
  const ran = yield* Effect.result(SharedCalls.failing(client, lane, sweeps, judgedFrom))
  if (Result.isSuccess(ran)) return { failing: ran.success.filter((each) => !unjudged.has(each)), unanswered: [] }
  const { failure } = ran
  const unknown = sweeps.slice(from).filter((each) => !unjudged.has(each) && !assumed.has(each))
  return failure.isReverted === true
    ? { failing: unknown, unanswered: [] }
    : { failing: [], unanswered: [{ sweeps: unknown, error: failure }] }
})

const executedGas = (sweeps: ReadonlyArray<Ready>): bigint =>
  sweeps.reduce((sum, each) => sum + Content.executedGasOf(each), 0n)

/** Puts sweeps behind the latest of those before them that fit into their call. Those that need one of the others are not judged. */
const placedBehind = (before: ReadonlyArray<Ready>, sweeps: ReadonlyArray<Ready>): Required<Omit<Order, "assumed">> => {
  let first = before.length
  let gas = executedGas(sweeps)
  while (first > 0) {
    gas += executedGas(before.slice(first - 1, first))
    if (gas > PART_GAS) break
    first -= 1
  }
  const all = [...before.slice(first), ...sweeps]
  const from = before.length - first
  return { sweeps: all, from, judgedFrom: from, unjudged: fedBy(before.slice(0, first), all) }
}

/**
 * As {@link confirm}, for sweeps of one transaction behind others that are sent before it. If the call has no results, those of `assumed`
 * are in neither list.
 */
export const confirmBehind = (
  client: ChainClient,
  lane: Address.Address,
  before: ReadonlyArray<Ready>,
  sweeps: ReadonlyArray<Ready>,
  assumed = NONE
) => checked(client, lane, { ...placedBehind(before, sweeps), assumed })

/**
 * Simulates the sweeps again that run behind other sweeps than in their rehearsal, and the transactions whose sweeps were rehearsed in
 * several calls, if one of these sweeps is listed. `parcels`: the sweeps of each transaction in the order in which they are sent.
 */
export const confirm = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  parcels: ReadonlyArray<ReadonlyArray<Ready>>
): Effect.fn.Return<Confirmation> {
  const rehearsed = parcels.map((parcel) =>
    parcel.map((ready) => ({ ready, id: ready.intent.id, sequence: ready.sequence }))
  )
  const orders = [
    ...reordered(rehearsed.flat()).map(({ from, sweeps }) => {
      return { sweeps: sweeps.map(({ ready }) => ready), from, judgedFrom: from }
    }),
    // All sweeps of the transaction are judged, so that those that settle do so without those that fail.
    ...rehearsed.flatMap((parcel, index) =>
      mixed([parcel]).map(({ from, sweeps }) => {
        const placed = placedBehind(
          parcels.slice(0, index).flat(),
          sweeps.map(({ ready }) => ready)
        )
        return { ...placed, from: placed.from + from }
      })
    )
  ]
  const results = yield* Effect.forEach(orders, (order) => checked(client, lane, order), {
    concurrency: "unbounded"
  })
  const failing = [...new Set(results.flatMap((each) => each.failing))]
  return { failing, unanswered: results.flatMap((each) => each.unanswered) }
})

/** Sweeps that a missing one may pay, also through others of them. They come after the missing ones. */
export const fedBy = (missing: ReadonlyArray<Ready>, sweeps: ReadonlyArray<Ready>): ReadonlySet<Ready> => {
  const isMissing = new Set(missing)
  return lacking([...missing, ...sweeps], (each) => isMissing.has(each))
}

/** Sweeps that one before them may pay that is missing. `isMissing`: undefined for a sweep that settles without those before it. */
export const lacking = (
  planned: ReadonlyArray<Ready>,
  isMissing: (sweep: Ready) => boolean | undefined
): ReadonlySet<Ready> => {
  const unpaid: Array<Ready> = []
  const found = new Set<Ready>()
  for (const each of planned) {
    const state = isMissing(each)
    if (state === true) unpaid.push(each)
    else if (state === false && unpaid.some((one) => feeds(one, each))) {
      unpaid.push(each)
      found.add(each)
    }
  }
  return found
}

/** Sweeps of the parcels before one. */
export interface EarlierParcels {
  readonly sent: ReadonlyArray<Ready>
  readonly missing: ReadonlyArray<Ready>
}

/**
 * Sweeps that only those that were sent may pay. Without results they are sent, too: rehearsed alone while the others are pending, they
 * would fail for good.
 */
const dependentOn = ({ missing, sent }: EarlierParcels, sweeps: ReadonlyArray<Ready>): ReadonlySet<Ready> =>
  fedBy(sent, sweeps).difference(fedBy(missing, sweeps))

/**
 * Makes `settlingInOrder(client, lane, parcels, earlier)`, which leaves out and postpones the sweeps that would fail in the order of the
 * parcels, and those of which no node answers. A sweep that settled in its rehearsal may fail there in three cases. It ran behind a sweep
 * that is not sent. It ran behind one that is sent after it. Its transaction carries one that it ran without. All that are left out lose
 * their reservations, which would refuse them at their next claim. `earlier`: the parcels before a single one. Default: none.
 */
export const make = Effect.fnUntraced(function* (reserving: Reserving.Reserving) {
  const { postponeUnanswered, putOff } = yield* Postponement.make

  return Effect.fn("Relay.confirmed")(function* (
    client: ChainClient,
    lane: Address.Address,
    parcels: ReadonlyArray<Parcel>,
    earlier?: EarlierParcels
  ) {
    const { failing, unanswered } = yield* earlier === undefined
      ? confirm(
          client,
          lane,
          parcels.map((parcel) => parcel.flat())
        )
      : confirmBehind(client, lane, earlier.sent, parcels.flat(2), dependentOn(earlier, parcels.flat(2)))
    yield* putOff(
      client,
      failing.map(({ intent }) => later(intent, OUT_OF_ORDER))
    )
    yield* reserving.releaseUnsent(failing)
    const out = new Set(failing)
    for (const { error, sweeps } of unanswered) {
      const silent = sweeps.filter((each) => !out.has(each))
      for (const each of silent) out.add(each)
      yield* postponeUnanswered(
        client,
        silent.map(({ intent }) => intent.id),
        error
      )
      yield* reserving.releaseUnsent(silent)
    }
    return parcels.flatMap((parcel) => {
      const kept = parcel.flatMap((group): Parcel => {
        const [first, ...rest] = group.filter((each) => !out.has(each))
        return first === undefined ? [] : [[first, ...rest]]
      })
      return kept.length === 0 ? [] : [kept]
    })
  })
})
