/** The documentation of a service: its caching, and its state after its files could not be read. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { HttpApi, HttpApiGroup } from "effect/http-api"
import { Marked } from "marked"
import { vi } from "vitest"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../../src/api/orchestrator/OrchestratorApi.ts"
import { PATH } from "../../../src/server/shared/DocsFiles.ts"
import * as DocsPage from "../../../src/server/shared/DocsPage.ts"

const serve = Effect.fnUntraced(function* <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
) {
  const context = yield* Layer.build(
    HttpRouter.serve(DocsPage.layer(api), { disableLogger: true, disableListenLog: true }).pipe(
      Layer.provideMerge(BunHttpServer.layer({ port: 0, hostname: "127.0.0.1" }))
    )
  )
  return yield* HttpServer.addressFormattedWith((url) => Effect.succeed(url)).pipe(Effect.provideContext(context))
})

const get = (url: string, headers: Record<string, string> = {}) => Effect.promise(() => fetch(url, { headers }))

describe("the documentation", () => {
  it.live("is read again with the next request if its files could not be read", () =>
    Effect.gen(function* () {
      const url = yield* serve(BuilderApi)
      const reading = vi.spyOn(Bun, "file").mockImplementation(() => {
        throw new Error("too many open files")
      })
      const first = yield* Effect.ensuring(
        get(`${url}${PATH}`),
        Effect.sync(() => reading.mockRestore())
      )
      const second = yield* get(`${url}${PATH}`)
      assert.deepStrictEqual([first.status, second.status], [500, 200])
    })
  )

  it.live.each([
    { type: "text/html", path: PATH },
    { type: "text/html", path: `${PATH}/reference/orchestrator-api` },
    { type: "text/html", path: DocsPage.API_PATH },
    { type: "application/json", path: `${PATH}/openapi/builder.json` },
    { type: "image/webp", path: `${PATH}/images/builder-sweep.webp` }
  ])("is cacheable: $path", ({ path, type }) =>
    Effect.gen(function* () {
      const url = `${yield* serve(BuilderApi)}${path}`
      const whole = yield* get(url)
      assert.strictEqual(whole.status, 200)
      assert.include(whole.headers.get("content-type") ?? "", type)
      assert.strictEqual(whole.headers.get("cache-control"), "public, max-age=300")
      const etag = whole.headers.get("etag") ?? ""
      assert.match(etag, /^W\/"[0-9a-f]{32}"$/)

      const unchanged = yield* get(url, { "if-none-match": etag })
      assert.strictEqual(unchanged.status, 304)
      assert.strictEqual(yield* Effect.promise(() => unchanged.text()), "")
      // Browsers replace the policy of the stored page by that of the 304.
      for (const name of ["cache-control", "content-security-policy", "etag"]) {
        assert.strictEqual(unchanged.headers.get(name), whole.headers.get(name), name)
      }

      const changed = yield* get(url, { "if-none-match": 'W/"0"' })
      assert.strictEqual(changed.status, 200)
      const read = (response: Response) => Effect.promise(() => response.text())
      assert.strictEqual(yield* read(changed), yield* read(whole))
    })
  )

  it.live("renders a page once", () =>
    Effect.gen(function* () {
      const url = yield* serve(BuilderApi)
      const rendering = vi.spyOn(Marked.prototype, "use")
      yield* Effect.gen(function* () {
        for (const query of ["", "?a", "/", "?b", "///"]) {
          assert.strictEqual((yield* get(`${url}${PATH}${query}`)).status, 200, query)
        }
        assert.strictEqual(rendering.mock.calls.length, 1)
      }).pipe(Effect.ensuring(Effect.sync(() => rendering.mockRestore())))
    })
  )

  it.live("shows each service its own contract", () =>
    Effect.gen(function* () {
      const explorerOf = Effect.fnUntraced(function* (url: string) {
        const response = yield* get(`${url}${DocsPage.API_PATH}`)
        return yield* Effect.promise(() => response.text())
      })
      const orchestrator = yield* serve(OrchestratorApi)
      const builder = yield* serve(BuilderApi)
      const { status } = yield* Effect.promise(() => fetch(`${builder}${DocsPage.API_PATH}`, { method: "HEAD" }))
      assert.strictEqual(status, 200)
      for (const _ of ["made", "kept"]) {
        assert.include(yield* explorerOf(orchestrator), "Token sweep orchestrator")
        const page = yield* explorerOf(builder)
        assert.include(page, "Token sweep builder")
        assert.notInclude(page, "Token sweep orchestrator")
      }
    })
  )
})
