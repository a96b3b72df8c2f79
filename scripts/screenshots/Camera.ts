/** Takes pictures of pages as small WebP files. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"

/** Sizes of the pictures, in pixels of the page. */
export const DESK = { width: 1200, height: 780 }
export const PHONE = { width: 390, height: 780 }

/** Pixels of a picture for each of the page, so that text is sharp. */
const SCALE = 1.5

/** Percent of WebP's quality. */
const QUALITY = 72

/** A page of a new profile. */
export const open = (browser: Browser, options: BrowserContextOptions = {}) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const context = await browser.newContext({
          viewport: DESK,
          deviceScaleFactor: SCALE,
          colorScheme: "light",
          reducedMotion: "reduce",
          locale: "en-GB",
          timezoneId: "UTC",
          ...options
        })
        context.setDefaultTimeout(120_000)
        return context.newPage()
      }),
      (page) => Effect.promise(() => page.context().close())
    ),
    (page) => page
  )

/** Waits until nothing on the page loads. */
export const loaded = (page: Page) =>
  Effect.promise(async () => {
    await page.waitForFunction(
      () => document.querySelector('[aria-busy="true"], .pulse') === null && document.fonts.status === "loaded"
    )
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  })

/** Writes a picture of the window of the page into a directory. */
export const take = (directory: string) =>
  Effect.fnUntraced(function* (page: Page, name: string) {
    yield* loaded(page)
    yield* Effect.promise(async () => {
      const session = await page.context().newCDPSession(page)
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: QUALITY })
      await session.detach()
      await Bun.write(join(directory, `${name}.webp`), Buffer.from(data, "base64"))
    })
  })

export type Take = ReturnType<typeof take>
