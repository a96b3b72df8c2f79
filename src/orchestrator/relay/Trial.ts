/**
 * Simulates claimed sweeps to find out which of them would settle in the next block, with the gas limits that will be sent. Sweeps
 * that run code of unlisted tokens are simulated in another block as well, since a token may turn on some blocks only.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { runsUnlisted } from "../../domain/Listing.ts"
import { reordered } from "../../domain/RehearsalParts.ts"
import { mayBeOutOfGas, simulatedAlone } from "../../domain/RelayGas.ts"
import { type Group, grouped } from "../../domain/SweepGroups.ts"
import { SweepContracts, type SweepRevert } from "../../ports/orchestrator/SweepContracts.ts"
import { SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall } from "../../ports/shared/Simulation.ts"
import * as Content from "./Content.ts"
import {
  type Candidate,
  type Later,
  later,
  laterWithoutRoom,
  placeOf,
  type Prepared,
  type Ready,
  type Signed,
  unfit
} from "./Prepared.ts"
import * as SharedCalls from "./SharedCalls.ts"

/** Pause of a sweep that no call can run, in milliseconds. It is longer than others, so that the next claims do not have it. */
const UNRUNNABLE_MILLIS = 30_000

/** Errors after which an order never runs: it may have settled by another transaction. */
const UNSENDABLE = new Set(["NonceUsed", "NonceUsedEarlier", "Expired"])

/** Makes `explain(client, candidate, call)`, which decides about a sweep that fails alone. */
const makeExplain = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const simulation = yield* SweepSimulation

  /** The error of a sweep; undefined if it has none outside its batch. A batch does not return the errors of its legs. */
  const revertOf = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    { order, submission }: Signed,
    call: SimulatedCall | undefined
  ): Effect.fn.Return<SweepRevert | undefined, ChainUnavailable> {
    if (submission.batch === undefined || call?.success !== true)
      return contracts.decodeRevert(call?.returnData ?? "0x")
    return yield* simulation.run(chain.id, order).pipe(
      Effect.as(undefined),
      Effect.catchTag("SimulationFailed", ({ detail, revert = "Unknown" }) =>
        Effect.succeed({ name: revert, text: detail })
      )
    )
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    { callGas: gas, intent }: Candidate,
    call: SimulatedCall | undefined
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { order } = intent
    const revert = yield* revertOf(client, intent, call)
    if (revert === undefined) return laterWithoutRoom(intent, "its leg fails in the batch")
    if (UNSENDABLE.has(revert.name)) {
      return { _tag: "Unfit", intent, cause: { _tag: "Unsent" }, text: revert.text }
    }
    const balance = yield* contracts.balanceOf(client, order.tokenIn, order.owner)
    if (balance < order.amountIn) return unfit(intent, "insufficient_balance", revert.text)
    if (call === undefined || !needsMoreGas({ call, index: 0 }, gas)) {
      return unfit(intent, "simulation_failed", revert.text)
    }
    const text = `it needs more gas than the ${gas} that its quote counted`
    return runsUnlisted(client.chain, intent) ? unfit(intent, "simulation_failed", text) : later(intent, text)
  })
})

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
  const explain = yield* makeExplain

  /** Simulates a sweep that failed behind others alone, so that it does not fail for good because of another sweep. */
  const retryAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    { before, candidate, isListed, known }: Attempted
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { intent } = candidate
    const tried = known.every((each) => each?.isAlone === true)
      ? known
      : yield* Effect.forEach(
          blocksOf(client, candidate),
          (block) => Effect.map(SharedCalls.run(client, lane, [[candidate]], block), (found) => found.get(intent.id)),
          { concurrency: "unbounded" }
        )
    const unseen = tried.find(isUnseen)
    if (unseen !== undefined) return unanswered(intent, unseen.error)
    const seen = tried.filter(isSeen)
    if (seen.length < tried.length || !seen.every((each) => settles(candidate, each))) {
      const failed = seen.find((each) => !settles(candidate, each))
      const explained = yield* explain(client, candidate, failed?.call)
      return isRefusal(explained) && omitted(known, before).some((each) => feeds(each, candidate))
        ? laterWithoutRoom(intent, "it may settle only behind other sweeps of its claim")
        : explained
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

const isListed = ({ chain }: ChainClient, { intent }: Candidate): boolean => !runsUnlisted(chain, intent)

const isSeen = (tried: SharedCalls.Tried | undefined): tried is SharedCalls.Seen => tried?._tag === "Seen"

const isUnseen = (tried: SharedCalls.Tried | undefined): tried is SharedCalls.Unseen => tried?._tag === "Unseen"

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

/** Blocks in which a sweep must settle. */
const blocksOf = (client: ChainClient, candidate: Candidate): ReadonlyArray<SharedCalls.Block> =>
  isListed(client, candidate) ? ["next"] : ["next", "other"]

/** The part of a result that tells the gas of the sweep alone. */
type Measured = Pick<SharedCalls.Seen, "call" | "index">

const gasOf = ({ call, index }: Measured): bigint => simulatedAlone(call.gasUsed, index)

const mostGas = (seen: ReadonlyArray<Measured>): bigint =>
  seen.reduce((most, each) => (gasOf(each) > most ? gasOf(each) : most), 0n)

/** True if the sweep may need more than its gas limit when it is sent without those that ran before it. */
const needsMoreGas = (seen: Measured, gasLimit: bigint): boolean =>
  seen.call.success ? gasOf(seen) > gasLimit : mayBeOutOfGas(seen.call.gasUsed, gasLimit)

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

const succeeded = (candidate: Candidate, tried: SharedCalls.Tried | undefined): boolean =>
  isSeen(tried) && SharedCalls.hasSettled(candidate, tried.call)

const settles = (candidate: Candidate, seen: SharedCalls.Seen): boolean =>
  succeeded(candidate, seen) && !needsMoreGas(seen, candidate.callGas)
