/** A headless Chromium from npm that keeps the profiles of its visitors apart, which it does not in a single process. */
import chromium from "@sparticuz/chromium"
import { Effect } from "effect"
import { chromium as playwright } from "playwright-core"

const args = chromium.args.filter((flag) => flag !== "--single-process")

/** Closed with the scope. */
export const open = Effect.acquireRelease(
  Effect.promise(async () =>
    playwright.launch({ args, executablePath: await chromium.executablePath(), headless: true })
  ),
  (browser) => Effect.promise(() => browser.close())
)
