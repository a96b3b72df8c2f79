/**
 * Simulates sweeps of one block in their order, in as few calls as the gas limits of nodes allow. A call that fails as a whole is divided,
 * so that a sweep that no call can run has a failure of its own and does not hold up the others.
 */
import { Effect, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import { designator } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import { halvesOf, partsOf } from "../../domain/RehearsalParts.ts"
import { batchGasLimit, mayBeOutOfGas, simulatedAlone } from "../../domain/RelayGas.ts"
import type { Group } from "../../domain/SweepGroups.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { SimulatedCall, Surroundings } from "../../ports/shared/Simulation.ts"
import * as AccountCall from "./AccountCall.ts"
import * as Content from "./Content.ts"
import type { Candidate } from "./Prepared.ts"

export type Block = NonNullable<Surroundings["block"]>

/**
 * Calls for the sweeps of one block at most. A part that fails after them is not divided further. Its sweeps are tried again without
 * those that failed alone.
 */
const CALLS = 64

/** Parts that are simulated at the same time. */
const AT_ONCE = 4

/** Result of a sweep in one block. */
export interface Seen {
  readonly _tag: "Seen"
  readonly call: SimulatedCall
  /** Number of sweeps that ran before it in its call. */
  readonly index: number
  /** True if its call had no other sweep. */
  readonly isAlone: boolean
  /** Ids of the sweeps that settled in its call, in their order. */
  readonly sequence: ReadonlyArray<string>
}

/** A sweep without a result, since its call failed. */
export interface Unseen {
  readonly _tag: "Unseen"
  readonly error: ChainUnavailable
  /** True if its call had no other sweep. */
  readonly isAlone: boolean
}

export type Tried = Seen | Unseen

/** True if a call did not revert and ran the sweep. */
export const hasSettled = ({ intent }: Pick<Candidate, "intent">, call: SimulatedCall | undefined): boolean =>
  call?.success === true && AccountCall.hasRun(intent, call.returnData)

/** Gas limit of the transaction with all candidates, about. */
const gasLimitOf = (candidates: ReadonlyArray<Candidate>): bigint => batchGasLimit(candidates.map(Content.gasOf))

/**
 * Accounts that are warm when a transaction through the entry begins: the entry, and the accounts of authorizations (EIP-7702). A token
 * could tell a rehearsal from the transaction by them. Sweeps of unlisted tokens run in another block as well, where these accounts are cold,
 * since a transaction that goes directly to an account has a cold entry. The owner of a listed sweep that goes directly has paid for as
 * much before.
 */
const warmIn = ({ chain }: ChainClient, block: Block, candidates: ReadonlyArray<Candidate>) =>
  block === "other"
    ? []
    : [
        ...new Set([
          ...candidates.map((each) => Content.entryOf(chain, each)),
          ...candidates.flatMap(({ authorization, intent }) =>
            authorization === undefined ? [] : [intent.order.owner]
          )
        ])
      ]

/** Simulates candidates in one call. */
const simulate = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  candidates: ReadonlyArray<Candidate>,
  block: Block
) {
  const delegates = new Map(
    candidates.flatMap(({ authorization, intent: { order } }) =>
      authorization === undefined ? [] : [[order.owner, Generations.ofNonce(client.chain, order.nonce).delegate]]
    )
  )
  // Their senders are the entry or the lane, but a sender has other code meanwhile, which a token could see at an address that it knows.
  // The account does not look at its caller.
  return yield* client.simulate(
    candidates.map(({ callGas, data, intent }) => ({ to: intent.order.owner, data, gas: callGas })),
    {
      within: {
        origin: lane,
        gasLimit: gasLimitOf(candidates),
        block,
        warm: warmIn(client, block, candidates)
      },
      codeOverrides: Array.from(delegates, ([address, delegate]) => ({ address, code: designator(delegate) }))
    }
  )
})

const seenIn = (candidates: ReadonlyArray<Candidate>, calls: ReadonlyArray<SimulatedCall>) => {
  const sequence = candidates.flatMap((each, index) => (hasSettled(each, calls[index]) ? [each.intent.id] : []))
  const isAlone = candidates.length === 1
  return candidates.flatMap(({ intent }, index): ReadonlyArray<readonly [string, Tried]> => {
    const call = calls[index]
    return call === undefined ? [] : [[intent.id, { _tag: "Seen", call, index, isAlone, sequence }]]
  })
}

/** Simulates candidates in one block, in their order. Returns the results by intent id. */
export const run = Effect.fnUntraced(function* (
  client: ChainClient,
  lane: Address.Address,
  groups: ReadonlyArray<Group<Candidate>>,
  block: Block
): Effect.fn.Return<ReadonlyMap<string, Tried>> {
  const found = new Map<string, Tried>()
  const parts = partsOf(groups, Content.executedGasOf)
  let calls = parts.length
  const runPart = (part: ReadonlyArray<Candidate>): Effect.Effect<void> =>
    Effect.flatMap(Effect.result(simulate(client, lane, part, block)), (ran) => {
      if (Result.isSuccess(ran)) {
        for (const [id, seen] of seenIn(part, ran.success)) found.set(id, seen)
        return Effect.void
      }
      // Nodes that did not answer the whole would not answer its halves.
      if (ran.failure.isReverted === true && part.length > 1 && calls + 2 <= CALLS) {
        calls += 2
        const halves = halvesOf(part, ({ intent }) => intent.order.owner)
        return Effect.forEach(halves, runPart, { discard: true })
      }
      const isAlone = part.length === 1
      for (const { intent } of part) found.set(intent.id, { _tag: "Unseen", error: ran.failure, isAlone })
      return Effect.void
    })
  yield* Effect.forEach(parts, runPart, { concurrency: AT_ONCE, discard: true })
  return found
})

/**
 * Those of the sweeps, from the index `judgedFrom` on, that do not settle in the next block in this order. Each of the others settles
 * without them, since a sweep that fails has no effect. Fails if the call reverts as a whole, or if no node answers.
 */
export const failing = <A extends Candidate>(
  client: ChainClient,
  lane: Address.Address,
  sweeps: ReadonlyArray<A>,
  judgedFrom: number
): Effect.Effect<ReadonlyArray<A>, ChainUnavailable> =>
  Effect.map(simulate(client, lane, sweeps, "next"), (calls) =>
    sweeps.filter((each, index) => index >= judgedFrom && !hasSettled(each, calls[index]))
  )

/** True if a call ran the sweep. */
export const isSeen = (tried: Tried | undefined): tried is Seen => tried?._tag === "Seen"

/** True if the call of the sweep failed. */
export const isUnseen = (tried: Tried | undefined): tried is Unseen => tried?._tag === "Unseen"

/** The part of a result that tells the gas of the sweep alone. */
export type Measured = Pick<Seen, "call" | "index">

/** Gas that the sweep uses without those that ran before it. */
export const gasOf = ({ call, index }: Measured): bigint => simulatedAlone(call.gasUsed, index)

/** True if the sweep may need more than its gas limit when it is sent without those that ran before it. */
export const needsMoreGas = (seen: Measured, gasLimit: bigint): boolean =>
  seen.call.success ? gasOf(seen) > gasLimit : mayBeOutOfGas(seen.call.gasUsed, gasLimit)

/** True if the sweep settles, whatever gas it uses. */
export const succeeded = (candidate: Candidate, tried: Tried | undefined): boolean =>
  isSeen(tried) && hasSettled(candidate, tried.call)

/** True if the sweep settles with its own gas limit. */
export const settles = (candidate: Candidate, seen: Seen): boolean =>
  succeeded(candidate, seen) && !needsMoreGas(seen, candidate.callGas)
