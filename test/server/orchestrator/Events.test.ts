/** GET /intents/:id/events: an addition beside the spec. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Schedule, type Scope } from "effect"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import type { Intent } from "../../../src/ports/orchestrator/Intents.ts"
import { defaults } from "../../../src/server/shared/ServerSettings.ts"
import type { ListenOptions } from "../../../src/server/shared/ServiceServer.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { ID, intent, TX, wireTerms } from "./Fixtures.ts"

/** Milliseconds between two reads of an intent that somebody follows. */
const POLL_MILLIS = 250

/** A server whose intent is what the test says. */
const serving = Effect.fnUntraced(function* (first: Intent = intent, listen: Partial<ListenOptions> = {}) {
  let current: Effect.Effect<Intent, StoreUnavailable> = Effect.succeed(first)
  let reads = 0
  const find = (id: string) =>
    Effect.suspend(() => {
      reads++
      return id === ID ? Effect.asSome(current) : Effect.succeedNone
    })
  const { base, call } = yield* serve(
    { find },
    {
      rateLimits: { ...defaults.rateLimits, orchestrator: { limit: 10_000, windowMillis: 60_000 } },
      trustedProxyHops: 1
    },
    listen
  )
  return {
    base,
    call,
    reads: () => reads,
    become: (next: Effect.Effect<Intent, StoreUnavailable>) =>
      Effect.sync(() => {
        current = next
      })
  }
})

interface Reader {
  /** Text until it holds `part`. */
  readonly until: (part: string) => Effect.Effect<string>
  /** The rest of the stream. */
  readonly rest: Effect.Effect<string>
  readonly headers: Headers
}

const open = (base: string, headers: Record<string, string> = {}): Effect.Effect<Reader, never, Scope.Scope> =>
  Effect.gen(function* () {
    const abort = new AbortController()
    yield* Effect.addFinalizer(() => Effect.sync(() => abort.abort()))
    const response = yield* Effect.promise(() =>
      fetch(`${base}/intents/${ID}/events`, { headers, signal: abort.signal })
    )
    assert.strictEqual(response.status, 200)
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    assert.isDefined(body)
    let text = ""
    const read = Effect.promise(async () => {
      const { done, value } = await body.read()
      text += value ?? ""
      return done
    })
    return {
      headers: response.headers,
      until: (part) =>
        Effect.gen(function* () {
          while (!text.includes(part) && !(yield* read));
          const taken = text
          text = ""
          return taken
        }),
      rest: Effect.gen(function* () {
        while (!(yield* read));
        return text
      })
    }
  })

const dataOf = (text: string): ReadonlyArray<unknown> =>
  text.split("\n").flatMap((line) => (line.startsWith("data: ") ? [JSON.parse(line.slice(6))] : []))

const delivered: Intent = { ...intent, status: "delivered", txHash: TX, deliveryTxHash: TX }

describe("GET /intents/:id/events", () => {
  it.effect("tells the state at once, then each other one, and ends after the last", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { base, become } = yield* serving()
        const events = yield* open(base)
        assert.strictEqual(events.headers.get("content-type"), "text/event-stream")
        assert.strictEqual(events.headers.get("cache-control"), "no-store")
        const first = yield* events.until("data:")
        assert.deepStrictEqual(dataOf(first), [{ id: ID, status: "submitted", crossChain: false, ...wireTerms }])
        yield* become(Effect.succeed({ ...intent, txHash: TX }))
        assert.deepStrictEqual(dataOf(yield* events.until("data:")), [
          { id: ID, status: "submitted", crossChain: false, txHash: TX, ...wireTerms }
        ])
        yield* become(Effect.succeed(delivered))
        const last = yield* events.rest
        assert.deepStrictEqual(dataOf(last), [
          { id: ID, status: "delivered", crossChain: false, txHash: TX, deliveryTxHash: TX, ...wireTerms }
        ])
        assert.include(last, "id: delivered\n")
      })
    )
  )

  it.effect("tells a final state and ends, and 204 to who knows it", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { base, call } = yield* serving({ ...intent, status: "failed", failureReason: "expired" })
        const events = yield* open(base, { "last-event-id": "submitted" })
        assert.deepStrictEqual(dataOf(yield* events.rest), [
          { id: ID, status: "failed", crossChain: false, failureReason: "expired", ...wireTerms }
        ])
        const known = yield* call(`/intents/${ID}/events`, { headers: { "last-event-id": "failed" } })
        assert.strictEqual(known.status, 204)
        assert.strictEqual(known.text, "")
      })
    )
  )

  it.effect("goes on after the store was down", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { base, become, reads } = yield* serving()
        const events = yield* open(base)
        yield* events.until("data:")
        yield* become(Effect.fail(new StoreUnavailable({ operation: "find", detail: "made to fail" })))
        const before = reads()
        yield* Effect.sleep("20 millis").pipe(Effect.repeat({ until: () => reads() > before + 1 }))
        yield* become(Effect.succeed(delivered))
        assert.include(yield* events.rest, "delivered")
      })
    )
  )

  it.effect("shares reads between followers, and reads nothing for nobody", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { base, reads } = yield* serving()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const all = yield* Effect.all(Array.from({ length: 20 }, () => open(base)))
            yield* Effect.forEach(all, ({ until }) => until("data:"))
            const before = reads()
            const [elapsed] = yield* Effect.timed(
              Effect.sleep("20 millis").pipe(Effect.repeat({ until: () => reads() >= before + 4 }))
            )
            // Followers that read by themselves would read twenty times as often.
            assert.isAtLeast(Duration.toMillis(elapsed), 2 * POLL_MILLIS)
          })
        )
        // The server notices one after the other that they are gone; the test ends by its timeout if it does not.
        const readsMeanwhile = Effect.suspend(() => {
          const before = reads()
          return Effect.as(
            Effect.sleep(3 * POLL_MILLIS),
            Effect.sync(() => reads() - before)
          )
        }).pipe(Effect.flatten)
        yield* readsMeanwhile.pipe(Effect.repeat({ until: (count) => count === 0 }))
      })
    )
  )

  it.effect("429: a client has too many streams, until one of them ends", () =>
    withLiveClock(
      Effect.gen(function* () {
        const { base, become, call } = yield* serving()
        const mine = { "x-forwarded-for": "192.0.2.7" }
        const taken = yield* Deferred.make<void>()
        yield* Effect.forkScoped(
          Effect.scoped(
            Effect.gen(function* () {
              yield* Effect.forEach(Array.from({ length: 90 }), () => open(base, mine), { concurrency: 10 })
              yield* Deferred.succeed(taken, undefined)
              return yield* Effect.never
            })
          )
        )
        yield* Deferred.await(taken)
        for (let left = 10; left > 0; left--) yield* open(base, mine)
        const refused = yield* call(`/intents/${ID}/events`, { headers: mine })
        expectError(refused, 429, "rate limit exceeded")
        assert.isNotNull(refused.headers.get("retry-after"))
        yield* open(base, { "x-forwarded-for": "192.0.2.8" })
        yield* become(Effect.succeed(delivered))
        const again = yield* call(`/intents/${ID}/events`, { headers: { "x-forwarded-for": "192.0.2.7" } }).pipe(
          Effect.repeat({ until: ({ status }) => status !== 429, schedule: Schedule.spaced("50 millis") })
        )
        assert.strictEqual(again.status, 200)
      })
    )
  )

  it.effect("404: an intent that is not known, and 503 when the store is down", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const id of ["x", "00000000-0000-4000-8000-000000000000"]) {
        expectError(yield* call(`/intents/${id}/events`), 404, "not found")
      }
      const down = yield* serve({ find: () => storeDown })
      expectError(yield* down.call(`/intents/${ID}/events`), 503, "internal error")
    })
  )

  it.effect("goes on while the server is drained, so that its client does not come back to it", () =>
    withLiveClock(
      Effect.gen(function* () {
        const stopping = yield* Deferred.make<void>()
        const started = yield* Deferred.make<Effect.Success<ReturnType<typeof serving>>>()
        yield* Effect.forkScoped(
          Effect.scoped(
            Effect.gen(function* () {
              yield* Deferred.succeed(
                started,
                yield* serving(intent, { drain: "2 seconds", gracefulShutdownTimeout: "1 hour" })
              )
              yield* Deferred.await(stopping)
            })
          )
        )
        const { base, become, call } = yield* Deferred.await(started)
        const events = yield* open(base)
        yield* events.until("data:")
        yield* Deferred.succeed(stopping, undefined)
        yield* call("/readyz").pipe(Effect.repeat({ until: ({ status }) => status === 503 }))
        yield* become(Effect.succeed({ ...intent, txHash: TX }))
        assert.include(yield* events.until("data:"), TX)
        yield* events.rest
      })
    )
  )

  it.effect("ends when the server stops", () =>
    withLiveClock(
      Effect.gen(function* () {
        const stopping = yield* Deferred.make<void>()
        const address = yield* Deferred.make<string>()
        yield* Effect.forkScoped(
          Effect.scoped(
            Effect.gen(function* () {
              // Without the end of the stream, the server would wait for it.
              const { base } = yield* serving(intent, { gracefulShutdownTimeout: "1 hour" })
              yield* Deferred.succeed(address, base)
              yield* Deferred.await(stopping)
            })
          )
        )
        const events = yield* open(yield* Deferred.await(address))
        yield* events.until("data:")
        yield* Deferred.succeed(stopping, undefined)
        yield* events.rest
      })
    )
  )
})
