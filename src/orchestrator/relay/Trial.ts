/**
 * Simulates claimed sweeps to find out which of them would settle in the next block, with the gas limits that will be sent. Sweeps
 * that run code of unlisted tokens are simulated in another block as well, since a token may turn on some blocks only.
 */
import { Effect, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { mixed, PART_GAS, reordered } from "../../domain/RehearsalParts.ts"
import { type Group, grouped } from "../../domain/SweepGroups.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import {
  gasOf,
  isListed,
  isSeen,
  isUnseen,
  make as makeAlone,
  type Measured,
  run as runAlone,
  settles,
  succeeded,
  UNRUNNABLE_MILLIS
} from "./Alone.ts"
import * as Content from "./Content.ts"
import {
  type Candidate,
  type Later,
  later,
  laterWithoutRoom,
  placeOf,
  type Prepared,
  type Ready,
  type Signed
} from "./Prepared.ts"
import * as SharedCalls from "./SharedCalls.ts"

/** A candidate and its result in each block. */
interface Attempted {
  readonly candidate: Candidate
  /** Results in the next block and, if its account has unlisted tokens, in the other one. */
  readonly known: ReadonlyArray<SharedCalls.Tried | undefined>
  /** Sweeps before it in their order, also those that its calls did not have. */
  readonly before: ReadonlyArray<Candidate>
}

/**
 * Makes `attempt(client, lane, candidates)`, which simulates the candidates in the order in which they are sent, in few requests for each
 * block. Those of accounts with unlisted tokens have requests of their own, as they have transactions. Each leg of a batch is
 * simulated by a call of its own, which shows its gas and its error apart from those of its siblings. A sweep without an answer is
 * postponed, and the others go on. It fails if the nodes answer nothing.
 */
export const make = Effect.gen(function* () {
  const { confirmed, explain } = yield* makeAlone

  /** Simulates a sweep that failed behind others alone, so that it does not fail for good because of another sweep. */
  const retryAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    { before, candidate, known }: Attempted
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { intent } = candidate
    const tried = known.every((each) => each?.isAlone === true) ? known : yield* runAlone(client, lane, candidate)
    const unseen = tried.find(isUnseen)
    if (unseen !== undefined) return unanswered(intent, unseen.error)
    const seen = tried.filter(isSeen)
    if (seen.length < tried.length || !seen.every((each) => settles(candidate, each))) {
      const failed = seen.find((each) => !settles(candidate, each))
      const explained = yield* explain(client, candidate, failed?.call)
      if (explained._tag !== "Unfit") return explained
      return isRefusal(explained) && omitted(known, before).some((each) => feeds(each, candidate))
        ? laterWithoutRoom(intent, "it may settle only behind other sweeps of its claim")
        : yield* confirmed(client, lane, candidate, explained)
    }
    // Behind the others it may have seemed to need more gas only because of what they had warmed.
    return known.every((each) => succeeded(candidate, each))
      ? readyWith(candidate, seen, sequenceOf(known))
      : laterWithoutRoom(intent, "it would fail behind the others of its batch")
  })

  const decide = (client: ChainClient, lane: Address.Address, attempted: Attempted) => {
    const { candidate, known } = attempted
    const seen = known.filter(isSeen)
    const unseen = known.find(isUnseen)
    if (unseen !== undefined) {
      // Nothing is known of a sweep by a failure that it shares.
      return Effect.succeed(
        unseen.isAlone ? unanswered(candidate.intent, unseen.error) : later(candidate.intent, unseen.error.message)
      )
    }
    if (seen.length === known.length && seen.every((each) => settles(candidate, each))) {
      return Effect.succeed(readyWith(candidate, seen, sequenceOf(known)))
    }
    return Effect.catchTag(retryAlone(client, lane, attempted), "ChainUnavailable", (error) =>
      Effect.succeed(unanswered(candidate.intent, error))
    )
  }

  return Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidates: ReadonlyArray<Candidate>
  ): Effect.fn.Return<ReadonlyArray<Prepared>, ChainUnavailable> {
    const groups = inOrder(client, candidates)
    const runsListed = (group: Group<Candidate>) => group.every((each) => isListed(client, each))
    const [listed, unlisted] = [groups.filter(runsListed), groups.filter((group) => !runsListed(group))]
    const [next, unlistedNext, other] = yield* Effect.all(
      [
        SharedCalls.run(client, lane, listed, "next"),
        SharedCalls.run(client, lane, unlisted, "next"),
        SharedCalls.run(client, lane, unlisted, "other")
      ],
      { concurrency: "unbounded" }
    )
    const attempted = [
      ...listed.flat().map((candidate, index, all): Attempted => {
        const known = [next.get(candidate.intent.id)]
        return { candidate, known, before: all.slice(0, index) }
      }),
      ...unlisted.flat().map((candidate, index, all): Attempted => {
        const { id } = candidate.intent
        const known = [unlistedNext.get(id), other.get(id)]
        return { candidate, known, before: all.slice(0, index) }
      })
    ]
    const silences = attempted.flatMap(({ known }) => known.map(silenceOf))
    const [silence] = silences
    if (silence !== undefined && !silences.includes(undefined)) return yield* silence
    return yield* Effect.forEach(attempted, (each) => decide(client, lane, each), { concurrency: "unbounded" })
  })
})

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
const confirmed = Effect.fnUntraced(function* (
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
) => confirmed(client, lane, { ...placedBehind(before, sweeps), assumed })

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
  const results = yield* Effect.forEach(orders, (order) => confirmed(client, lane, order), {
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

/** Groups of the accounts, those of one entry together, as their transactions are. */
const inOrder = ({ chain }: ChainClient, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Group<Candidate>> =>
  Array.from(Map.groupBy(grouped(candidates, placeOf), ([first]) => Content.entryOf(chain, first)).values()).flat()

/** Error of a sweep of which no node has answered anything. */
const silenceOf = (tried: SharedCalls.Tried | undefined): ChainUnavailable | undefined =>
  isUnseen(tried) && tried.error.isReverted !== true ? tried.error : undefined

/** A sweep that waits because the nodes did not answer, or could not run it. Its owner may cause the latter at no cost. */
const unanswered = (intent: Signed, { isReverted = false, message }: ChainUnavailable): Later =>
  isReverted
    ? { ...laterWithoutRoom(intent, `no node can run it: ${message}`), pauseMillis: UNRUNNABLE_MILLIS }
    : later(intent, message)

const isRefusal = (prepared: Prepared): boolean => prepared._tag === "Unfit" && prepared.cause._tag === "Refused"

/** Sweeps before it that one of its calls did not have. */
const omitted = (known: Attempted["known"], before: Attempted["before"]): ReadonlyArray<Candidate> =>
  before.slice(0, before.length - Math.min(...known.map((each) => (isSeen(each) ? each.index : 0))))

/** True if a sweep may pay the account of a later one: it is the same, or it receives the output or the builder's fee. */
const feeds = ({ intent: { order } }: Candidate, after: Candidate): boolean =>
  [order.owner, order.destination, order.builder].includes(after.intent.order.owner)

const mostGas = (seen: ReadonlyArray<Measured>): bigint =>
  seen.reduce((most, each) => (gasOf(each) > most ? gasOf(each) : most), 0n)

const readyWith = (
  candidate: Candidate,
  seen: ReadonlyArray<SharedCalls.Seen>,
  sequence: ReadonlyArray<string>
): Prepared => ({
  _tag: "Ready",
  ready: { ...candidate, gas: { simulated: mostGas(seen), limit: candidate.callGas }, sequence }
})

/** Ids of the sweeps that settled in the first call of a sweep, which is that of the next block. */
const sequenceOf = (known: Attempted["known"]): ReadonlyArray<string> => known.find(isSeen)?.sequence ?? []
