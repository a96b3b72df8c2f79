/** The documentation after its files could not be read. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { vi } from "vitest"
import { BuilderApi } from "../../../src/api/builder/BuilderApi.ts"
import { PATH } from "../../../src/server/shared/DocsFiles.ts"
import * as DocsPage from "../../../src/server/shared/DocsPage.ts"

describe("the documentation", () => {
  it.live("is read again with the next request if its files could not be read", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        HttpRouter.serve(DocsPage.layer(BuilderApi), { disableLogger: true, disableListenLog: true }).pipe(
          Layer.provideMerge(BunHttpServer.layer({ port: 0, hostname: "127.0.0.1" }))
        )
      )
      const statuses = yield* HttpServer.addressFormattedWith((url) =>
        Effect.promise(async () => {
          const get = async () => (await fetch(`${url}${PATH}`)).status
          const reading = vi.spyOn(Bun, "file").mockImplementation(() => {
            throw new Error("too many open files")
          })
          const first = await get()
          reading.mockRestore()
          return [first, await get()]
        })
      ).pipe(Effect.provideContext(context))
      assert.deepStrictEqual(statuses, [500, 200])
    })
  )
})
