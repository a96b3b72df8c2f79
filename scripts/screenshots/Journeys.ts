/** The three journeys whose pictures the documentation shows. */
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import type { DevApp } from "../../src/apps/DevApp.ts"
import * as Wallet from "../../test/web/Wallet.ts"
import { DESK, loaded, open, PHONE, type Take } from "./Camera.ts"
import * as Scene from "./Scene.ts"

interface Studio {
  readonly app: DevApp
  readonly browser: Browser
  readonly take: Take
}

const heading = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("heading", { name }).first().waitFor())

const press = (page: Page, name: string | RegExp) => Effect.promise(() => page.getByRole("button", { name }).click())

const goto = (page: Page, url: string) => Effect.promise(() => page.goto(url))

/** An owner sweeps a wallet of two chains. */
export const owner = Effect.fnUntraced(function* ({ app, browser, take }: Studio) {
  const account = yield* Scene.owner(app)
  const page = yield* open(browser)
  yield* Wallet.install(page, account, { signsAuthorizations: true })
  yield* goto(page, `${app.info.dashboardUrl}/app/sweep`)
  yield* press(page, "Test Wallet")
  yield* heading(page, "Your tokens")
  const sweep = page.getByRole("button", { name: /^Sweep \d+ tokens$/ })
  const ready = Effect.promise(() => sweep.and(page.locator("[aria-disabled=false]")).waitFor())
  yield* ready
  yield* take(page, "owner-plan")
  yield* Effect.promise(() => page.setViewportSize(PHONE))
  yield* take(page, "owner-phone")
  yield* Effect.promise(() => page.setViewportSize(DESK))
  yield* ready
  yield* Effect.promise(() => sweep.click())
  yield* Effect.promise(() =>
    page
      .getByText(/^(\d+) of \1 delivered/)
      .first()
      .waitFor()
  )
  yield* Effect.promise(() => page.evaluate(() => scrollTo(0, 0)))
  yield* take(page, "owner-delivered")
}, Effect.scoped)

/** A builder signs up and sees earnings. */
export const builder = Effect.fnUntraced(function* ({ app, browser, take }: Studio, earned: Scene.Builder) {
  const url = app.info.dashboardUrl
  const stranger = yield* open(browser)
  yield* Wallet.install(stranger, earned.account)
  yield* goto(stranger, `${url}/app/sign-in`)
  yield* Effect.promise(() => stranger.getByRole("button", { name: "Test Wallet" }).waitFor())
  yield* take(stranger, "builder-sign-in")
  const page = yield* open(browser)
  const [name = "", value = ""] = earned.cookie.split("=")
  yield* Effect.promise(() => page.context().addCookies([{ name, value, url, httpOnly: true, secure: true }]))
  yield* goto(page, `${url}/app`)
  yield* heading(page, "Overview")
  yield* take(page, "builder-earnings")
  yield* goto(page, `${url}/app/sweeps/${earned.sweepId}`)
  yield* heading(page, "Sweep")
  yield* take(page, "builder-sweep")
}, Effect.scoped)

/** An operator finds a sweep and pauses a chain. */
export const operator = Effect.fnUntraced(function* ({ app, browser, take }: Studio, { sweepId }: Scene.Builder) {
  const { builderAdminToken, dashboardUrl } = app.info
  const page = yield* open(browser)
  yield* Effect.promise(() =>
    page.addInitScript((token) => sessionStorage.setItem("sweep-admin-token", token), builderAdminToken)
  )
  yield* goto(page, `${dashboardUrl}/app/admin/money`)
  yield* heading(page, "Money")
  yield* take(page, "operator-money")
  yield* goto(page, `${dashboardUrl}/app/admin/sweeps/${sweepId}`)
  yield* heading(page, "Sweep")
  yield* loaded(page)
  yield* take(page, "operator-story")
  yield* Scene.setPaused(app, true)
  yield* goto(page, `${dashboardUrl}/app/admin/controls`)
  yield* heading(page, "Controls")
  yield* Effect.promise(() => page.getByText("Its sequencer is down").first().waitFor())
  yield* take(page, "operator-pause")
  yield* Scene.setPaused(app, false)
}, Effect.scoped)
