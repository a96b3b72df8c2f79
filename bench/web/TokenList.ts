/** The list of 500 tokens on the sweep page: its first paint, and the answers to input while it is shown. */
import { Effect } from "effect"
import type { Browser, Locator, Page } from "playwright-core"
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
  /** The slowest press or key until the next paint, with this machine's CPU. */
  readonly inputMs: number
  /** The same on the phone. */
  readonly phoneInputMs: number
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

/** Pause of a person between two presses, and between two keys, in milliseconds. */
const PRESS_MS = 250
const KEY_MS = 60
const SCREENS = 8
const SCREEN_PIXELS = 2_000

/** Where to press, in pixels of the window. */
const centres = async (page: Page) => {
  const boxes = page.getByRole("list", { name: "Your tokens" }).getByRole("checkbox")
  const presets = page.getByRole("group", { name: "Select" })
  await presets.evaluate((element) => element.scrollIntoView({ block: "start" }))
  const centre = async (element: Locator) => {
    const box = await element.boundingBox()
    if (box === null) throw new Error("the list has no such element")
    return [box.x + box.width / 2, box.y + box.height / 2] as const
  }
  return {
    second: await centre(boxes.nth(1)),
    third: await centre(boxes.nth(2)),
    search: await centre(page.getByRole("searchbox")),
    all: await centre(presets.getByText("All but gas money")),
    dust: await centre(presets.getByText(/^Dust/))
  }
}

/**
 * Ticks, searches, scrolls and selects as a person does. All positions are read before, because a tap by name asks the page's elements for
 * their roles, on the thread that is measured.
 */
const use = async (page: Page) => {
  const { all, dust, search, second, third } = await centres(page)
  const tap = async ([x, y]: readonly [number, number]) => {
    await page.waitForTimeout(PRESS_MS)
    await page.touchscreen.tap(x, y)
  }
  const scroll = async (pixels: number) => {
    for (let screens = 0; screens < SCREENS; screens++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as a person scrolls
      await page.mouse.wheel(0, pixels)
      // oxlint-disable-next-line no-await-in-loop
      await page.waitForTimeout(80)
    }
  }
  await tap(second)
  await tap(third)
  await tap(search)
  await page.keyboard.type("T49", { delay: KEY_MS })
  for (let keys = 0; keys < 3; keys++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await page.keyboard.press("Backspace", { delay: KEY_MS })
  }
  await tap(all)
  await scroll(SCREEN_PIXELS)
  await scroll(-SCREEN_PIXELS)
  await tap(dust)
  await page.waitForTimeout(PRESS_MS)
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

const slowest = (page: Page) => Effect.promise(async () => Math.max(0, ...(await Vitals.read(page)).inputs))

const onPhone = Effect.fnUntraced(function* (browser: Browser) {
  const { page } = yield* opened(browser, Phone.SLOWDOWN)
  const { answeredMs, paintedMs } = yield* shown(page)
  yield* Effect.promise(() => use(page))
  return { paintMs: paintedMs - answeredMs, phoneInputMs: yield* slowest(page) }
}, Effect.scoped)

const onThisCpu = Effect.fnUntraced(function* (browser: Browser) {
  const { url } = yield* Site.Site
  const { page } = yield* opened(browser, 1)
  yield* Effect.promise(() => browser.startTracing(page, { categories: MainThread.CATEGORIES }))
  const { answeredMs } = yield* shown(page)
  yield* Effect.promise(() => use(page))
  const trace = yield* Effect.promise(() => browser.stopTracing())
  const { tasks } = MainThread.read(trace.toString(), url)
  return { inputMs: yield* slowest(page), taskMs: Math.max(...MainThread.slowed(tasks, Phone.SLOWDOWN, answeredMs)) }
}, Effect.scoped)

export const measure = Effect.fnUntraced(function* (browser: Browser) {
  const times: ListTimes = { ...(yield* onPhone(browser)), ...(yield* onThisCpu(browser)) }
  return times
})
