/** An operator without a connection, beside another operator, and while the service fails, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Page } from "playwright-core"
import { keccak256, stringToHex } from "viem"
import * as OrchestratorOperationsInMemory from "../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { RevenueBook } from "../../src/ports/builder/RevenueBook.ts"
import { tokenKey } from "../../src/web/lib/tokenKey.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"
import * as Harness from "../server/builder/Harness.ts"
import * as FakeChain from "../support/FakeChain.ts"
import { click, enter, fill, opens, reads, sees } from "./AdminSteps.ts"
import { answers } from "./Browser.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const HOUR = 3_600_000
const DAY = 24 * HOUR

const HASH = `0x${"ab".repeat(32)}`

const CHAIN_ID = 8453

/** The page of a batch that is open. */
const payoutPage = Effect.fnUntraced(function* (name: string) {
  const { id } = yield* Harness.signUp(name)
  yield* Site.earnForAMonth(id)
  const opened = yield* Harness.asAdmin("POST /admin/payouts", { body: { chainId: CHAIN_ID, token: Site.usdc } })
  const batch = Harness.text(opened, "id")
  const visitor = yield* Site.visitor()
  yield* enter(visitor.page)
  yield* opens(visitor.page, `/app/admin/payouts/${batch}`)
  yield* sees(visitor.page, "Payout batch")
  return { ...visitor, batch }
})

/** The page of a builder, as `change` left it. */
const builderPage = Effect.fnUntraced(function* (name: string, change: object) {
  const { id } = yield* Harness.signUp(name)
  const path = `/admin/builders/${id}`
  yield* Harness.asAdmin(`PATCH ${path}`, { body: change })
  const { page } = yield* Site.visitor()
  yield* enter(page)
  yield* opens(page, `/app${path}`)
  yield* sees(page, name)
  return { page, path }
})

const inDialog = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("dialog").getByRole("button", { name, exact: true }).click())

/** Paths of the POST requests that the page sends from now on. */
const posts = (page: Page) => {
  const paths: Array<string> = []
  page.on("request", (request) => {
    if (request.method() === "POST") paths.push(new URL(request.url()).pathname)
  })
  return paths
}

/** The page reads again what is old, and is refused. */
const failsToRefresh = Effect.fnUntraced(function* (page: Page, url: string) {
  yield* Effect.promise(() =>
    page.route(url, (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ status: 404, json: { error: "not found" } })
        : route.fallback()
    )
  )
  yield* Effect.promise(() => page.clock.install())
  yield* Effect.promise(() => page.clock.fastForward(60_000))
  const refused = page.waitForResponse((response) => response.status() === 404)
  yield* Effect.promise(() => page.evaluate(() => void window.dispatchEvent(new Event("visibilitychange"))))
  yield* Effect.promise(() => refused)
  yield* reads(page, "This page could not be refreshed.")
})

const value = (page: Page, label: string) => Effect.promise(() => page.getByLabel(label, { exact: true }).inputValue())

/** Presses the dialog's button and changes its field before anything else happens in the page. */
const pressesAndTypes = (page: Page, button: string, text: string) =>
  Effect.promise(() =>
    page.evaluate(
      ([name, value]) => {
        const dialog = document.querySelector("[role=dialog], dialog")
        const field = dialog?.querySelector("input")
        const pressed = [...(dialog?.querySelectorAll("button") ?? [])].find((each) => each.textContent === name)
        if (field == null || pressed === undefined) throw new Error("the dialog has another form")
        pressed.click()
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, value)
        field.dispatchEvent(new Event("input", { bubbles: true }))
      },
      [button, text] as const
    )
  )

layer(Site.layer({ operations: OrchestratorOperationsInMemory.layer(parts) }), live)("an operator", (it) => {
  it.effect("is told at once that a press failed without a connection, and nothing of it is sent later", () =>
    Effect.gen(function* () {
      const { batch, context, page } = yield* payoutPage("Paid without a connection")
      yield* click(page, "Mark as paid")
      yield* fill(page, "Transaction hash", HASH)
      yield* Effect.promise(() => context.setOffline(true))
      yield* inDialog(page, "Mark as paid")
      yield* reads(page, "The service cannot be reached.")
      const sent = posts(page)
      yield* Effect.promise(() => context.setOffline(false))
      yield* Effect.promise(() => page.waitForFunction(() => navigator.onLine))
      yield* Effect.sleep("500 millis")
      assert.deepStrictEqual(sent, [])
      yield* Harness.asAdmin(`POST /admin/payouts/${batch}/fail`, { body: { reason: "a test" } })
    }).pipe(Effect.scoped)
  )

  it.effect("who marks a batch as paid never gives it up, whatever is typed meanwhile", () =>
    Effect.gen(function* () {
      const { batch, page } = yield* payoutPage("Paid while typing")
      yield* click(page, "Mark as paid")
      yield* fill(page, "Transaction hash", HASH)
      const sent = posts(page)
      yield* pressesAndTypes(page, "Mark as paid", "no hash")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("alert").waitFor())
      assert.deepStrictEqual(sent, [`/admin/payouts/${batch}/paid`])
      yield* Harness.asAdmin(`POST /admin/payouts/${batch}/fail`, { body: { reason: "a test" } })
    }).pipe(Effect.scoped)
  )

  it.effect("reads when the next sale and the next attempt are", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* enter(page)
      const now = yield* Clock.currentTimeMillis
      yield* answers(page, "**/admin/operations/treasury", (body) => {
        const { entries, ...view } = body as { readonly entries: ReadonlyArray<{ readonly state: string }> }
        const later = entries.map((each) =>
          each.state === "unsellable" ? { ...each, retryAtMs: now + 3 * HOUR } : each
        )
        return { ...view, entries: later, nextRoundAtMs: now + 40 * 60_000 }
      })
      yield* opens(page, "/app/admin/fees")
      yield* reads(page, "next attempt in 3 hours")
      yield* reads(page, /^Next sale in (39|40) minutes\.$/)
    }).pipe(Effect.scoped)
  )

  it.effect("saves only the terms that were changed on the page, which others may be changing too", () =>
    Effect.gen(function* () {
      const { page, path } = yield* builderPage("Two operators", { builderBps: 10, maxBuilderBps: 50 })
      yield* Harness.asAdmin(`PATCH ${path}`, { body: { builderBps: 30, maxBuilderBps: 60 } })
      yield* Effect.promise(() => page.getByLabel("Paid", { exact: true }).selectOption("ledger"))
      yield* click(page, "Save terms")
      yield* reads(page, "The terms are saved.")
      const kept = yield* Harness.asAdmin(`GET ${path}`)
      assert.deepStrictEqual(
        ["payoutMode", "builderBps", "maxBuilderBps"].map((name) => Harness.field(kept, "builder", name)),
        ["ledger", 30, 60]
      )
      // The page shows what the other operator saved, and what is typed next is compared with that.
      const isShown = () => [...document.querySelectorAll("input")].some(({ value }) => value === "30")
      yield* Effect.promise(() => page.waitForFunction(isShown))
      yield* Effect.promise(() => page.locator("button:disabled", { hasText: "Save terms" }).waitFor())
      yield* fill(page, "Markup, in basis points", "61")
      yield* reads(page, "This is above the cap.")
      yield* fill(page, "Markup, in basis points", "55")
      yield* click(page, "Save terms")
      yield* Effect.promise(() => page.locator("button:disabled", { hasText: "Save terms" }).waitFor())
      assert.strictEqual(Harness.field(yield* Harness.asAdmin(`GET ${path}`), "builder", "builderBps"), 55)
    }).pipe(Effect.scoped)
  )

  it.effect("is told that a suspension was not lifted", () =>
    Effect.gen(function* () {
      const { page } = yield* builderPage("Stays suspended", { suspended: true })
      yield* Effect.promise(() =>
        page.route("**/admin/builders/*", (route) =>
          route.request().method() === "PATCH"
            ? route.fulfill({ status: 503, json: { error: "internal error" } })
            : route.continue()
        )
      )
      yield* click(page, "Lift the suspension")
      yield* reads(page, "The service cannot reach its database.")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the dialog of a pause while the pauses cannot be read, and pauses once", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* enter(page)
      yield* opens(page, "/app/admin/controls")
      yield* click(page, "Pause All sweeps")
      yield* fill(page, "Reason, for the audit log", "an attack")
      yield* failsToRefresh(page, "**/admin/operations/pauses")
      assert.strictEqual(yield* value(page, "Reason, for the audit log"), "an attack")
      const paused = Promise.withResolvers<void>()
      yield* Effect.promise(() =>
        page.route("**/admin/operations/pauses", async (route) => {
          if (route.request().method() === "POST") await paused.promise
          return route.continue()
        })
      )
      const sent = posts(page)
      const reason = page.getByLabel("Reason, for the audit log", { exact: true })
      yield* Effect.promise(() => reason.press("Enter"))
      yield* Effect.promise(() => page.locator("button[aria-busy=true]").waitFor())
      yield* Effect.promise(() => reason.press("Enter"))
      paused.resolve()
      yield* reads(page, "All sweeps: paused on every replica.")
      yield* Effect.promise(() => page.getByText("This page could not be refreshed.").waitFor({ state: "detached" }))
      assert.deepStrictEqual(sent, ["/admin/operations/pauses"])
      yield* click(page, "Resume All sweeps")
      yield* fill(page, "Reason, for the audit log", "it is over")
      yield* inDialog(page, "Resume now")
      yield* reads(page, "All sweeps: running again.")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the dialog of a batch's end while the batch cannot be read", () =>
    Effect.gen(function* () {
      const { batch, page } = yield* payoutPage("Refreshed in vain")
      yield* click(page, "Give up")
      yield* fill(page, "Reason", "a wrong address")
      yield* failsToRefresh(page, `**/admin/payouts/${batch}`)
      assert.strictEqual(yield* value(page, "Reason"), "a wrong address")
      yield* inDialog(page, "Give up")
      yield* reads(page, "Its amounts are owed again.")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps changed terms and the dialog of a suspension while the builder cannot be read", () =>
    Effect.gen(function* () {
      const { page, path } = yield* builderPage("Typed in vain", { builderBps: 10, maxBuilderBps: 50 })
      yield* fill(page, "Markup, in basis points", "41")
      yield* click(page, "Suspend")
      yield* failsToRefresh(page, `**${path}`)
      yield* Effect.promise(() => page.getByRole("dialog").waitFor())
      yield* inDialog(page, "Cancel")
      assert.strictEqual(yield* value(page, "Markup, in basis points"), "41")
      yield* Effect.promise(() => page.unroute(`**${path}`))
      yield* click(page, "Try again")
      yield* Effect.promise(() => page.getByText("This page could not be refreshed.").waitFor({ state: "detached" }))
      assert.strictEqual(yield* value(page, "Markup, in basis points"), "41")
    }).pipe(Effect.scoped)
  )

  it.effect("reads as revenue the sum of the days that are drawn", () =>
    Effect.gen(function* () {
      const token = FakeChain.address(0xe1)
      const book = yield* RevenueBook
      const now = yield* Clock.currentTimeMillis
      for (const days of [0, 29, 30]) {
        const txHash = keccak256(stringToHex(`revenue ${days}`))
        const settledAtMs = now - days * DAY
        yield* book.book({ sweepId: `${txHash}_0`, chainId: CHAIN_ID, token, amount: 100n, txHash, settledAtMs })
      }
      const { page } = yield* Site.visitor()
      yield* enter(page)
      yield* opens(page, "/app/admin/revenue")
      yield* Effect.promise(() => page.getByLabel("Token", { exact: true }).selectOption(tokenKey(CHAIN_ID, token)))
      yield* reads(page, "from 2 sweeps")
      yield* reads(page, "200 units")
    }).pipe(Effect.scoped)
  )
})
