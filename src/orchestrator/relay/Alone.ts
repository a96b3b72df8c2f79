/**
 * Simulates one sweep by itself and decides about its failure. An end is confirmed on two endpoints, since one that returns false reverts
 * could otherwise end every sweep of a chain.
 */
import { Effect, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { runsUnlisted } from "../../domain/Listing.ts"
import { SweepContracts, type SweepRevert } from "../../ports/orchestrator/SweepContracts.ts"
import { SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall } from "../../ports/shared/Simulation.ts"
import { type Candidate, later, laterWithoutRoom, type Prepared, type Signed, type Unfit, unfit } from "./Prepared.ts"
import * as SharedCalls from "./SharedCalls.ts"

/** Pause of a sweep that no call can run, in milliseconds. It is longer than others, so that the next claims do not have it. */
export const UNRUNNABLE_MILLIS = 30_000

const DOUBT = "it failed in another way, or not at all, when it was simulated again"

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
    if (call === undefined || !SharedCalls.needsMoreGas({ call, index: 0 }, gas)) {
      return unfit(intent, "simulation_failed", revert.text)
    }
    const text = `it needs more gas than the ${gas} that its quote counted`
    return runsUnlisted(client.chain, intent) ? unfit(intent, "simulation_failed", text) : later(intent, text)
  })
})

/** Makes `explain(client, candidate, call)`, and `confirmedEnd(client, lane, candidate, end)`. */
export const make = Effect.gen(function* () {
  const explain = yield* makeExplain

  /** Result of a sweep that is simulated alone: an explanation of its failure. Undefined if it settles. */
  const explainedAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidate: Candidate
  ): Effect.fn.Return<Prepared | undefined, ChainUnavailable> {
    const tried = yield* run(client, lane, candidate)
    const unseen = tried.find(SharedCalls.isUnseen)
    if (unseen !== undefined) return yield* unseen.error
    const seen = tried.filter(SharedCalls.isSeen)
    const failed = seen.find((each) => !SharedCalls.settles(candidate, each))
    if (failed === undefined && seen.length === tried.length) return undefined
    return yield* explain(client, candidate, failed?.call)
  })

  /** An end of a sweep that a second endpoint confirms. One endpoint could otherwise end every sweep of a chain by false reverts. */
  const confirmedEnd = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidate: Candidate,
    end: Unfit
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const again = yield* Effect.result(client.corroborated(explainedAlone(client, lane, candidate), { isSame }))
    if (Result.isSuccess(again) && isSame(again.success, end)) return end
    if (Result.isFailure(again) && again.failure.isReverted === true) return yield* again.failure
    const doubted = laterWithoutRoom(candidate.intent, Result.isFailure(again) ? again.failure.message : DOUBT)
    // A token may cause it at will.
    return isListed(client, candidate) ? doubted : { ...doubted, pauseMillis: UNRUNNABLE_MILLIS }
  })

  return { explain, confirmedEnd }
})

export const isListed = ({ chain }: ChainClient, { intent }: Candidate): boolean => !runsUnlisted(chain, intent)

/** Blocks in which a sweep must settle. */
const blocksOf = (client: ChainClient, candidate: Candidate): ReadonlyArray<SharedCalls.Block> =>
  isListed(client, candidate) ? ["next"] : ["next", "other"]

/** Simulates a sweep alone, in each block. */
export const run = (client: ChainClient, lane: Address.Address, candidate: Candidate) =>
  Effect.forEach(
    blocksOf(client, candidate),
    (block) =>
      Effect.map(SharedCalls.run(client, lane, [[candidate]], block), (found) => found.get(candidate.intent.id)),
    { concurrency: "unbounded" }
  )

/** The end of a sweep that a result means, without its text. */
const endOf = (prepared: Prepared | undefined): string | undefined => {
  if (prepared?._tag !== "Unfit") return prepared?._tag
  const { cause } = prepared
  return cause._tag === "Refused" ? cause.reason : cause._tag
}

const isSame = (one: Prepared | undefined, other: Prepared | undefined): boolean => endOf(one) === endOf(other)
