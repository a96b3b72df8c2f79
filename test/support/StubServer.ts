/** An HTTP service on loopback that answers as a test tells it, and remembers what it was asked. */
import { Context, Effect, Layer, Ref } from "effect"

export interface Seen {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text is sent as it is, all else as JSON. */
  readonly body?: unknown
  /** Never answers at all. */
  readonly silent?: true
}

export class StubServer extends Context.Service<
  StubServer,
  {
    readonly url: string
    /** Sets the answer to all later requests. */
    readonly answer: (reply: Answer | ((seen: Seen) => Answer)) => Effect.Effect<void>
    /** Every request so far, oldest first. */
    readonly seen: Effect.Effect<ReadonlyArray<Seen>>
  }
>()("sweep/test/StubServer") {
  /** A server that answers so until it is told otherwise. */
  static readonly answering = (first: (seen: Seen) => Answer) =>
    Layer.effect(
      StubServer,
      Effect.gen(function* () {
        const reply = yield* Ref.make(first)
        const requests = yield* Ref.make<ReadonlyArray<Seen>>([])
        const server = yield* Effect.acquireRelease(
          Effect.sync(() =>
            Bun.serve({
              hostname: "127.0.0.1",
              port: 0,
              fetch: async (request) => {
                const { pathname, search } = new URL(request.url)
                const { headers, method } = request
                const seen = { method, path: pathname + search, headers, body: await request.text() }
                Effect.runSync(Ref.update(requests, (before) => [...before, seen]))
                const answer = Effect.runSync(Ref.get(reply))(seen)
                if (answer.silent === true) return new Promise<Response>(() => undefined)
                const body = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body)
                return new Response(body, { status: answer.status, headers: { ...answer.headers } })
              }
            })
          ),
          (running) => Effect.promise(() => running.stop(true))
        )
        return {
          url: `http://127.0.0.1:${server.port}`,
          answer: (next) => Ref.set(reply, typeof next === "function" ? next : () => next),
          seen: Ref.get(requests)
        }
      })
    )

  static readonly layer = StubServer.answering(() => ({ status: 500 }))
}
