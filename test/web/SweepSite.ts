/** The local network with the services and the built web app on it, and a browser in front. */
import { Context, Effect, Layer } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { Services } from "../support/Services.ts"
import * as WebApp from "../support/WebApp.ts"
import { closeContext, newContext, open } from "./Browser.ts"

/** Shared by the tests of the sweep page. */
export class SweepSite extends Context.Service<SweepSite, { readonly browser: Browser }>()("sweep/test/SweepSite") {}

/** No quote expires while its page is looked at on a busy machine. */
const settings = { quoteLifetimeMillis: 600_000 }

/** A site whose services have these settings, too. */
export const layerWith = (more: NonNullable<Parameters<typeof Services.layer>[0]>["settings"]) =>
  Layer.unwrap(
    Effect.map(WebApp.directory, (webDirectory) =>
      Layer.merge(
        Services.layer({ webDirectory, settings: { ...settings, ...more } }),
        Layer.effect(
          SweepSite,
          Effect.map(open, (browser) => ({ browser }))
        )
      )
    )
  )

export const layer = layerWith({})

/** A browser profile of its own, closed with the scope. Errors of its pages are collected in `complaints`. */
export const visitor = Effect.fnUntraced(function* (options: Parameters<Browser["newContext"]>[0] = {}) {
  const { browser } = yield* SweepSite
  const { info } = yield* Services
  const context: BrowserContext = yield* Effect.acquireRelease(
    newContext(browser, { baseURL: info.dashboardUrl, ...options }),
    (opened) => Effect.promise(() => closeContext(opened))
  )
  const page: Page = yield* Effect.promise(() => context.newPage())
  const complaints: Array<string> = []
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text())
    }
  })
  return { context, page, complaints }
})
