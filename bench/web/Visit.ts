/** Visits a page on a slow phone with nothing in its cache, and returns the figures of that visit. */
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import * as MainThread from "./MainThread.ts"
import type { WebPage } from "./Pages.ts"
import * as Phone from "./Phone.ts"
import * as Vitals from "./Vitals.ts"

/** Pause in which a page that is complete requests and draws nothing more. */
const QUIET_MS = 600

/** Waits until the page asks for nothing more and has drawn. Nothing looks into it meanwhile: looks run on the thread that is measured. */
const quiet = (page: Page) =>
  Effect.promise(async () => {
    await page.waitForLoadState("networkidle")
    await page.waitForTimeout(QUIET_MS)
  })

/** Waits until the page is quiet and shows its data. */
export const settled = (page: Page, heading: string) =>
  Effect.andThen(
    quiet(page),
    Effect.promise(async () => {
      await page.getByRole("heading", { name: heading }).first().waitFor()
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"], .pulse') === null)
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
    })
  )

export interface Loaded {
  readonly firstPaintMs: number
  /** Largest Contentful Paint and Total Blocking Time in milliseconds of this machine's clock. */
  readonly largestPaintMs: number
  readonly blockingMs: number
  readonly shift: number
  readonly bytes: number
  /** Start of the largest text. */
  readonly largest: string
}

const opened = (browser: Browser, slowdown: number) =>
  Effect.acquireRelease(
    Effect.promise(() => Phone.open(browser, slowdown)),
    ({ page }) => Effect.promise(() => page.context().close())
  )

/** With the slow CPU, by this machine's clock. */
export const load = Effect.fnUntraced(function* (browser: Browser, { heading, prepare, url }: WebPage) {
  const { page, received } = yield* opened(browser, Phone.SLOWDOWN)
  yield* prepare(page)
  yield* Effect.promise(() => page.goto(url))
  yield* settled(page, heading)
  const seen = yield* Effect.promise(() => Vitals.read(page))
  const loaded: Loaded = {
    firstPaintMs: seen.firstPaintMs,
    largestPaintMs: seen.largestPaintMs,
    largest: seen.largest,
    blockingMs: Vitals.totalBlocking(seen),
    shift: Vitals.cumulativeShift(seen.shifts),
    bytes: received.bytes
  }
  return loaded
}, Effect.scoped)

/** Milliseconds by the CPU time of the main thread. */
export interface ByCpu {
  readonly largestPaintMs: number
  readonly blockingMs: number
}

/** From a trace of a visit with this machine's CPU. */
export const loadByCpu = Effect.fnUntraced(function* (browser: Browser, { heading, prepare, url }: WebPage) {
  const { page } = yield* opened(browser, 1)
  yield* prepare(page)
  yield* Effect.promise(() => browser.startTracing(page, { categories: MainThread.CATEGORIES }))
  yield* Effect.promise(() => page.goto(url))
  yield* quiet(page)
  const quietMs = yield* Effect.promise(() => page.evaluate(() => performance.now()))
  const trace = yield* Effect.promise(() => browser.stopTracing())
  yield* settled(page, heading)
  const { largestPaintMs } = yield* Effect.promise(() => Vitals.read(page))
  const { firstPaintMs, tasks } = MainThread.read(trace.toString(), url)
  if (largestPaintMs > quietMs) {
    return yield* Effect.die(new Error(`${url} was painted after its trace`))
  }
  const times: ByCpu = {
    largestPaintMs: MainThread.slowedTime(tasks, Phone.SLOWDOWN, largestPaintMs),
    blockingMs: MainThread.blocking(MainThread.slowed(tasks, Phone.SLOWDOWN, firstPaintMs))
  }
  return times
}, Effect.scoped)
