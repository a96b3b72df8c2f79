/** The documentation pages of both services, in a real browser, under their own content policy. */
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { type HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"
import * as DocsPage from "../../src/server/shared/DocsPage.ts"
import { newPage, open } from "../web/Browser.ts"
import { guides } from "./Markdown.ts"

/** A page in a browser that is closed with the scope. */
const visited = Effect.flatMap(open, (browser) => Effect.promise(() => newPage(browser)))

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

describe("the API explorer", () => {
  const shows = <Id extends string, Groups extends HttpApiGroup.Constraint>(
    api: HttpApi.HttpApi<Id, Groups>,
    words: ReadonlyArray<string>
  ) =>
    Effect.gen(function* () {
      const url = yield* serve(api)
      const page = yield* visited
      const complaints: Array<string> = []
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
      page.on("pageerror", (error) => void complaints.push(error.message))
      yield* Effect.promise(async () => {
        await page.setViewportSize({ width: 1280, height: 1800 })
        await page.goto(`${url}${DocsPage.API_PATH}`)
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

  it.live("of the orchestrator shows every endpoint, the flow, limits and idempotency", () =>
    shows(OrchestratorApi, ["POST /quote", "EIP-7702", "RateLimit", "Idempotency-Key"])
  )

  it.live("of the builder backend shows every endpoint and how to sign up", () =>
    shows(BuilderApi, ["GET /auth/nonce", "apiKey", "markup"])
  )
})

const LINK = /<a href="([^"#]*)(?:#([^"]*))?"/g

/** Pages of the documentation that link to what is not there, beginning at the index. */
const brokenLinks = async (
  url: string
): Promise<{ readonly seen: ReadonlySet<string>; readonly broken: ReadonlyArray<string> }> => {
  const pages = new Map<string, string>()
  const broken: Array<string> = []
  const load = async (path: string, from: string): Promise<string> => {
    const known = pages.get(path)
    if (known !== undefined) return known
    const answer = await fetch(`${url}${path}`)
    const text = await answer.text()
    pages.set(path, text)
    if (!answer.ok) broken.push(`${from} links to ${path}, which is ${answer.status}`)
    return text
  }
  const queue: Array<string> = ["/docs"]
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    // oxlint-disable-next-line no-await-in-loop -- a crawl follows one link after the other
    const text = await load(path, path)
    for (const [, target = "", anchor] of text.matchAll(LINK)) {
      const to = target === "" ? path : target
      if (!to.startsWith("/")) continue
      const isNew = !pages.has(to)
      // oxlint-disable-next-line no-await-in-loop
      const there = await load(to, path)
      if (anchor !== undefined && !there.includes(`id="${anchor}"`)) broken.push(`${path} links to ${to}#${anchor}`)
      if (isNew && to.startsWith("/docs") && to !== DocsPage.API_PATH && !to.endsWith(".json")) queue.push(to)
    }
  }
  return { seen: new Set(pages.keys()), broken }
}

describe("the documentation", () => {
  it.live("has every page of docs/, and no link that leads nowhere", () =>
    Effect.gen(function* () {
      const url = yield* serve(OrchestratorApi)
      const { broken, seen } = yield* Effect.promise(() => brokenLinks(url))
      // This server has no contract beside its pages.
      assert.deepStrictEqual(
        broken.filter((each) => !each.includes("/openapi.json, which")),
        []
      )
      for (const file of guides) {
        const path = file === "docs/README.md" ? "/docs" : `/${file.replace(/\.md$/, "")}`
        assert.isTrue(seen.has(path), `no page links to ${file}`)
      }
    })
  )

  it.live("answers unknown pages with 404, and reads no other file", () =>
    Effect.gen(function* () {
      const url = yield* serve(OrchestratorApi)
      for (const path of ["/docs/nothing", "/docs/../package.json", "/docs/%2e%2e/package.json", "/docs/tutorial"]) {
        const { status } = yield* Effect.promise(() => fetch(`${url}${path}`))
        assert.strictEqual(status, 404, path)
      }
    })
  )

  it.live("shows pictures with their size, and answers unknown ones with 404", () =>
    Effect.gen(function* () {
      const url = yield* serve(BuilderApi)
      const page = yield* visited
      const complaints: Array<string> = []
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/how-to/change-a-running-service`)
        const picture = page.getByRole("img", { name: /^The page Controls/ })
        await picture.scrollIntoViewIfNeeded()
        await page.waitForFunction(() => Array.from(document.images).every(({ complete }) => complete))
        const sizes = await picture.evaluate((image: HTMLImageElement) => [
          [image.getAttribute("width"), image.getAttribute("height")],
          [String(image.naturalWidth), String(image.naturalHeight)]
        ])
        assert.deepStrictEqual(sizes[0], sizes[1])
        assert.strictEqual((await fetch(`${url}/docs/images/nothing.webp`)).status, 404)
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

  it.live("shows a page under its own content policy", () =>
    Effect.gen(function* () {
      const url = yield* serve(BuilderApi)
      const page = yield* visited
      const complaints: Array<string> = []
      page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())))
      yield* Effect.promise(async () => {
        await page.goto(`${url}/docs/reference/http-conventions#idempotency-keys`)
        assert.strictEqual(await page.innerText("h1"), "HTTP conventions")
        assert.strictEqual(await page.innerText("nav [aria-current]"), "HTTP conventions")
        // The style sheet is applied: the list of pages stands beside the text.
        const [nav, main] = [await page.locator("nav").boundingBox(), await page.locator("main").boundingBox()]
        assert.isTrue(nav !== null && main !== null && nav.x + nav.width <= main.x)
        await page.click("nav >> text=Settings")
        assert.strictEqual(await page.innerText("h1"), "Settings")
      })
      assert.deepStrictEqual(complaints, [])
    })
  )
})
