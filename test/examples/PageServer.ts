/** A server for the page that a browser opens. */
import { Effect } from "effect"

/** Bundles the page at `path` as Bun does for production, and serves it at the URL until the scope closes. */
export const serve = (path: string) =>
  Effect.gen(function* () {
    const built = yield* Effect.promise(() => Bun.build({ entrypoints: [path], target: "browser", minify: true }))
    const files = new Map(built.outputs.map((output) => [output.path.replace(/^.*\//, "/"), output] as const))
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: ({ url }) => {
            const { pathname } = new URL(url)
            const file = files.get(pathname === "/" ? "/index.html" : pathname)
            return file === undefined ? new Response("not found", { status: 404 }) : new Response(file)
          }
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    return server.url.href
  })
