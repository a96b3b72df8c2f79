/** Guesses of bearer tokens: a client that used its own up is refused, and nobody else notices. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings } from "../../../src/server/shared/ServerSettings.ts"
import * as WrongTokens from "../../../src/server/shared/WrongTokens.ts"

const LIMIT = 20

interface Caller {
  /** Address of the connection. Absent: unknown. */
  readonly peer?: string
  readonly forwardedFor?: string
}

const requestOf = ({ forwardedFor, peer }: Caller) =>
  HttpServerRequest.fromWeb(
    new Request("http://service.internal/accruals", {
      headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }
    })
  ).modify({ remoteAddress: Option.fromUndefinedOr(peer) })

/** A service behind one proxy, on the counts of the context. */
const serving = (service: WrongTokens.GuessedService["Service"], trustedProxyHops = 1) =>
  Effect.map(
    WrongTokens.make.pipe(
      Effect.provide([WrongTokens.GuessedService.layer(service), ServerSettings.layer({ trustedProxyHops })])
    ),
    (judge) => {
      /** Outcome of a token: the tag of the failure, or `admitted`. */
      const outcome = (caller: Caller, isRight: boolean) =>
        judge(isRight).pipe(
          Effect.provideService(HttpServerRequest.HttpServerRequest, requestOf(caller)),
          Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "admitted" as const })
        )
      return {
        right: (caller: Caller) => outcome(caller, true),
        /** Uses up the guesses of a caller. */
        useUp: Effect.fnUntraced(function* (caller: Caller) {
          for (let n = 0; n < LIMIT; n++) assert.strictEqual(yield* outcome(caller, false), "Unauthorized")
          assert.strictEqual(yield* outcome(caller, false), "RateLimitExceeded")
          assert.strictEqual(yield* outcome(caller, true), "RateLimitExceeded")
        })
      }
    }
  )

const counts = RateLimiter.layer.pipe(Layer.provide(RateLimitStore.layerMemory))

describe("WrongTokens", () => {
  it.effect("of one caller inside the network refuse no other one", () =>
    Effect.gen(function* () {
      const { right, useUp } = yield* serving("builder-backend")
      yield* useUp({ peer: "10.0.0.5" })
      assert.strictEqual(yield* right({ peer: "10.0.0.6" }), "admitted")
      yield* useUp({ peer: "fd00::5" })
      assert.strictEqual(yield* right({ peer: "fd00::6" }), "admitted")
    }).pipe(Effect.provide(counts))
  )

  it.effect("of a caller that forges or garbles the header refuse no other one", () =>
    Effect.gen(function* () {
      const { right, useUp } = yield* serving("builder-backend")
      yield* useUp({ peer: "10.0.0.9", forwardedFor: "10.0.0.6" })
      yield* useUp({ peer: "10.0.0.9", forwardedFor: "unknown" })
      yield* useUp({ forwardedFor: "unknown" })
      assert.strictEqual(yield* right({ peer: "10.0.0.6" }), "admitted")
      assert.strictEqual(yield* right({ peer: "10.0.0.9", forwardedFor: "192.0.2.1" }), "admitted")
    }).pipe(Effect.provide(counts))
  )

  it.effect("are counted by one address of a peer, also when it is mapped into IPv6", () =>
    Effect.gen(function* () {
      const { right, useUp } = yield* serving("builder-backend")
      yield* useUp({ peer: "::ffff:10.0.0.5" })
      assert.strictEqual(yield* right({ peer: "10.0.0.5" }), "RateLimitExceeded")
    }).pipe(Effect.provide(counts))
  )

  it.effect("are counted by the forwarded address behind a proxy, and by the /64 of the peer without one", () =>
    Effect.gen(function* () {
      const proxied = yield* serving("builder-backend")
      yield* proxied.useUp({ peer: "10.0.0.2", forwardedFor: "192.0.2.1" })
      assert.strictEqual(yield* proxied.right({ peer: "10.0.0.3", forwardedFor: "192.0.2.1" }), "RateLimitExceeded")
      assert.strictEqual(yield* proxied.right({ peer: "10.0.0.2", forwardedFor: "192.0.2.2" }), "admitted")
      const open = yield* serving("builder-backend", 0)
      yield* open.useUp({ peer: "2001:db8::1" })
      assert.strictEqual(yield* open.right({ peer: "2001:db8::2" }), "RateLimitExceeded")
    }).pipe(Effect.provide(counts))
  )

  it.effect("at one service refuse nobody at the other one, which shares the store", () =>
    Effect.gen(function* () {
      const [orchestrator, builder] = [yield* serving("orchestrator"), yield* serving("builder-backend")]
      yield* orchestrator.useUp({ peer: "10.0.0.5" })
      assert.strictEqual(yield* builder.right({ peer: "10.0.0.5" }), "admitted")
    }).pipe(Effect.provide(counts))
  )
})
