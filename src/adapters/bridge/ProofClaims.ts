/** Makes a proof on a chain that of one order, also across replicas and restarts. */
import { Effect } from "effect"
import type { Idempotency } from "../../ports/shared/Idempotency.ts"

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
