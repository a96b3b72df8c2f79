/** The documentation pages of both services, in a real browser, under their own content policy. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import chromium from "@sparticuz/chromium"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { chromium as playwright } from "playwright-core"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"
import * as DocsPage from "../../src/server/shared/DocsPage.ts"

const browser = Effect.acquireRelease(
  Effect.promise(async () =>
    playwright.launch({ args: chromium.args, executablePath: await chromium.executablePath(), headless: true })
  ),
  (running) => Effect.promise(() => running.close())
)

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

/** Operations of the contract, as the page names them. */
const operationsOf = ({ paths }: OpenApi.OpenAPISpec) =>
  Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`))

describe("the documentation page", () => {
  const shows = <Id extends string, Groups extends HttpApiGroup.Constraint>(
    api: HttpApi.HttpApi<Id, Groups>,
    words: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const url = yield* serve(api)
      const page = yield* Effect.flatMap(browser, (running) => Effect.promise(() => running.newPage()))
      const complaints: Array<string> = []
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
      page.on("pageerror", (error) => void complaints.push(error.message))
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1800 })
        await page.goto(`${url}${DocsPage.PATH}`)
        await page.waitForSelector(".opblock")
        const shown = await page.$$eval(".opblock-summary", (blocks) =>
          blocks.map((block) => {
            const text = (selector: string) => block.querySelector(selector)?.textContent ?? ""
            return `${text(".opblock-summary-method")} ${text(".opblock-summary-path").replaceAll("\u200B", "")}`
          })
        )
        assert.sameMembers(shown, operationsOf(OpenApi.fromApi(api)))
        const introduction = await page.innerText(".information-container")
        for (const word of words) assert.include(introduction, word)
        await page.click(".opblock-post .opblock-summary-control")
        await page.waitForSelector(".opblock.is-open table")
        const opened = await page.innerText(".opblock.is-open")
        assert.match(opened, /Status\s+error\s+Cause/)
      })
      assert.deepStrictEqual(complaints, [])
      return page
    })

  it.live(
    "of the orchestrator shows every endpoint, the flow, limits and idempotency",
    () => shows(OrchestratorApi, ["POST /quote", "EIP-7702", "RateLimit", "Idempotency-Key"]),
    60_000
  )

  it.live(
    "of the builder backend shows every endpoint and how to sign up",
    () => shows(BuilderApi, ["GET /auth/nonce", "apiKey", "markup"]),
    60_000
  )
})
