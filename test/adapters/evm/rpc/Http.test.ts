/** The exchange over HTTP, with real servers: the process has a limited number of outgoing requests, which all endpoints share. */
import { createServer } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { numberToHex } from "viem"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as Http from "../../../../src/adapters/evm/rpc/Http.ts"
import * as Body from "../../../../src/adapters/body/Body.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../../support/FakeChain.ts"
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

const MIB = 1_048_576

/** Bodies above the limit, each as another server sends it. */
const oversized: Record<string, () => Response> = {
  "of a stated length": () => new Response(new Uint8Array(65 * MIB)),
  "in chunks": () => {
    let sent = 0
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 1
          if (sent > 65) controller.close()
          else controller.enqueue(new Uint8Array(MIB).fill(0x20))
        }
      })
    )
  },
  compressed: () =>
    new Response(Bun.gzipSync(new Uint8Array(65 * MIB).fill(0x20)), { headers: { "Content-Encoding": "gzip" } })
}

const serving = (fetch: (request: Request) => Response | Promise<Response>) =>
  Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch })),
    (server) => Effect.promise(() => server.stop(true))
  )

for (const [how, respond] of Object.entries(oversized)) {
  it.effect(`an answer above 64 MiB ${how} is not read, and the next endpoint is asked`, () =>
    withLiveClock(
      Effect.gen(function* () {
        const client = yield* HttpClient.HttpClient
        const large = yield* serving(respond)
        const failure = yield* Effect.flip(Http.make(client, large.url.href, "10 seconds").post({}))
        assert.deepStrictEqual([failure._tag, failure.detail], ["EndpointFailed", "answer above 67108864 bytes"])
        const good = yield* serving(async (request) => {
          const { id, method } = (await request.json()) as { readonly id: number; readonly method: string }
          return Response.json({ id, result: method === "eth_chainId" ? numberToHex(chain.id) : "0x10" })
        })
        const rpcUrls = [large.url.href, good.url.href]
        const balance = Effect.flatMap(Chains, ({ all: [only] }) => only?.balance(address(1)) ?? Effect.succeed(0n))
        assert.strictEqual(yield* Effect.provide(balance, EvmChains.layer([{ chain, rpcUrls }])), 16n)
      }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
    )
  )
}

/** Answers with these bytes. */
const raw = (answer: string) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: {
          data: (socket) => {
            socket.write(answer)
          }
        }
      })
    ),
    (server) => Effect.sync(() => server.stop(true))
  )

it.effect("a stated length does not hide a longer body in chunks", () =>
  withLiveClock(
    Effect.gen(function* () {
      const chunk = `${" ".repeat(100)}`
      const head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
      const { port } = yield* raw(`${head}64\r\n${chunk}\r\n0\r\n\r\n`)
      const client = yield* HttpClient.HttpClient
      const response = yield* client.get(`http://127.0.0.1:${port}/`)
      const read = yield* Effect.result(Body.text(response, 50))
      assert.isFalse(read._tag === "Success" && read.success.length > 50)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer))
  )
)
