/** One URL for the replicas of a service, as a load balancer gives it. A replica that refuses the connection is left out. */
import { Effect } from "effect"
import type { Replica } from "./Replica.ts"

export const make = Effect.gen(function* () {
  let replicas: ReadonlyArray<Replica> = []
  let turn = 0

  const forward = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    const body = request.method === "GET" ? null : await request.arrayBuffer()
    for (let attempt = 0; attempt < replicas.length; attempt++) {
      turn++
      const replica = replicas[turn % replicas.length]
      if (replica === undefined) continue
      try {
        const answer = await fetch(`${replica.url}${pathname}${search}`, {
          method: request.method,
          headers: request.headers,
          body,
          redirect: "manual"
        })
        return new Response(await answer.arrayBuffer(), { status: answer.status, headers: answer.headers })
      } catch {
        // The next one is asked.
      }
    }
    return new Response("no replica answers", { status: 502 })
  }

  const server = yield* Effect.acquireRelease(
    Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch: forward })),
    (running) => Effect.promise(() => running.stop(true))
  )
  return {
    url: `http://127.0.0.1:${server.port}`,
    use: (now: ReadonlyArray<Replica>) =>
      Effect.sync(() => {
        replicas = now
      })
  }
})

export type Balancer = Effect.Success<typeof make>
