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

/** A lane as it is known. */
interface Known {
  /** The last transaction count that was accepted. */
  readonly count: bigint
  /** Highest transaction count that needs no second endpoint. */
  readonly most: bigint
}

/** A transaction count, or the reason for which none is accepted. */
export type Counted =
  | { readonly _tag: "Count"; readonly nonce: bigint }
  | { readonly _tag: "Doubt"; readonly cause: ChainUnavailable }

const highest = (...[first, ...rest]: readonly [bigint, ...ReadonlyArray<bigint>]): bigint =>
  rest.reduce((most, value) => (value > most ? value : most), first)

/** The lower one of the transaction counts of two endpoints, of which one may be some blocks behind. Fails if they are too far apart. */
const lower = ({ corroborated }: ChainClient, read: Effect.Effect<bigint, ChainUnavailable>) =>
  Effect.suspend(() => {
    const others: Array<bigint> = []
    const isSame = (one: bigint, other: bigint) => {
      others.push(other)
      return mayBothHold(one, other)
    }
    return Effect.map(corroborated(read, { isSame }), (count) =>
      others.reduce((least, other) => (other < least ? other : least), count)
    )
  })

const logDoubt = ({ chain }: ChainClient, lane: Address.Address, { message }: ChainUnavailable) =>
  Effect.logWarning("relay.nonce_doubted").pipe(
    Effect.annotateLogs({ chain: chain.name, chainId: chain.id, lane, detail: message })
  )

/**
 * Makes `countOf(client, lane)`. While two endpoints contradict each other, a lane keeps the count that was accepted last, which is too low
 * at worst. Without one there is a doubt.
 */
export const make = Effect.gen(function* () {
  const loads = yield* Effect.serviceOption(LaneLoads)
  const transactions = yield* RelayTransactions
  const known = new Map<string, Known>()

  /** One more than the highest nonce that this process has stored, as far as it remembers. 0 without one. */
  const sentHere = ({ chain }: ChainClient, address: Address.Address): bigint =>
    Option.match(loads, { onNone: () => 0n, onSome: (each) => each.of(chain.id, { address, nonce: 0n }).nextNonce })

  /** One more than the highest nonce of the lane's unfinished transactions, whichever process stored them. 0 without any. */
  const stored = ({ chain }: ChainClient, lane: Address.Address) =>
    Effect.map(transactions.unfinished(chain.id), (all) =>
      all.reduce((next, each) => (each.lane === lane ? highest(next, each.nonce + 1n) : next), 0n)
    )

  /** The lower count of two endpoints. While they contradict each other, the one that was accepted last. */
  const proved = (
    client: ChainClient,
    lane: Address.Address,
    before: Known | undefined,
    proof: Effect.Effect<bigint, ChainUnavailable>
  ) =>
    Effect.matchEffect(proof, {
      onSuccess: (nonce) => Effect.succeed<Counted>({ _tag: "Count", nonce }),
      onFailure: (cause) =>
        Effect.as(
          logDoubt(client, lane, cause),
          before === undefined ? ({ _tag: "Doubt", cause } as const) : ({ _tag: "Count", nonce: before.count } as const)
        )
    })

  const look = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, before: Known | undefined) {
    const read = client.transactionCount(lane, "latest")
    const here = highest(before?.most ?? 0n, sentHere(client, lane))
    const isNew = before === undefined && here === 0n
    const next = isNew ? yield* stored(client, lane) : here
    if (isNew && next === 0n) {
      return { counted: yield* proved(client, lane, before, client.corroborated(read)), most: next }
    }
    const nonce = yield* read
    if (nonce <= next) return { counted: { _tag: "Count", nonce } as const, most: next }
    // Other processes send from the lane, too.
    const most = isNew ? next : highest(next, yield* stored(client, lane))
    if (nonce <= most) return { counted: { _tag: "Count", nonce } as const, most }
    return { counted: yield* proved(client, lane, before, lower(client, read)), most }
  })

  return Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address) {
    const key = `${client.chain.id}:${lane}`
    const { counted, most } = yield* look(client, lane, known.get(key))
    if (counted._tag === "Count") known.set(key, { count: counted.nonce, most: highest(most, counted.nonce) })
    return counted
  })
})
