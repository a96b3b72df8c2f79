/** Another app that embeds the widget, as a server would send it: built for production and compressed. */
import { Effect } from "effect"
import { brotliCompressSync } from "node:zlib"

const PAGE = new URL("../../test/web/host/index.html", import.meta.url).pathname

const built = Effect.promise(async () => {
  const { outputs } = await Bun.build({
    entrypoints: [PAGE],
    target: "browser",
    minify: true,
    splitting: true,
    define: { "process.env.NODE_ENV": '"production"' }
  })
  const files = await Promise.all(
    outputs.map(async (output) => {
      const body = new Uint8Array(brotliCompressSync(await output.arrayBuffer()))
      return [output.path.replace(/^.*\//, "/"), { type: output.type, body }] as const
    })
  )
  return new Map(files)
})

/** Serves until the scope closes. Returns its URL. */
export const start = Effect.gen(function* () {
  const files = yield* built
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: ({ url }) => {
          const { pathname } = new URL(url)
          const file = files.get(pathname === "/" ? "/index.html" : pathname)
          if (file === undefined) return new Response("not found", { status: 404 })
          return new Response(file.body, { headers: { "content-encoding": "br", "content-type": file.type } })
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )
  return server.url.href
})
