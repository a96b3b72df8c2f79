/** Makes a proof on a chain that of one order, also across replicas and restarts. */
import { Effect, Random } from "effect"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** A claim is kept for longer than any delivery is awaited. */
const CLAIM_MILLIS = 10 * 365 * 86_400_000

/** Time after which a claim that a crash interrupted can be made again by the same order. */
const LEASE_MILLIS = 10_000

/**
 * Makes `claim(id, order)`. `own`: the proof with this id is the order's. `another's`: it is another order's. `later`: another replica
 * claims it for this order now, or stopped while it did.
 */
export const make = (idempotency: Idempotency["Service"]) =>
  Effect.fnUntraced(function* (id: string, order: string) {
    const claimed = yield* idempotency.claim({
      id,
      attempt: order,
      fingerprint: order,
      leaseMillis: LEASE_MILLIS,
      lifetimeMillis: CLAIM_MILLIS
    })
    if (claimed._tag === "Answered") return "own" as const
    if (claimed._tag === "Mismatched") return "another's" as const
    if (claimed._tag === "InProgress") return "later" as const
    yield* idempotency.complete({ id, attempt: order }, { status: 200, body: "" })
    return "own" as const
  })

/** Result of `take`. `Own`: this proof is the order's. `None`: it got none. `Later`: another replica chooses for this order now. */
export type Taken =
  | { readonly _tag: "Own"; readonly id: string }
  | { readonly _tag: "None" }
  | { readonly _tag: "Later" }

/** Makes the claims of orders that have several proofs to choose from. An order gets one of them. */
export const makeOne = (idempotency: Idempotency["Service"]) => {
  const claim = make(idempotency)

  const choose = Effect.fnUntraced(function* (
    proved: ReadonlyArray<string>,
    all: ReadonlyArray<string>,
    order: string
  ): Effect.fn.Return<Taken, StoreUnavailable> {
    const holders = yield* idempotency.fingerprints(all)
    const isBound = all.some((id) => holders.get(id) === order)
    for (const id of isBound ? proved.filter((each) => holders.get(each) === order) : proved) {
      const claimed = yield* claim(id, order)
      if (claimed === "own") return { _tag: "Own", id }
      // Otherwise the order would take a second proof, which may be the only one of another order.
      if (claimed === "later") return { _tag: "Later" }
    }
    return { _tag: "None" }
  })

  /**
   * Makes the first of the proved ids that no other order has the order's. An order that has one of all ids already gets no other.
   * Replicas may see different proofs of one order at the same time, so one of them chooses at a time.
   */
  const take = Effect.fnUntraced(function* (
    proved: ReadonlyArray<string>,
    all: ReadonlyArray<string>,
    order: string
  ): Effect.fn.Return<Taken, StoreUnavailable> {
    if (proved.length === 0) return { _tag: "None" }
    const attempt = String(yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER))
    const turn = { id: `proof-turn:${order}`, attempt }
    const lease = { fingerprint: order, leaseMillis: LEASE_MILLIS, lifetimeMillis: LEASE_MILLIS }
    const began = yield* idempotency.claim({ ...turn, ...lease })
    if (began._tag !== "Claimed") return { _tag: "Later" }
    // A turn that is not released ends with its lease.
    return yield* Effect.ensuring(choose(proved, all, order), Effect.ignore(idempotency.release(turn)))
  })

  return {
    /** Returns the orders that have proofs with these ids, by id. */
    holders: idempotency.fingerprints,
    take
  }
}
