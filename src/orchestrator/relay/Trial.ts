/**
 * Simulates claimed sweeps to find out which of them would settle in the next block, with the gas limits that will be sent. Sweeps
 * that run code of unlisted tokens are simulated in another block as well, since a token may turn on some blocks only.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { designator } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import { runsUnlisted } from "../../domain/Listing.ts"
import { batchGasLimit, mayBeOutOfGas, simulatedAlone } from "../../domain/RelayGas.ts"
import { grouped } from "../../domain/SweepGroups.ts"
import { SweepContracts, type SweepRevert } from "../../ports/orchestrator/SweepContracts.ts"
import { SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall, Surroundings } from "../../ports/shared/Simulation.ts"
import * as AccountCall from "./AccountCall.ts"
import * as Content from "./Content.ts"
import { type Candidate, later, laterWithoutRoom, placeOf, type Prepared, type Signed, unfit } from "./Prepared.ts"

type Block = NonNullable<Surroundings["block"]>

/** Result of a sweep in one block. `index`: number of sweeps that ran before it. */
interface Seen {
  readonly call: SimulatedCall
  readonly index: number
}

/** Simulates candidates in one block. Returns the results by intent id. */
const simulate = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  candidates: ReadonlyArray<Candidate>,
  block: Block
) {
  if (candidates.length === 0) return new Map<string, Seen>()
  const delegates = new Map(
    candidates.flatMap(({ authorization, intent: { order } }) =>
      authorization === undefined ? [] : [[order.owner, Generations.ofNonce(client.chain, order.nonce).delegate]]
    )
  )
  // Their senders are the entry or the lane, but a sender has other code meanwhile, which a token could see at an address that it knows.
  // The account does not look at its caller.
  const calls = yield* client.simulate(
    candidates.map(({ callGas, data, intent }) => ({ to: intent.order.owner, data, gas: callGas })),
    {
      within: { origin: lane, gasLimit: gasLimitOf(candidates), block },
      codeOverrides: Array.from(delegates, ([address, delegate]) => ({ address, code: designator(delegate) }))
    }
  )
  return new Map(
    candidates.flatMap(({ intent }, index): ReadonlyArray<readonly [string, Seen]> => {
      const call = calls[index]
      return call === undefined ? [] : [[intent.id, { call, index }]]
    })
  )
})

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
    return runsUnlisted(client.chain, order) ? unfit(intent, "simulation_failed", text) : later(intent, text)
  })
})

/**
 * Makes `attempt(client, lane, candidates)`, which simulates the candidates in the order in which they are sent, in one request for
 * each block. Those of accounts with unlisted tokens have requests of their own, as they have transactions. Each leg of a batch is
 * simulated by a call of its own, which shows its gas and its error apart from those of its siblings.
 */
export const make = Effect.gen(function* () {
  const explain = yield* makeExplain

  /** Simulates a sweep that failed behind others alone, so that it does not fail for good because of another sweep. */
  const retryAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidate: Candidate,
    isAlone: boolean,
    known: ReadonlyArray<Seen | undefined>
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { intent } = candidate
    const seen = isAlone
      ? known
      : yield* Effect.forEach(
          blocksOf(client, candidate),
          (block) => Effect.map(simulate(client, lane, [candidate], block), (found) => found.get(intent.id)),
          { concurrency: "unbounded" }
        )
    const failed = seen.findIndex((each) => !settles(candidate, each))
    if (failed >= 0) return yield* explain(client, candidate, seen[failed]?.call)
    // Behind the others it may have seemed to need more gas only because of what they had warmed.
    return known.every((each) => succeeded(candidate, each))
      ? readyWith(candidate, seen)
      : laterWithoutRoom(intent, "it would fail behind the others of its batch")
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidates: ReadonlyArray<Candidate>
  ): Effect.fn.Return<ReadonlyArray<Prepared>, ChainUnavailable> {
    const groups = grouped(candidates, placeOf)
    const accounts = new Set(
      candidates.flatMap(({ intent: { order } }) => (runsUnlisted(client.chain, order) ? [order.owner] : []))
    )
    const isUnlisted = ({ intent }: Candidate) => accounts.has(intent.order.owner)
    const unlisted = groups.flat().filter(isUnlisted)
    const listed = groups.flat().filter((candidate) => !isUnlisted(candidate))
    const [next, unlistedNext, other] = yield* Effect.all(
      [
        simulate(client, lane, listed, "next"),
        simulate(client, lane, unlisted, "next"),
        simulate(client, lane, unlisted, "other")
      ],
      { concurrency: "unbounded" }
    )
    return yield* Effect.forEach(
      groups.flat(),
      (candidate) => {
        const { id } = candidate.intent
        const seen = isUnlisted(candidate) ? [unlistedNext.get(id), other.get(id)] : [next.get(id)]
        const group = isUnlisted(candidate) ? unlisted : listed
        return seen.every((each) => settles(candidate, each))
          ? Effect.succeed(readyWith(candidate, seen))
          : retryAlone(client, lane, candidate, group.length === 1, seen)
      },
      { concurrency: "unbounded" }
    )
  })
})

/** Blocks in which a sweep must settle. */
const blocksOf = ({ chain }: ChainClient, { intent }: Candidate): ReadonlyArray<Block> =>
  runsUnlisted(chain, intent.order) ? ["next", "other"] : ["next"]

/** Gas limit of the transaction with all candidates, about. */
const gasLimitOf = (candidates: ReadonlyArray<Candidate>): bigint => batchGasLimit(candidates.map(Content.gasOf))

const gasOf = ({ call, index }: Seen): bigint => simulatedAlone(call.gasUsed, index)

const mostGas = (seen: ReadonlyArray<Seen | undefined>): bigint =>
  seen.reduce((most, each) => (each !== undefined && gasOf(each) > most ? gasOf(each) : most), 0n)

/** True if the sweep may need more than its gas limit when it is sent without those that ran before it. */
const needsMoreGas = (seen: Seen, gasLimit: bigint): boolean =>
  seen.call.success ? gasOf(seen) > gasLimit : mayBeOutOfGas(seen.call.gasUsed, gasLimit)

const readyWith = (candidate: Candidate, seen: ReadonlyArray<Seen | undefined>): Prepared => ({
  _tag: "Ready",
  ready: { ...candidate, gas: { simulated: mostGas(seen), limit: candidate.callGas } }
})

const succeeded = ({ intent }: Candidate, seen: Seen | undefined): seen is Seen =>
  seen !== undefined && seen.call.success && AccountCall.hasRun(intent, seen.call.returnData)

const settles = (candidate: Candidate, seen: Seen | undefined): boolean =>
  succeeded(candidate, seen) && !needsMoreGas(seen, candidate.callGas)
