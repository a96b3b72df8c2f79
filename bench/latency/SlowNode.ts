/** A proxy before a node that adds a delay to each answer. Requests do not wait for each other. */
import { Effect } from "effect"

/** Returns the URL of the proxy, which runs until the scope closes. */
export const start = Effect.fnUntraced(function* (nodeUrl: string, delayMillis: number) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async (request) => {
          const response = await fetch(nodeUrl, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: await request.text()
          })
          const body = await response.text()
          await Bun.sleep(delayMillis)
          return new Response(body, { status: response.status, headers: { "content-type": "application/json" } })
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )
  return `http://127.0.0.1:${server.port}`
})
