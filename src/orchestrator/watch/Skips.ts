/** Finds the sweeps of a mined transaction that the entry skipped, and those that failed before they paid code of strangers. */
import { Effect } from "effect"
import { hexToBigInt, toFunctionSelector } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import * as Generations from "../../domain/Generations.ts"
import { type Hash, size } from "../../domain/Hex.ts"
import { paysOthers } from "../../domain/Listing.ts"
import { divided } from "../../domain/Money.ts"
import { position } from "../../domain/OrderNonce.ts"
import { type AccountStates, isSkipped, skipCost } from "../../domain/SkippedSweeps.ts"
import { endedEarly } from "../../domain/UnpaidSweeps.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Envelope from "../relay/Envelope.ts"
import { type Finished, partsOf } from "./Booking.ts"
import { type Concluding, CONCURRENCY, costOf } from "./Findings.ts"

/** A view of the delegate that returns one word, which makes the entry report success. */
const PROBE = { data: toFunctionSelector("guard()"), gasLimit: 50_000n }

/** A mined transaction, with its block. */
interface Mined extends Pick<Concluding, "block" | "receipt"> {
  readonly transaction: Pick<Concluding["transaction"], "attempts">
}

/** Sweeps of one owner that a transaction carried without settling any of the owner's. */
interface Missed {
  readonly owner: Address.Address
  readonly sweeps: ReadonlyArray<Finished>
}

/**
 * Owners of whom nothing settled. Gas for data in a sweep's limit follows another price, which the receipt does not show. A sweep that is
 * alone bears the whole cost all the same.
 */
const missedOf = (sweeps: ReadonlyArray<Finished>): ReadonlyArray<Missed> =>
  Array.from(
    Map.groupBy(sweeps, ({ intent }) => intent.order.owner),
    ([owner, own]) => ({ owner, sweeps: own.filter(({ isCarried }) => isCarried), all: own })
  ).filter(
    ({ all, sweeps: carried }) =>
      carried.length > 0 &&
      all.every(({ intent, isSettled }) => !isSettled && (sweeps.length === 1 || (intent.dataGas ?? 0n) === 0n))
  )

/** Sweeps that would have paid native currency to another account. If it has code, its class bears their loss. */
const unsettledPayouts = ({ chain }: Pick<ChainClient, "chain">, sweeps: ReadonlyArray<Finished>) =>
  sweeps.filter(({ intent, isCarried, isSettled }) => isCarried && !isSettled && paysOthers(chain, intent.order))

const authorizationsOf = ({ intent: { submission } }: Finished): ReadonlyArray<Authorization> =>
  submission?.authorization === undefined ? [] : [submission.authorization]

/** Signature of an authorization. Encodings differ in leading zeros. */
const keyOf = ({ r, s }: Pick<Authorization, "r" | "s">): string => `${hexToBigInt(r)}:${hexToBigInt(s)}`

/** Makes `skipsOf`, which returns what skipped sweeps cost at most in wei, by intent id. Others are absent. */
const makeSkips = Effect.map(SweepContracts, (contracts) => {
  /** Asks the entry itself if it skips the account at the end of the block. A call that reverts proves no skip. */
  const runsDelegate = (client: ChainClient, account: Address.Address, hash: Hash) =>
    client
      .call({ to: client.chain.contracts.entry, data: contracts.encodeRun([{ account, ...PROBE }]), block: { hash } })
      .pipe(
        Effect.map((word) => size(word) !== 32 || hexToBigInt(word) !== 0n),
        Effect.catchTag("CallReverted", () => Effect.succeed(true))
      )

  /** A lie would let others bear the cost of a sweep that ran, so two endpoints agree. */
  const statesOf = Effect.fnUntraced(function* (
    client: ChainClient,
    { block, receipt }: Mined,
    owner: Address.Address,
    authorized: AccountStates["authorized"]
  ) {
    const { blockHash } = receipt
    const read = Effect.all(
      [
        client.transactionCount(owner, { hash: block.parentHash }),
        client.transactionCount(owner, { hash: blockHash }),
        runsDelegate(client, owner, blockHash)
      ],
      { concurrency: "unbounded" }
    )
    const [before, after, isOurs] = yield* client.corroborated(read, { blockOf: () => block.number })
    return { before, after, runsDelegate: isOurs, authorized } satisfies AccountStates
  })

  return Effect.fnUntraced(function* (client: ChainClient, each: Mined, sweeps: ReadonlyArray<Finished>) {
    const { receipt, transaction } = each
    const missed = missedOf(sweeps)
    const mined = transaction.attempts.find(({ hash }) => hash === receipt.transactionHash)
    const costs = new Map<string, bigint>()
    // A part is the same with one sweep. A transaction that reverted skipped nothing.
    const isTold = sweeps.length > 1 || unsettledPayouts(client, sweeps).length > 0
    if (missed.length === 0 || !isTold || mined === undefined || receipt.status === "reverted") return costs
    const { authorizationList, data, to } = Envelope.parse(mined.raw)
    // Entries of other generations have other delegates, and that of the first one skips no account.
    if (to !== client.chain.contracts.entry || !contracts.isRun(data)) return costs
    const items = contracts.decodeRun(data)
    const signed = new Set(authorizationList.map(keyOf))
    const known = new Set(sweeps.flatMap((sweep) => authorizationsOf(sweep).map(keyOf)))
    const isAnyUnknown = [...signed].some((key) => !known.has(key))
    const ofOwner = Effect.fnUntraced(function* ({ owner, sweeps: own }: Missed) {
      const authorization = own.flatMap(authorizationsOf).find((its) => signed.has(keyOf(its)))
      if (!isSkipped(yield* statesOf(client, each, owner, authorization?.nonce))) return
      const wei = skipCost(
        { ...receipt, data },
        {
          calldata: items.filter(({ account }) => account === owner).map((item) => contracts.encodeRun([item])),
          // The authorization of a sweep that its owner signed again since may be any.
          isAuthorized: authorization !== undefined || isAnyUnknown
        }
      )
      const weights = own.map(({ intent }) => intent.gas)
      for (const [index, part] of divided(wei, weights).entries()) {
        const id = own[index]?.intent.id
        if (id !== undefined) costs.set(id, part)
      }
    })
    // Without an answer, a sweep bears the part of one that ran.
    yield* Effect.forEach(missed, (owner) => Effect.ignore(ofOwner(owner)), { concurrency: CONCURRENCY, discard: true })
    return costs
  })
})

/** Makes `unpaidOf`, which returns the ids of `sweeps` that are proved to have failed before they paid. */
const makeUnpaid = Effect.map(SweepContracts, (contracts) => {
  /** Nonces of the order's word that were used at the end of a block. A lie would cost first sweeps their budget, so two endpoints agree. */
  const usedAt = (client: ChainClient, { intent: { order } }: Finished, { hash, number }: Concluding["block"]) => {
    const read = contracts.nonceBitmap(client, order.owner, position(order.nonce).word, { hash })
    return client.corroborated(read, { blockOf: () => number, needsState: true })
  }

  return Effect.fnUntraced(function* (
    client: ChainClient,
    { block, receipt, transaction }: Mined,
    sweeps: ReadonlyArray<Finished>
  ) {
    const unpaid = new Set<string>()
    const mined = transaction.attempts.find(({ hash }) => hash === receipt.transactionHash)
    if (mined === undefined) return unpaid
    const { authorizationList, data } = Envelope.parse(mined.raw)
    const bill = { data, gasUsed: receipt.gasUsed, authorizations: authorizationList.length }
    const isUnpaid = Effect.fnUntraced(function* (sweep: Finished) {
      const { nonce } = sweep.intent.order
      if (!Generations.isKnown(client.chain, nonce)) return false
      if (endedEarly({ ...bill, isWordUnused: false })) return true
      const parent = { ...block, hash: block.parentHash, number: block.number - 1n }
      const [before, after] = yield* Effect.all([usedAt(client, sweep, parent), usedAt(client, sweep, block)], {
        concurrency: "unbounded"
      })
      // A nonce stays used.
      return (before & position(nonce).mask) !== 0n || endedEarly({ ...bill, isWordUnused: after === 0n })
    })
    // Without an answer, a sweep counts as one that may have paid.
    const add = (sweep: Finished) =>
      Effect.map(isUnpaid(sweep), (isProved) => {
        if (isProved) unpaid.add(sweep.intent.id)
      })
    yield* Effect.forEach(sweeps, (sweep) => Effect.ignore(add(sweep)), { concurrency: CONCURRENCY, discard: true })
    return unpaid
  })
})

/**
 * Makes `skipsOf`, which returns the cost in wei of sweeps that are proved to have run no code of the account that they pay, by intent id.
 * Those that the entry skipped cost at most that. Those that failed before they paid bear the same part as without this proof.
 */
export const make = Effect.gen(function* () {
  const skipsOf = yield* makeSkips
  const unpaidOf = yield* makeUnpaid

  return Effect.fnUntraced(function* (client: ChainClient, each: Mined, sweeps: ReadonlyArray<Finished>) {
    const costs = yield* skipsOf(client, each, sweeps)
    const others = unsettledPayouts(client, sweeps).filter(({ intent }) => !costs.has(intent.id))
    if (others.length === 0) return costs
    const unpaid = yield* unpaidOf(client, each, others)
    const bearing = sweeps.map((sweep) => ({ ...sweep, skipCost: costs.get(sweep.intent.id) }))
    for (const { cost, intentId } of partsOf(costOf(each.receipt), bearing)) {
      if (unpaid.has(intentId)) costs.set(intentId, cost)
    }
    return costs
  })
})
