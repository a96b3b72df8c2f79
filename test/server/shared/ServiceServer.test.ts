/** Both services stop, and close connections that are idle or too slow, in the same way. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpServer } from "effect/http"
import { connect } from "node:net"
import { OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import { parts } from "../../ports/builder/OrchestratorOperations.suite.ts"
import * as Builder from "../builder/Harness.ts"
import * as OrchestratorFixtures from "../orchestrator/Fixtures.ts"
import * as Orchestrator from "../orchestrator/Harness.ts"

interface Service {
  readonly base: string
  /** Path of a route that takes a body. */
  readonly bodyPath: string
  /** Asks for what the service answers once `held` ends. */
  readonly request: Effect.Effect<Response, unknown>
}

interface Options {
  readonly held?: Effect.Effect<void>
  readonly idleTimeout?: number
}

/** Requests in flight are given time that no busy machine needs. */
const listening = ({ idleTimeout }: Options) =>
  ({
    gracefulShutdownTimeout: "1 minute",
    ...(idleTimeout === undefined ? {} : { idleTimeout })
  }) as const

const orchestrator = Effect.fnUntraced(function* (options: Options) {
  const { held = Effect.void } = options
  const { base } = yield* Orchestrator.serve(
    { quote: (request) => Effect.as(held, OrchestratorFixtures.offer(request)) },
    {},
    listening(options)
  )
  const body = JSON.stringify(OrchestratorFixtures.quoteRequest)
  const request = Effect.tryPromise(() => fetch(`${base}/quote`, { method: "POST", body }))
  return { base, bodyPath: "/quote", request } satisfies Service
})

const builder = Effect.fnUntraced(function* (options: Options) {
  const { held = Effect.void } = options
  const context = yield* Layer.build(
    Builder.layer({
      operations: Layer.mock(OrchestratorOperations, { health: Effect.as(held, parts.health) }),
      ...listening(options)
    })
  )
  const address = Context.get(context, HttpServer.HttpServer).address
  const base = `http://127.0.0.1:${address._tag === "UnixPathAddress" ? assert.fail() : address.port}`
  const headers = { authorization: `Bearer ${Builder.ADMIN_TOKEN}` }
  const request = Effect.tryPromise(() => fetch(`${base}/admin/operations/health`, { headers }))
  return { base, bodyPath: "/auth/verify", request } satisfies Service
})

/** Sends `head`, then `drop` once a second, and returns what comes back until the connection closes. */
const drip = (base: string, head: string, drop: string) => {
  const { hostname, port } = new URL(base)
  return Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(Number(port), hostname, () => socket.write(head))
    const timer = setInterval(() => socket.write(drop), 1_000)
    socket.on("data", (data) => {
      received += data.toString()
    })
    // The server may be gone when a drop is sent.
    socket.on("error", () => undefined)
    socket.once("close", () => {
      clearInterval(timer)
      resume(Effect.succeed(received))
    })
    return Effect.sync(() => {
      clearInterval(timer)
      socket.destroy()
    })
  })
}

describe.each([
  ["orchestrator", orchestrator],
  ["builder backend", builder]
] as const)("the %s", { concurrent: true }, (_, start) => {
  it.live("answers what it is working on before it stops, and takes nothing more", () =>
    Effect.gen(function* () {
      const [arrived, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const held = Effect.andThen(Deferred.succeed(arrived, undefined), Deferred.await(go))
      const scope = yield* Scope.make()
      const { base, request } = yield* start({ held }).pipe(Scope.provide(scope))
      const inFlight = yield* Effect.forkChild(request)
      yield* Deferred.await(arrived)
      const stopping = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* Effect.exit(Effect.tryPromise(() => fetch(`${base}/healthz`, { keepalive: false }))).pipe(
        Effect.repeat({ until: Exit.isFailure })
      )
      assert.isUndefined(stopping.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      assert.strictEqual((yield* Fiber.join(inFlight)).status, 200)
      yield* Fiber.join(stopping)
    })
  )

  it.live("closes a connection on which nothing happens", () =>
    Effect.gen(function* () {
      const { base } = yield* start({ idleTimeout: 1 })
      const { hostname, port } = new URL(base)
      const received = yield* Effect.callback<string>((resume) => {
        let text = ""
        const socket = connect(Number(port), hostname, () => {
          socket.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`)
        })
        socket.on("data", (data) => {
          text += data.toString()
        })
        socket.once("close", () => resume(Effect.succeed(text)))
        return Effect.sync(() => socket.destroy())
      })
      assert.match(received, /^HTTP\/1\.1 200 /)
    })
  )

  it.live("cuts a request whose headers or body drip", () =>
    Effect.gen(function* () {
      const { base, bodyPath } = yield* start({})
      const [header, body] = yield* Effect.all(
        [
          drip(base, `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: `, "a"),
          drip(base, `POST ${bodyPath} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n`, "b")
        ],
        { concurrency: "unbounded" }
      )
      assert.notInclude(header, " 200 ")
      assert.match(body, /^HTTP\/1\.1 408 /)
      assert.include(body, `{"error":"request timed out"}`)
    })
  )
})
