/** The sweep page looks as it did when its pictures were accepted. `Looks.ts` says how to accept others. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { loaded } from "./Accessibility.ts"
import { newContext, openWithOwnFonts } from "./Browser.ts"
import { changeOf, difference } from "./Looks.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"

const live = { excludeTestServices: true, timeout: "4 minutes" } as const

const DESK = { width: 1200, height: 800 }
const PHONE = { width: 390, height: 800 }

const HELD = { DAI: "41", USDT: "18", WBTC: "0.0004", WETH: "0.01" }

const resized = (page: Page, size: typeof DESK, colorScheme: "light" | "dark") =>
  Effect.promise(async () => {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
  })

/** Waits for a plan. A busy service may refuse the first quotes. */
const planned = async (page: Page) => {
  const ready = page.getByRole("button", { name: /^Sweep \d+ tokens$/ }).and(page.locator("[aria-disabled=false]"))
  const again = page.getByRole("button", { name: "Try again" })
  for (let attempt = 1; attempt < 10; attempt++) {
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    await ready.or(again).first().waitFor()
    // oxlint-disable-next-line no-await-in-loop
    if (await ready.isVisible()) return
    // oxlint-disable-next-line no-await-in-loop
    await again.first().click()
  }
  await ready.waitFor()
}

layer(SweepSite.layer, live)("the sweep page", (it) => {
  it.effect("looks as it did", () =>
    Effect.gen(function* () {
      const { alpha, beta, info } = yield* Steps.chains
      const { address, key } = yield* Steps.owner(alpha, HELD)
      yield* Steps.fund(beta, address, { USDC: "36", DAI: "12" })
      const browser = yield* openWithOwnFonts
      const context = yield* newContext(browser, { baseURL: info.dashboardUrl, viewport: PHONE })
      const page = yield* Effect.promise(() => context.newPage())
      const changes: Array<string> = []
      const looks = Effect.fnUntraced(function* (name: string) {
        yield* loaded(page)
        const change = yield* changeOf(browser, page, name)
        if (change !== undefined) changes.push(change)
      })
      yield* Steps.opens(page)
      yield* Steps.reads(page, "Connect your wallet")
      yield* resized(page, PHONE, "light")
      yield* looks("connect-phone-light")
      yield* resized(page, DESK, "light")
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Effect.promise(() => planned(page))
      yield* looks("plan-desk-light")
      yield* resized(page, DESK, "dark")
      yield* looks("plan-desk-dark")
      yield* resized(page, PHONE, "light")
      yield* looks("plan-phone-light")
      assert.deepStrictEqual(changes, [])
    }).pipe(Effect.scoped)
  )

  it.effect("does not count as the same without a part of it", () =>
    Effect.gen(function* () {
      const browser = yield* openWithOwnFonts
      const page = yield* Effect.promise(() => browser.newPage({ viewport: PHONE }))
      const shows = (html: string) =>
        Effect.promise(async () => {
          await page.setContent(html)
          const session = await page.context().newCDPSession(page)
          return (await session.send("Page.captureScreenshot", { format: "webp", quality: 60 })).data
        })
      const button = `<button style="width:300px;height:48px;background:#4f46e5;color:#fff">Sweep 2 tokens</button>`
      const whole = yield* shows(`<h1>Sweep</h1>${button}`)
      assert.isAbove(yield* difference(browser, whole, yield* shows("<h1>Sweep</h1>")), 0.02)
      assert.isBelow(
        yield* difference(browser, whole, yield* shows(`<h1>Sweep</h1>${button.replace("2 tokens", "3 tokens")}`)),
        0.02
      )
    }).pipe(Effect.scoped)
  )
})
