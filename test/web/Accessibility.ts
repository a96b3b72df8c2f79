/** What axe finds wrong with a page, and whether the page fits its screen. */
import axe from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** Violations of WCAG 2.2 A and AA and of best practice, each with where it is. Scripts reach the page past its policy. */
export const violations = (page: Page) =>
  Effect.promise(async () => {
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      const results = await window.axe.run(document, { resultTypes: ["violations"] })
      return results.violations.map(({ help, id, impact, nodes }) => ({
        id,
        impact,
        help,
        where: nodes.map(({ target }) => target.join(" ")).slice(0, 3)
      }))
    })
    return found
  })

/** How many pixels the page is wider than its window. */
export const overflow = (page: Page) =>
  Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth))
