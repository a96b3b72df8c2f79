/** The list of 500 tokens on the sweep page: its first paint, and the answers to input while it is shown. */
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import * as Site from "../../test/web/Site.ts"
import * as MainThread from "./MainThread.ts"
import * as Orchestrator from "./Orchestrator.ts"
import * as Pages from "./Pages.ts"
import * as Phone from "./Phone.ts"
import * as Vitals from "./Vitals.ts"
import { settled } from "./Visit.ts"

/** Milliseconds. */
export interface ListTimes {
  /** From the whole answer of the service to the first paint with a row. */
  readonly paintMs: number
  /** The slowest click or key until the next paint. */
  readonly inputMs: number
  /** CPU time of the slowest task while the list is drawn and used, on the phone's CPU. */
  readonly taskMs: number
}

/** Runs in the page: notes when a row was painted first. */
const noteRows = () => {
  const observer = new MutationObserver(() => {
    if (document.querySelector('ul[aria-label="Your tokens"] li') === null) return
    observer.disconnect()
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      // A message that is posted in a frame arrives after its paint.
      port1.addEventListener("message", () => Object.assign(window, { rowsPaintedMs: performance.now() }))
      port1.start()
      port2.postMessage(undefined)
    })
  })
  observer.observe(document, { childList: true, subtree: true })
}

const paintOf = (page: Page) =>
  page.evaluate(() => {
    const answered = performance.getEntriesByType("resource").find(({ name }) => name.includes("/sweepable"))
    if (!(answered instanceof PerformanceResourceTiming)) throw new Error("nobody asked for tokens")
    return { answeredMs: answered.responseEnd, paintedMs: Number(Reflect.get(window, "rowsPaintedMs")) }
  })

/** Ticks, searches, scrolls and selects as a person does. */
const use = async (page: Page) => {
  const rows = page.getByRole("list", { name: "Your tokens" }).getByRole("listitem")
  const box = rows.getByRole("checkbox")
  await box.nth(1).tap()
  await box.nth(2).tap()
  const search = page.getByRole("searchbox")
  await search.tap()
  await search.pressSequentially("T49", { delay: 60 })
  await page.keyboard.press("Backspace")
  await page.keyboard.press("Backspace")
  await page.keyboard.press("Backspace")
  await page.getByRole("radio", { name: "All but gas money" }).tap({ force: true })
  for (let screens = 0; screens < 8; screens++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as a person scrolls
    await page.mouse.wheel(0, 2_000)
    // oxlint-disable-next-line no-await-in-loop
    await page.waitForTimeout(80)
  }
  await page.getByRole("radio", { name: /^Dust/ }).tap({ force: true })
}

const shown = Effect.fnUntraced(function* (page: Page) {
  const { url } = yield* Site.Site
  yield* Pages.asOwner(true, Orchestrator.collector)(page)
  yield* Effect.promise(() => page.addInitScript(noteRows))
  yield* Effect.promise(() => page.goto(`${url}/app/sweep`))
  yield* settled(page, "Your tokens")
  return yield* Effect.promise(() => paintOf(page))
})

const opened = (browser: Browser, slowdown: number) =>
  Effect.acquireRelease(
    Effect.promise(() => Phone.open(browser, slowdown)),
    ({ page }) => Effect.promise(() => page.context().close())
  )

const byClock = Effect.fnUntraced(function* (browser: Browser) {
  const { page } = yield* opened(browser, Phone.SLOWDOWN)
  const { answeredMs, paintedMs } = yield* shown(page)
  yield* Effect.promise(() => use(page))
  const { inputs } = yield* Effect.promise(() => Vitals.read(page))
  return { paintMs: paintedMs - answeredMs, inputMs: Math.max(0, ...inputs) }
}, Effect.scoped)

const byCpu = Effect.fnUntraced(function* (browser: Browser) {
  const { url } = yield* Site.Site
  const { page } = yield* opened(browser, 1)
  yield* Effect.promise(() => browser.startTracing(page, { categories: MainThread.CATEGORIES }))
  const { answeredMs } = yield* shown(page)
  yield* Effect.promise(() => use(page))
  const trace = yield* Effect.promise(() => browser.stopTracing())
  const { tasks } = MainThread.read(trace.toString(), url)
  return { taskMs: Math.max(...MainThread.slowed(tasks, Phone.SLOWDOWN, answeredMs)) }
}, Effect.scoped)

export const measure = Effect.fnUntraced(function* (browser: Browser) {
  const times: ListTimes = { ...(yield* byClock(browser)), ...(yield* byCpu(browser)) }
  return times
})
