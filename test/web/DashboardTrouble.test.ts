/** The dashboard while the service refuses, and after the session or the wallet's account has changed, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { answers } from "./Browser.ts"
import * as Harness from "../server/builder/Harness.ts"
import { chooseWallet, click, focused, opens, reads, sees, signIn } from "./DashboardSteps.ts"
import * as Site from "./Site.ts"
import * as Wallet from "./Wallet.ts"

const live = { excludeTestServices: true } as const

layer(Site.layer(), live)("a builder", (it) => {
  it.effect("is told that a failed request is repeated, and keeps its place when it asks again itself", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Patient Pay")
      const { complaints, page } = yield* Site.visitorOf(cookie)
      let isAway = true
      yield* Effect.promise(() =>
        page.route("**/me/activity**", (route) =>
          isAway ? route.fulfill({ status: 503, json: { error: "internal error" } }) : route.continue()
        )
      )
      yield* opens(page, "/app/activity")
      const repeats = page.getByText("A request failed. The page repeats it by itself.")
      yield* Effect.promise(() => repeats.waitFor())
      isAway = false
      yield* reads(page, "No activity yet")
      yield* Effect.promise(() => repeats.waitFor({ state: "detached" }))
      isAway = true
      yield* Effect.promise(() => page.reload())
      const again = page.getByRole("button", { name: "Try again" })
      yield* Effect.promise(() => again.focus())
      yield* Effect.promise(() => repeats.waitFor({ state: "detached" }))
      isAway = false
      yield* Effect.promise(() => again.press("Enter"))
      yield* reads(page, "No activity yet")
      assert.strictEqual(yield* focused(page), "SECTION")
      yield* Effect.promise(() => page.getByLabel("Status").selectOption({ label: "Paid" }))
      yield* click(page, "Clear filters")
      yield* reads(page, "No activity yet")
      assert.strictEqual(yield* focused(page), "SECTION")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is told when its session ends, and comes back to where it was", () =>
    Effect.gen(function* () {
      const { context, page } = yield* Site.visitor()
      const { account } = yield* Harness.signUp("Lantern")
      yield* Wallet.install(page, account)
      // This page asks for nothing by itself, so that the link is what finds the session gone.
      yield* opens(page, "/app/settings")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Settings")
      yield* Effect.promise(() => context.clearCookies())
      yield* Effect.promise(() => page.getByRole("link", { name: "API keys" }).click())
      yield* reads(page, "Your session has ended.")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "API keys")
    }).pipe(Effect.scoped)
  )

  it.effect("is told when the wallet is on another account, and can change over", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const one = yield* Harness.signUp("First builder")
      const other = yield* Harness.signUp("Second builder")
      const wallet = yield* Wallet.install(page, one.account)
      yield* opens(page, "/app")
      yield* signIn(page)
      yield* wallet.use(other.account)
      yield* reads(page, /Your wallet is on 0x/)
      yield* Effect.promise(() => page.getByRole("link", { name: "Sign in with it" }).click())
      yield* signIn(page)
      yield* reads(page, "Welcome back, Second builder.")
    }).pipe(Effect.scoped)
  )

  it.effect("sees the account of another tab, and nothing of the one before, as soon as it comes back", () =>
    Effect.gen(function* () {
      const { url } = yield* Site.Site
      const one = yield* Harness.signUp("Tab of before")
      const other = yield* Harness.signUp("Tab of now")
      yield* Site.earnFrom(one.id, "of-before")
      const { context, page } = yield* Site.visitorOf(one.cookie)
      yield* opens(page, "/app/activity")
      yield* Effect.promise(() =>
        page
          .getByText(/^0\.075/)
          .locator("visible=true")
          .first()
          .waitFor()
      )
      const [name = "", value = ""] = other.cookie.split("=")
      yield* Effect.promise(() => context.addCookies([{ name, value, url, httpOnly: true, secure: true }]))
      yield* Effect.promise(() => page.evaluate(() => void window.dispatchEvent(new Event("focus"))))
      yield* reads(page, "You are signed in as Tab of now. Another tab changed the account.")
      yield* reads(page, "No activity yet")
      yield* Effect.promise(() => page.getByText("Tab of before").waitFor({ state: "detached" }))
    }).pipe(Effect.scoped)
  )

  it.effect("keeps what is typed while the session cannot be read", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Typing")
      const { page } = yield* Site.visitorOf(cookie)
      yield* opens(page, "/app/webhooks")
      yield* click(page, "Add your first webhook")
      yield* Effect.promise(() => page.getByLabel("URL").fill("https://example.com/typed"))
      yield* Effect.promise(() =>
        page.route("**/me", (route) => route.fulfill({ status: 404, json: { error: "not found" } }))
      )
      const failed = page.waitForResponse((response) => response.status() === 404)
      yield* Effect.promise(() => page.evaluate(() => void window.dispatchEvent(new Event("focus"))))
      yield* Effect.promise(() => failed)
      yield* Effect.sleep("200 millis")
      assert.strictEqual(
        yield* Effect.promise(() => page.getByLabel("URL").inputValue({ timeout: 5_000 })),
        "https://example.com/typed"
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is told that a file has only the newest rows of a long list", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Long list")
      yield* Site.earnFrom(id, "long-list")
      const { page } = yield* Site.visitorOf(cookie)
      yield* answers(page, "**/me/activity?*limit=500*", (body) => {
        const { entries } = body as { readonly entries: ReadonlyArray<unknown> }
        return { entries: Array.from({ length: 100_000 }, () => entries[0]), nextCursor: "1" }
      })
      yield* opens(page, "/app/activity")
      yield* click(page, "Export CSV")
      yield* reads(page, "The file has the newest 100,000 rows. Narrow the dates for the rest.")
    }).pipe(Effect.scoped)
  )
})
