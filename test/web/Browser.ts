/** A headless Chromium from npm that keeps the profiles of its visitors apart, which it does not in a single process. */
import { tmpdir } from "node:os"
import { join } from "node:path"
import chromium from "@sparticuz/chromium"
import { Effect } from "effect"
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as playwright,
  type Page
} from "playwright-core"

/** Draw pages by a software renderer of 3D graphics, which takes more CPU than everything else on them. */
const GRAPHICS = new Set([
  "--ignore-gpu-blocklist",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader"
])

const args = [...chromium.args.filter((flag) => flag !== "--single-process" && !GRAPHICS.has(flag)), "--disable-gpu"]

/** Chromium itself crashes now and then while it starts on a busy machine, before it has seen a page. */
const LAUNCHES = 3

const launched = (env: Readonly<Record<string, string | undefined>>) =>
  Effect.acquireRelease(
    Effect.tryPromise(async () => {
      const executablePath = await chromium.executablePath()
      return playwright.launch({ args, env, executablePath, headless: true })
    }).pipe(Effect.retry({ times: LAUNCHES - 1 }), Effect.orDie),
    (browser) => Effect.promise(() => browser.close())
  )

/** Closed with the scope. */
export const open = launched(process.env)

/** The same with the fonts of the browser's package alone, so that text is as wide on every machine. */
export const openWithOwnFonts = launched({ ...process.env, FONTCONFIG_PATH: join(tmpdir(), "fonts") })

/** Only to end a test that hangs: a busy machine must not make it red. */
const PATIENCE_MILLIS = 100_000

/** A profile of its own. */
export const newContext = (browser: Browser, options: BrowserContextOptions = {}) =>
  Effect.promise(async () => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(PATIENCE_MILLIS)
    return context
  })

/** Closes a context. Replies of routes that are still on their way to its pages are dropped, and fail no test. */
export const closeContext = async (context: BrowserContext) => {
  await Promise.all([context, ...context.pages()].map((each) => each.unrouteAll({ behavior: "ignoreErrors" })))
  await context.close()
}

/** The only page of a profile of its own. */
export const newPage = async (browser: Browser) => {
  const page = await browser.newPage()
  page.setDefaultTimeout(PATIENCE_MILLIS)
  return page
}

/** Changes what the service answers to requests of these URLs. */
export const answers = (page: Page, urls: string, change: (body: unknown) => object) =>
  Effect.promise(() =>
    page.route(urls, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: change(await response.json()) })
    })
  )
