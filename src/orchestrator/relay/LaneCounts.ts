/**
 * Reads transaction counts of lanes. A lane signs with a count that is above its stored nonces, and nodes keep what is signed with a count
 * that is too high for ever. So such a count needs a second endpoint. One that stored nonces explain costs no further request.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { mayBothHold } from "../../domain/LaneSlots.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { LaneLoads } from "./LaneLoads.ts"
import * as NonceDoubts from "./NonceDoubts.ts"

/** A lane as it is known. */
interface Known {
  /** The last transaction count that was accepted. */
  readonly count: bigint
  /** One more than the highest nonce that is known to be stored. A count up to it needs no second endpoint. */
  readonly stored: bigint
  /** Highest count that two endpoints agree on. Falls to the next count that is accepted below it. */
  readonly proved: bigint
}

/** A transaction count, or the reason for which none is accepted. */
export type Counted =
  | { readonly _tag: "Count"; readonly nonce: bigint }
  | { readonly _tag: "Doubt"; readonly cause: ChainUnavailable }

const highest = (...[first, ...rest]: readonly [bigint, ...ReadonlyArray<bigint>]): bigint =>
  rest.reduce((most, value) => (value > most ? value : most), first)

/** A transaction count of a lane. */
interface Agreed {
  readonly nonce: bigint
  /** False if no second endpoint has answered. */
  readonly isProved: boolean
}

/** The lower one of the transaction counts of two endpoints that `isSame` accepts. Fails if it does not. */
const lowest = (
  { corroborated }: ChainClient,
  read: Effect.Effect<bigint, ChainUnavailable>,
  isSame: typeof mayBothHold
) =>
  Effect.suspend(() => {
    const others: Array<bigint> = []
    // The count of an outvoted endpoint is none of these.
    const compare = (one: bigint, other: bigint) => {
      const isAccepted = isSame(one, other)
      if (isAccepted) others.push(other)
      return isAccepted
    }
    return Effect.map(corroborated(read, { isSame: compare }), (count): Agreed => ({
      nonce: others.reduce((least, other) => (other < least ? other : least), count),
      isProved: others.length > 0
    }))
  })

/** One of the endpoints may be some blocks behind. */
const lower = (client: ChainClient, read: Effect.Effect<bigint, ChainUnavailable>) => lowest(client, read, mayBothHold)

const equal = (client: ChainClient, read: Effect.Effect<bigint, ChainUnavailable>) =>
  lowest(client, read, (one, other) => one === other)

const logDoubt = ({ chain }: ChainClient, lane: Address.Address, { message }: ChainUnavailable) =>
  Effect.logWarning("relay.nonce_doubted").pipe(
    Effect.annotateLogs({ chain: chain.name, chainId: chain.id, lane, detail: message })
  )

/**
 * Makes `countOf(client, lane)`. While two endpoints contradict each other, a lane keeps the count that was accepted last, which is too low
 * at worst. Without one there is a doubt. `leave(client, lane)` ends the alert of a lane whose count is no longer needed.
 */
export const make = Effect.gen(function* () {
  const doubts = yield* NonceDoubts.make
  const loads = yield* Effect.serviceOption(LaneLoads)
  const transactions = yield* RelayTransactions
  const known = new Map<string, Known>()

  /** One more than the highest nonce that this process has stored, as far as it remembers. 0 without one. */
  const sentHere = ({ chain }: ChainClient, address: Address.Address): bigint =>
    Option.match(loads, { onNone: () => 0n, onSome: (each) => each.of(chain.id, { address, nonce: 0n }).nextNonce })

  /** The lower count of two endpoints. While they contradict each other, the one that was accepted last. */
  const proved = (
    client: ChainClient,
    lane: Address.Address,
    before: Known | undefined,
    proof: Effect.Effect<Agreed, ChainUnavailable>
  ) =>
    Effect.matchEffect(proof, {
      onSuccess: ({ isProved, nonce }) =>
        Effect.as(doubts.end(client, lane), { counted: { _tag: "Count", nonce } as Counted, isProved }),
      onFailure: Effect.fnUntraced(function* (cause) {
        yield* logDoubt(client, lane, cause)
        if (cause.isContradiction === true) {
          yield* doubts.note(client, lane, { cause, isWaiting: before === undefined })
        }
        const counted: Counted =
          before === undefined ? { _tag: "Doubt", cause } : { _tag: "Count", nonce: before.count }
        return { counted, isProved: false }
      })
    })

  /** A count that needs no second endpoint. After a contradiction, a second one has to show that it has ended. */
  const explained = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, nonce: bigint) {
    const counted: Counted = { _tag: "Count", nonce }
    if (yield* doubts.standsFor(client, lane)) {
      const accepted = { count: nonce, stored: nonce, proved: nonce }
      yield* proved(client, lane, accepted, lower(client, client.transactionCount(lane, "latest")))
    }
    return { counted, isProved: false }
  })

  const look = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, before: Known | undefined) {
    const { chain } = client
    const read = client.transactionCount(lane, "latest")
    const next = transactions.nextNonce(chain.id, lane)
    const sent = sentHere(client, lane)
    const here = highest(before?.stored ?? 0n, sent)
    const isNew = before === undefined && here === 0n
    const atMost = isNew ? yield* next : here
    if (isNew && atMost === 0n) return { ...(yield* proved(client, lane, before, equal(client, read))), stored: atMost }
    const nonce = yield* read
    // Other processes send from the lane, too. And the highest nonce may be one that ended without a block, since it was too high.
    const isOld = !isNew && (nonce > atMost || (nonce < atMost && sent < atMost))
    const stored = isOld ? highest(sent, yield* next) : atMost
    if (nonce <= highest(stored, before?.proved ?? 0n)) return { ...(yield* explained(client, lane, nonce)), stored }
    return { ...(yield* proved(client, lane, before, lower(client, read))), stored }
  })

  const countOf = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address) {
    const key = `${client.chain.id}:${lane}`
    const before = known.get(key)
    const { counted, isProved, stored } = yield* look(client, lane, before)
    if (counted._tag === "Count") {
      const { nonce } = counted
      const agreed = before?.proved ?? 0n
      known.set(key, { count: nonce, stored, proved: isProved || nonce < agreed ? nonce : agreed })
    }
    return counted
  })
  return { countOf, leave: doubts.end }
})
