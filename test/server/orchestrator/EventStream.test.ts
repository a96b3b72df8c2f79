import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import * as EventStream from "../../../src/server/orchestrator/EventStream.ts"
import { defaults, ServerSettings } from "../../../src/server/shared/ServerSettings.ts"

const state = { id: "1", data: "{}", isFinal: false }

const from = (address: string) =>
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(
      new Request("http://127.0.0.1/intents/1/events", { headers: { "x-forwarded-for": address } })
    )
  )

describe("event streams", () => {
  it.effect("have a limit for all clients together, until one of them ends", () =>
    Effect.gen(function* () {
      const respond = yield* EventStream.makeWith(2)
      const open = (address: string) => respond(state, Stream.make(state)).pipe(from(address))
      const first = yield* Scope.make()
      yield* Scope.provide(open("192.0.2.1"), first)
      yield* open("192.0.2.2")
      assert.strictEqual((yield* Effect.flip(open("192.0.2.3")))._tag, "Unavailable")
      yield* Scope.close(first, Exit.void)
      yield* open("192.0.2.3")
    }).pipe(Effect.provideService(ServerSettings, { ...defaults, trustedProxyHops: 1 }))
  )

  it.effect("have a limit for all networks of an IPv6 site, until one of them ends", () =>
    Effect.gen(function* () {
      const respond = yield* EventStream.make
      const open = (address: string) => respond(state, Stream.make(state)).pipe(from(address))
      const first = yield* Scope.make()
      yield* Scope.provide(open("2001:db8:1:0::1"), first)
      for (let network = 1; network < 500; network += 1) yield* open(`2001:db8:1:${network}::1`)
      assert.strictEqual((yield* Effect.flip(open("2001:db8:1:fff::1")))._tag, "RateLimitExceeded")
      yield* open("2001:db8:2::1")
      yield* open("192.0.2.1")
      yield* Scope.close(first, Exit.void)
      yield* open("2001:db8:1:fff::1")
      assert.strictEqual((yield* Effect.flip(open("2001:db8:1:ffe::1")))._tag, "RateLimitExceeded")
    }).pipe(Effect.provideService(ServerSettings, { ...defaults, trustedProxyHops: 1 }))
  )
})
