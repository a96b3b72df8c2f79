/** The exchange over HTTP, with real servers: the process has a limited number of outgoing requests, which all endpoints share. */
import { createServer } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import * as Http from "../../../../src/adapters/evm/rpc/Http.ts"
import { withLiveClock } from "../../../support/LiveClock.ts"

/** Accepts connections and answers nothing. */
const silent = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const sockets = new Set<{ readonly destroy: () => unknown }>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => {})
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("the server has no port")
      const close = () => {
        server.close()
        for (const socket of sockets) socket.destroy()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${address.port}`, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const answering = Effect.acquireRelease(
  Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ result: "0x1" }) })),
  (server) => Effect.promise(() => server.stop(true))
)

it.effect("a silent endpoint under load takes no requests from the others", () =>
  withLiveClock(
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const dead = Http.make(client, (yield* silent).url, "60 seconds")
      const live = Http.make(client, (yield* answering).url.href, "10 seconds")
      // More than the 256 that Bun allows a process at a time.
      const waiting = yield* Effect.forkScoped(
        Effect.forEach(Array.from({ length: 400 }), () => dead.post({}), { concurrency: "unbounded", discard: true })
      )
      const { status } = yield* Effect.delay(live.post({}), "100 millis")
      assert.strictEqual(status, 200)
      yield* Fiber.interrupt(waiting)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
)
