/**
 * Simulates claimed sweeps to find out which of them would settle in the next block, with the gas limits that will be sent. Sweeps
 * that run code of unlisted tokens are simulated in another block as well, since a token may turn on some blocks only.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { reordered } from "../../domain/RehearsalParts.ts"
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
  /** True if its transaction has listed tokens only. */
  readonly isListed: boolean
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
    { before, candidate, isListed, known }: Attempted
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
      ? readyWith(candidate, seen, isListed ? known.find(isSeen)?.sequence : undefined)
      : laterWithoutRoom(intent, "it would fail behind the others of its batch")
  })

  const decide = (client: ChainClient, lane: Address.Address, attempted: Attempted) => {
    const { candidate, isListed, known } = attempted
    const seen = known.filter(isSeen)
    const unseen = known.find(isUnseen)
    if (unseen !== undefined) {
      // Nothing is known of a sweep by a failure that it shares.
      return Effect.succeed(
        unseen.isAlone ? unanswered(candidate.intent, unseen.error) : later(candidate.intent, unseen.error.message)
      )
    }
    if (seen.length === known.length && seen.every((each) => settles(candidate, each))) {
      return Effect.succeed(readyWith(candidate, seen, isListed ? seen[0]?.sequence : undefined))
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
        return { candidate, isListed: true, known, before: all.slice(0, index) }
      }),
      ...unlisted.flat().map((candidate, index, all): Attempted => {
        const { id } = candidate.intent
        const known = [unlistedNext.get(id), other.get(id)]
        return { candidate, isListed: false, known, before: all.slice(0, index) }
      })
    ]
    const silences = attempted.flatMap(({ known }) => known.map(silenceOf))
    const [silence] = silences
    if (silence !== undefined && !silences.includes(undefined)) return yield* silence
    return yield* Effect.forEach(attempted, (each) => decide(client, lane, each), { concurrency: "unbounded" })
  })
})

/**
 * Listed sweeps that fail in the order in which they are sent. Only those are simulated again that ran behind other sweeps in their
 * rehearsal. `sent`: all sweeps in the order in which they are sent.
 */
export const failingIn = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  sent: ReadonlyArray<Ready>
): Effect.fn.Return<ReadonlyArray<Ready>> {
  const rehearsed = sent.flatMap((ready) =>
    ready.sequence === undefined ? [] : [{ ready, id: ready.intent.id, sequence: ready.sequence }]
  )
  const failing = yield* Effect.forEach(
    reordered(rehearsed),
    ({ from, sweeps }) =>
      SharedCalls.failing(client, lane, {
        sweeps: sweeps.map(({ ready }) => ready),
        from
      }),
    { concurrency: "unbounded" }
  )
  return failing.flat()
})

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

/** True if a sweep may pay the account of a later one. */
const feeds = (before: Candidate, after: Candidate): boolean => {
  const { owner } = after.intent.order
  return before.intent.order.owner === owner || before.intent.order.destination === owner
}

const mostGas = (seen: ReadonlyArray<Measured>): bigint =>
  seen.reduce((most, each) => (gasOf(each) > most ? gasOf(each) : most), 0n)

const readyWith = (
  candidate: Candidate,
  seen: ReadonlyArray<SharedCalls.Seen>,
  sequence: ReadonlyArray<string> | undefined
): Prepared => ({
  _tag: "Ready",
  ready: {
    ...candidate,
    gas: { simulated: mostGas(seen), limit: candidate.callGas },
    ...(sequence === undefined ? {} : { sequence })
  }
})
