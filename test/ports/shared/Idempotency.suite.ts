/** Contract of every store of keyed requests. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"

const LEASE = 1_000
const LIFETIME = 60_000

const request = (attempt: string, changes: { readonly id?: string; readonly fingerprint?: string } = {}) => ({
  id: "key",
  fingerprint: "body",
  attempt,
  leaseMillis: LEASE,
  lifetimeMillis: LIFETIME,
  ...changes
})

const attempt = (name: string) => ({ id: "key", attempt: name })
const answer = { status: 201, body: `{"id":"é"}` }

export const suite = (adapter: string, memory: Layer.Layer<Idempotency, unknown>) =>
  describe(`Idempotency on ${adapter}`, () => {
    it.effect("replays the answer to the same request, and to no other", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        expect(yield* keys.claim(request("a"))).toEqual({ _tag: "Claimed", resumed: false })
        yield* keys.complete(attempt("a"), answer)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "Answered", answer })
        expect(yield* keys.claim(request("c"))).toEqual({ _tag: "Answered", answer })
        expect(yield* keys.claim(request("d", { fingerprint: "other" }))).toEqual({ _tag: "Mismatched" })
        expect(yield* keys.claim(request("e", { id: "other" }))).toEqual({ _tag: "Claimed", resumed: false })
      }).pipe(Effect.provide(memory))
    )

    it.effect("keeps the reason of a refusal, until another request has the key", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        const refusal = { status: 422, body: "{}", sweepReason: "no_route" }
        yield* keys.claim(request("a"))
        yield* keys.complete(attempt("a"), refusal)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "Answered", answer: refusal })
        yield* TestClock.adjust(LIFETIME)
        yield* keys.claim(request("c"))
        yield* keys.complete(attempt("c"), answer)
        expect(yield* keys.claim(request("d"))).toEqual({ _tag: "Answered", answer })
      }).pipe(Effect.provide(memory))
    )

    it.effect("lets one of many execute", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        const claims = yield* Effect.forEach(Array.from({ length: 20 }, String), (name) => keys.claim(request(name)), {
          concurrency: "unbounded"
        })
        expect(claims.filter(({ _tag }) => _tag === "Claimed")).toHaveLength(1)
        expect(claims.filter(({ _tag }) => _tag === "InProgress")).toHaveLength(19)
        expect(yield* keys.claim(request("x", { fingerprint: "other" }))).toEqual({ _tag: "Mismatched" })
      }).pipe(Effect.provide(memory))
    )

    it.effect("frees the key of an attempt that died, for the same request alone", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        yield* keys.claim(request("dead"))
        yield* TestClock.adjust(LEASE - 1)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "InProgress" })
        yield* TestClock.adjust(1)
        expect(yield* keys.claim(request("c", { fingerprint: "other" }))).toEqual({ _tag: "Mismatched" })
        expect(yield* keys.claim(request("d"))).toEqual({ _tag: "Claimed", resumed: true })
        yield* keys.complete(attempt("dead"), { status: 500, body: "late" })
        yield* keys.release(attempt("dead"))
        yield* keys.extend(attempt("dead"), LIFETIME)
        expect(yield* keys.claim(request("e"))).toEqual({ _tag: "InProgress" })
        yield* keys.complete(attempt("d"), answer)
        expect(yield* keys.claim(request("f"))).toEqual({ _tag: "Answered", answer })
      }).pipe(Effect.provide(memory))
    )

    it.effect("lets no attempt that died keep the key from the next one", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        yield* keys.claim(request("dead"))
        yield* TestClock.adjust(LEASE)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "Claimed", resumed: true })
        yield* keys.extend(attempt("dead"), LIFETIME)
        yield* TestClock.adjust(LEASE)
        expect(yield* keys.claim(request("c"))).toEqual({ _tag: "Claimed", resumed: true })
      }).pipe(Effect.provide(memory))
    )

    it.effect("keeps the key of an attempt that goes on", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        yield* keys.claim(request("slow"))
        yield* TestClock.adjust(LEASE - 1)
        yield* keys.extend(attempt("slow"), LEASE)
        yield* TestClock.adjust(LEASE - 1)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "InProgress" })
        yield* TestClock.adjust(1)
        expect(yield* keys.claim(request("c"))).toEqual({ _tag: "Claimed", resumed: true })
      }).pipe(Effect.provide(memory))
    )

    it.effect("tells the fingerprints of keys until their lifetime ends, answered or not, and claims none", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        const told = Effect.map(keys.fingerprints(["a", "b", "c", "a"]), (found) => Object.fromEntries(found))
        expect(yield* keys.fingerprints([])).toEqual(new Map())
        expect(yield* told).toEqual({})
        yield* keys.claim(request("first", { id: "a", fingerprint: "one" }))
        yield* keys.claim(request("second", { id: "b", fingerprint: "two" }))
        yield* keys.claim(request("third", { id: "other" }))
        yield* keys.complete({ id: "b", attempt: "second" }, answer)
        expect(yield* told).toEqual({ a: "one", b: "two" })
        yield* TestClock.adjust(LEASE)
        expect(yield* told).toEqual({ a: "one", b: "two" })
        expect(yield* keys.claim(request("fourth", { id: "c" }))).toEqual({ _tag: "Claimed", resumed: false })
        yield* TestClock.adjust(LIFETIME - LEASE)
        expect(yield* told).toEqual({ c: "body" })
      }).pipe(Effect.provide(memory))
    )

    it.effect("gives a released key to the next attempt", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        yield* keys.claim(request("a"))
        yield* keys.release(attempt("a"))
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "Claimed", resumed: true })
      }).pipe(Effect.provide(memory))
    )

    it.effect("forgets a key at the end of its lifetime, answered or not", () =>
      Effect.gen(function* () {
        const keys = yield* Idempotency
        yield* keys.claim(request("a"))
        yield* keys.complete(attempt("a"), answer)
        yield* TestClock.adjust(LIFETIME - 1)
        expect(yield* keys.claim(request("b"))).toEqual({ _tag: "Answered", answer })
        yield* TestClock.adjust(1)
        expect(yield* keys.claim(request("c", { fingerprint: "other" }))).toEqual({ _tag: "Claimed", resumed: false })
        expect(yield* keys.claim(request("d"))).toEqual({ _tag: "Mismatched" })
      }).pipe(Effect.provide(memory))
    )
  })
