/**
 * Simulates claimed sweeps to find out which of them would settle in the next block, with the gas limits that will be sent. Sweeps
 * that run code of unlisted tokens are simulated in another block as well, since a token may turn on some blocks only.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Group, grouped } from "../../domain/SweepGroups.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { isListed, make as makeAlone, run as runAlone, UNRUNNABLE_MILLIS } from "./Alone.ts"
import * as Content from "./Content.ts"
import {
  type Candidate,
  feeds,
  type Later,
  later,
  laterWithoutRoom,
  placeOf,
  type Prepared,
  type Signed
} from "./Prepared.ts"
import * as PendingSweeps from "./PendingSweeps.ts"
import * as SharedCalls from "./SharedCalls.ts"

/** A candidate and its result in each block. */
interface Attempted {
  readonly candidate: Candidate
  /** Results in the next block and, if its account has unlisted tokens, in the other one. */
  readonly known: ReadonlyArray<SharedCalls.Tried | undefined>
  /** Sweeps before it in their order, also those that its calls did not have. */
  readonly before: ReadonlyArray<Candidate>
}

/** Makes `decide(client, lane, attempted, pending)`. `pending`: see `PendingSweeps.ts`. */
const makeDecide = Effect.gen(function* () {
  const { confirmedEnd, explain } = yield* makeAlone

  /** Simulates a sweep that failed behind others alone, so that it does not fail for good because of another sweep. */
  const retryAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    { before, candidate, known }: Attempted,
    pending: Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
  ): Effect.fn.Return<Prepared, ChainUnavailable | StoreUnavailable> {
    const { intent } = candidate
    const tried = known.every((each) => each?.isAlone === true) ? known : yield* runAlone(client, lane, candidate)
    const unseen = tried.find(SharedCalls.isUnseen)
    if (unseen !== undefined) return unanswered(intent, unseen.error)
    const seen = tried.filter(SharedCalls.isSeen)
    if (seen.length < tried.length || !seen.every((each) => SharedCalls.settles(candidate, each))) {
      const failed = seen.find((each) => !SharedCalls.settles(candidate, each))
      const explained = yield* explain(client, candidate, failed?.call)
      if (explained._tag !== "Unfit") return explained
      if (isRefusal(explained)) {
        if (omitted(known, before).some((each) => feeds(each, candidate))) {
          return laterWithoutRoom(intent, "it may settle only behind other sweeps of its claim")
        }
        if ((yield* pending).some((each) => feeds({ intent: each }, candidate))) {
          return laterWithoutRoom(intent, "it may settle only after a pending transaction that pays its owner")
        }
      }
      return yield* confirmedEnd(client, lane, candidate, explained)
    }
    // Behind the others it may have seemed to need more gas only because of what they had warmed.
    return known.every((each) => SharedCalls.succeeded(candidate, each))
      ? readyWith(candidate, seen, sequenceOf(known))
      : laterWithoutRoom(intent, "it would fail behind the others of its batch")
  })

  return (
    client: ChainClient,
    lane: Address.Address,
    attempted: Attempted,
    pending: Effect.Effect<ReadonlyArray<Intent>, StoreUnavailable>
  ) => {
    const { candidate, known } = attempted
    const seen = known.filter(SharedCalls.isSeen)
    const unseen = known.find(SharedCalls.isUnseen)
    if (unseen !== undefined) {
      // Nothing is known of a sweep by a failure that it shares.
      return Effect.succeed(
        unseen.isAlone ? unanswered(candidate.intent, unseen.error) : later(candidate.intent, unseen.error.message)
      )
    }
    if (seen.length === known.length && seen.every((each) => SharedCalls.settles(candidate, each))) {
      return Effect.succeed(readyWith(candidate, seen, sequenceOf(known)))
    }
    return Effect.catchTag(retryAlone(client, lane, attempted, pending), "ChainUnavailable", (error) =>
      Effect.succeed(unanswered(candidate.intent, error))
    )
  }
})

/**
 * Makes `attempt(client, lane, candidates)`, which simulates the candidates in the order in which they are sent, in few requests for each
 * block. Those of accounts with unlisted tokens have requests of their own, as they have transactions. Each leg of a batch is
 * simulated by a call of its own, which shows its gas and its error apart from those of its siblings. A sweep without an answer is
 * postponed, and the others go on. It fails if the nodes answer nothing.
 */
export const make = Effect.gen(function* () {
  const decide = yield* makeDecide
  const pendingOn = yield* PendingSweeps.make

  return Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidates: ReadonlyArray<Candidate>
  ): Effect.fn.Return<ReadonlyArray<Prepared>, ChainUnavailable | StoreUnavailable> {
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
    const pending = yield* Effect.cached(pendingOn(client))
    return yield* Effect.forEach(attempted, (each) => decide(client, lane, each, pending), { concurrency: "unbounded" })
  })
})

/** Groups of the accounts, those of one entry together, as their transactions are. */
const inOrder = ({ chain }: ChainClient, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Group<Candidate>> =>
  Array.from(Map.groupBy(grouped(candidates, placeOf), ([first]) => Content.entryOf(chain, first)).values()).flat()

/** Error of a sweep of which no node has answered anything. */
const silenceOf = (tried: SharedCalls.Tried | undefined): ChainUnavailable | undefined =>
  SharedCalls.isUnseen(tried) && tried.error.isReverted !== true ? tried.error : undefined

/** A sweep that waits because the nodes did not answer, or could not run it. Its owner may cause the latter at no cost. */
const unanswered = (intent: Signed, { isReverted = false, message }: ChainUnavailable): Later =>
  isReverted
    ? { ...laterWithoutRoom(intent, `no node can run it: ${message}`), pauseMillis: UNRUNNABLE_MILLIS }
    : later(intent, message)

const isRefusal = (prepared: Prepared): boolean => prepared._tag === "Unfit" && prepared.cause._tag === "Refused"

/** Sweeps before it that one of its calls did not have. */
const omitted = (known: Attempted["known"], before: Attempted["before"]): ReadonlyArray<Candidate> =>
  before.slice(0, before.length - Math.min(...known.map((each) => (SharedCalls.isSeen(each) ? each.index : 0))))

const mostGas = (seen: ReadonlyArray<SharedCalls.Measured>): bigint =>
  seen.reduce((most, each) => (SharedCalls.gasOf(each) > most ? SharedCalls.gasOf(each) : most), 0n)

const readyWith = (
  candidate: Candidate,
  seen: ReadonlyArray<SharedCalls.Seen>,
  sequence: ReadonlyArray<string>
): Prepared => ({
  _tag: "Ready",
  ready: { ...candidate, gas: { simulated: mostGas(seen), limit: candidate.callGas }, sequence }
})

/** Ids of the sweeps that settled in the first call of a sweep, which is that of the next block. */
const sequenceOf = (known: Attempted["known"]): ReadonlyArray<string> => known.find(SharedCalls.isSeen)?.sequence ?? []
