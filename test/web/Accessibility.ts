/** Finds violations of accessibility rules by axe, and pages that are wider than their window. */
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** A theme and the width of a window in pixels. */
export interface Look {
  readonly colorScheme: "light" | "dark"
  readonly width: number
}

export const looks = (...widths: ReadonlyArray<number>): ReadonlyArray<Look> =>
  (["light", "dark"] as const).flatMap((colorScheme) => widths.map((width) => ({ colorScheme, width })))

const HEIGHT = 860

/** Shows the loaded page in another look. Theme and layout follow from CSS alone, so the page need not be loaded again. */
const show = async (page: Page, { colorScheme, width }: Look): Promise<void> => {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize({ width, height: HEIGHT })
  // Colours must not be measured in the middle of a transition. The end of one may start the next, of an element inside.
  await page.waitForFunction(() =>
    document.getAnimations().every(({ effect }) => effect?.getComputedTiming().endTime === Infinity)
  )
}

/** Violations of WCAG and of best practice, each with where it is. */
export const violations = (page: Page) =>
  Effect.promise(async () => {
    if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source)
    const results = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })")
    return results.violations.map(({ help, id, impact, nodes }) => ({
      id,
      impact,
      help,
      where: nodes.map(({ html, target }) => `${target.join(" ")} ${html}`).slice(0, 3)
    }))
  })

/** Waits until nothing on the page is a placeholder for data that is loading, and its fonts are there. */
export const loaded = (page: Page) =>
  Effect.promise(() =>
    page.waitForFunction(
      () => document.querySelector('[aria-busy="true"], .pulse') === null && document.fonts.status === "loaded"
    )
  )

/** Captions of the tables that are wider than their place, so that a column is cut. */
export const cutTables = (page: Page) =>
  Effect.promise(() =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll("[role=region]"))
        .filter((region) => region.querySelector("table") !== null && region.scrollWidth > region.clientWidth + 1)
        .map((region) => region.getAttribute("aria-label"))
    )
  )

/** Number of pixels by which the page is wider than its window. */
export const overflow = (page: Page) =>
  Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))

/** The findings of axe in each look, and by how many pixels the page is too wide. */
export const inspect = Effect.fnUntraced(function* (page: Page, name: string, wanted: ReadonlyArray<Look>) {
  yield* loaded(page)
  const findings = yield* Effect.forEach(
    wanted,
    Effect.fnUntraced(function* (look) {
      yield* Effect.promise(() => show(page, look))
      const wider = yield* overflow(page)
      const found = yield* violations(page)
      return found.length > 0 || wider > 0
        ? [{ page: `${name}, ${look.colorScheme}, ${look.width} pixels`, found, wider }]
        : []
    })
  )
  return findings.flat()
})
