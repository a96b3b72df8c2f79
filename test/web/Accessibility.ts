/** Finds violations of accessibility rules by axe, and pages that are wider than their window. */
import axe, { type AxeResults } from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** Violations of WCAG and of best practice, each with where it is. */
export const violations = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
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

/** Number of pixels by which the page is wider than its window. */
export const overflow = (page: Page) =>
  Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
