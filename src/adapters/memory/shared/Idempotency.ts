/** Keyed requests in memory, for tests. */
import { Clock, Effect, HashMap, Layer, Option, Ref } from "effect"
import { type KeyedAttempt, type KeyClaim, Idempotency, type StoredAnswer } from "../../../ports/shared/Idempotency.ts"

interface Held {
  readonly fingerprint: string
  readonly attempt: string
  readonly leaseUntilMs: number
  readonly expiresAtMs: number
  readonly answer?: StoredAnswer
}

const claimed = (resumed: boolean): KeyClaim => ({ _tag: "Claimed", resumed })

const refusal = (held: Held, fingerprint: string, now: number): KeyClaim | undefined => {
  if (held.fingerprint !== fingerprint) return { _tag: "Mismatched" }
  if (held.answer !== undefined) return { _tag: "Answered", answer: held.answer }
  return held.leaseUntilMs > now ? { _tag: "InProgress" } : undefined
}

const make = Effect.gen(function* () {
  const keys = yield* Ref.make(HashMap.empty<string, Held>())

  const claim: Idempotency["Service"]["claim"] = Effect.fnUntraced(function* (request) {
    const now = yield* Clock.currentTimeMillis
    return yield* Ref.modify(keys, (current) => {
      const standing = Option.filter(HashMap.get(current, request.id), ({ expiresAtMs }) => expiresAtMs > now)
      const refused = Option.isSome(standing) ? refusal(standing.value, request.fingerprint, now) : undefined
      if (refused !== undefined) return [refused, current]
      const held: Held = {
        fingerprint: request.fingerprint,
        attempt: request.attempt,
        leaseUntilMs: now + request.leaseMillis,
        expiresAtMs: now + request.lifetimeMillis
      }
      return [claimed(Option.isSome(standing)), HashMap.set(current, request.id, held)]
    })
  })

  const fingerprints: Idempotency["Service"]["fingerprints"] = Effect.fnUntraced(function* (ids) {
    const now = yield* Clock.currentTimeMillis
    const current = yield* Ref.get(keys)
    const found = new Map<string, string>()
    for (const id of ids) {
      const held = Option.getOrUndefined(HashMap.get(current, id))
      if (held !== undefined && held.expiresAtMs > now) found.set(id, held.fingerprint)
    }
    return found
  })

  const change = ({ attempt, id }: KeyedAttempt, step: (held: Held) => Held) =>
    Ref.update(
      keys,
      HashMap.modify(id, (held) => (held.attempt === attempt ? step(held) : held))
    )

  return Idempotency.of({
    claim,
    fingerprints,
    extend: (attempt, leaseMillis) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        change(attempt, (held) => ({ ...held, leaseUntilMs: now + leaseMillis }))
      ),
    complete: (attempt, answer) => change(attempt, (held) => ({ ...held, answer })),
    release: (attempt) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => change(attempt, (held) => ({ ...held, leaseUntilMs: now })))
  })
})

export const layer = Layer.effect(Idempotency, make)
