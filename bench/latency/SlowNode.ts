/** A proxy before a node that adds a delay to each answer and counts calls. Requests do not wait for each other. */
import { Effect } from "effect"

export interface SlowNode {
  readonly url: string
  /** JSON-RPC calls so far. Each of a batch counts, as hosted nodes count them. */
  readonly calls: () => number
}

const callsOf = (body: string): number => {
  const parsed: unknown = JSON.parse(body)
  return Array.isArray(parsed) ? parsed.length : 1
}

/** The proxy runs until the scope closes. */
export const start = Effect.fnUntraced(function* (nodeUrl: string, delayMillis: number) {
  let calls = 0
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: async (request) => {
          const asked = await request.text()
          calls += callsOf(asked)
          const response = await fetch(nodeUrl, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: asked
          })
          const answer = await response.text()
          await Bun.sleep(delayMillis)
          return new Response(answer, { status: response.status, headers: { "content-type": "application/json" } })
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )
  return { url: `http://127.0.0.1:${server.port}`, calls: () => calls } satisfies SlowNode
})
