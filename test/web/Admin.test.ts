/** An operator's way through the console, in a real browser. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as OrchestratorOperationsInMemory from "../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"
import { overflow, violations } from "./Accessibility.ts"
import { click, enter, fill, goes, opensBatch, reads, sees } from "./AdminSteps.ts"
import { answers } from "./Browser.ts"
import * as Harness from "../server/builder/Harness.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const downloaded = (page: Page, button: string) =>
  Effect.promise(async () => {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button }).click()
    ])
    return Bun.file(await file.path()).text()
  })

layer(Site.layer(), live)("an operator", (it) => {
  it.effect("is let in by the token alone, for this tab", () =>
    Effect.gen(function* () {
      const { context, page } = yield* Site.visitor()
      yield* Effect.promise(() => page.goto("/admin"))
      yield* fill(page, "Admin token", "a guess")
      yield* click(page, "Open the console")
      yield* reads(page, "The service rejected this token.")
      yield* enter(page)
      yield* Effect.promise(() => page.reload())
      yield* sees(page, "Builders")
      const other = yield* Effect.promise(() => context.newPage())
      yield* Effect.promise(() => other.goto("/app/admin"))
      yield* sees(other, "Admin console")
      yield* click(page, "Lock the console")
      yield* sees(page, "Admin console")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the token while the service fails", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* enter(page)
      let isAway = true
      yield* Effect.promise(() =>
        page.route("**/admin/alerts**", (route) =>
          isAway ? route.fulfill({ status: 503, json: { error: "internal error" } }) : route.continue()
        )
      )
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "A request failed. The page repeats it by itself.")
      yield* reads(page, "The service cannot reach its database.")
      isAway = false
      yield* click(page, "Try again")
      yield* sees(page, "Builders")
    }).pipe(Effect.scoped)
  )

  it.effect("registers a builder, is told what is wrong, changes the terms, and suspends", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* enter(page)
      yield* click(page, "Register a builder")
      yield* fill(page, "Id", "not an id")
      yield* fill(page, "Name", "Acme")
      yield* fill(page, "Payout address", Harness.wallet().address)
      yield* click(page, "Register")
      yield* reads(page, /expected 1 to 128 letters/)
      yield* fill(page, "Id", "acme")
      yield* click(page, "Register")
      yield* sees(page, "The builder's API key")
      const apiKey = yield* Effect.promise(() => page.getByTestId("secret").innerText())
      yield* Effect.promise(() => page.getByLabel(/safe place/).check())
      yield* click(page, "Done")
      yield* fill(page, "Search builders", "acm")
      yield* goes(page, "Acme")
      yield* sees(page, "Acme")
      yield* fill(page, "Markup, in basis points", "80")
      yield* reads(page, "This is above the cap.")
      yield* fill(page, "Cap, in basis points", "100")
      yield* click(page, "Save terms")
      yield* reads(page, "The terms are saved.")
      const attributed = yield* Harness.ask("POST /attribute", { headers: { "x-api-key": apiKey } })
      assert.strictEqual(Harness.field(attributed, "builderBps"), 80)
      yield* click(page, "Suspend")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("button", { name: "Suspend" }).click())
      yield* reads(page, "The builder is suspended.")
      const refused = yield* Harness.ask("POST /attribute", { headers: { "x-api-key": apiKey } })
      assert.strictEqual(refused.status, 404)
      yield* goes(page, "Audit log")
      yield* reads(page, "admin-token")
    }).pipe(Effect.scoped)
  )

  it.effect("opens a payout batch, takes its files, and cannot mark it paid without proof", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { id } = yield* Harness.signUp("Paid in batches")
      yield* Site.earnForAMonth(id)
      yield* enter(page)
      yield* goes(page, "Payouts")
      yield* opensBatch(page)
      yield* click(page, "Open the batch")
      yield* sees(page, "Payout batch")
      assert.include(yield* downloaded(page, "CSV"), id)
      assert.include(yield* downloaded(page, "Safe JSON"), '"transactions"')
      yield* click(page, "Give up")
      yield* fill(page, "Reason", "a test")
      yield* Effect.promise(() => page.getByRole("dialog").getByRole("button", { name: "Give up" }).click())
      yield* reads(page, "Its amounts are owed again.")
      yield* Effect.promise(() => page.getByRole("button", { name: "Safe JSON" }).waitFor({ state: "detached" }))
      assert.include(yield* downloaded(page, "CSV"), id)

      // The excluded builder is named, and its amount stays for the next batch.
      const other = yield* Harness.signUp("Left out")
      yield* Site.earnForAMonth(other.id)
      yield* goes(page, "Payouts")
      yield* opensBatch(page)
      yield* fill(page, "Leave out", `${other.id}, nobody`)
      yield* answers(page, "**/admin/payouts", (body) => ({ ...(body as object), more: true }))
      yield* click(page, "Open the batch")
      yield* sees(page, "The batch is open")
      yield* reads(page, "The batch is full, and more is owed.")
      yield* reads(page, "A builder whose rest is below the least amount is left out until it reaches it.")
      yield* reads(page, other.id)
      yield* reads(page, "excluded by you")
      yield* click(page, "Continue to the batch")
      yield* sees(page, "Payout batch")
      yield* goes(page, "Payouts")
      yield* opensBatch(page)
      yield* fill(page, "Leave out", other.id)
      yield* click(page, "Open the batch")
      yield* reads(page, /No payable builder is owed this/)
      yield* reads(page, "excluded by you")
      yield* click(page, "Cancel")
      yield* goes(page, "Revenue")
      yield* sees(page, "Treasury")
      yield* Effect.promise(() => page.getByRole("columnheader", { name: "Claimed", exact: true }).waitFor())
      yield* reads(page, /from \d+ sweeps/)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps the token of a batch that is being opened while amounts are read anew", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { id } = yield* Harness.signUp("Owed two tokens")
      yield* Site.earnForAMonth(id)
      yield* Effect.promise(() => page.clock.install())
      yield* enter(page)
      yield* goes(page, "Payouts")
      yield* click(page, "Open a batch")
      const tokens = page.getByLabel("Token", { exact: true })
      yield* Effect.promise(() => tokens.locator("option", { hasText: "USDC on Base" }).waitFor({ state: "attached" }))
      const shown = yield* Effect.promise(() => tokens.inputValue())
      yield* answers(page, "**/admin/treasury", (body) => {
        const { positions } = body as { readonly positions: ReadonlyArray<unknown> }
        return { positions: positions.toReversed() }
      })
      const last = yield* Effect.promise(() => tokens.locator("option").last().textContent())
      // A page that comes to the front reads again what is old.
      yield* Effect.promise(() => page.clock.fastForward(60_000))
      yield* Effect.promise(() => page.evaluate(() => void window.dispatchEvent(new Event("visibilitychange"))))
      yield* Effect.promise(() =>
        tokens
          .locator("option")
          .first()
          .filter({ hasText: last ?? "" })
          .waitFor({ state: "attached" })
      )
      assert.strictEqual(yield* Effect.promise(() => tokens.inputValue()), shown)
    }).pipe(Effect.scoped)
  )
})

const findings = (page: Page) => Effect.map(violations(page), (found) => assert.deepStrictEqual(found, []))

const operations = OrchestratorOperationsInMemory.layer(parts)

layer(Site.layer({ operations }), live)("an operator of the orchestrator", (it) => {
  it.effect("sees its health, its alerts and why sweeps wait, and retries one", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* Site.visitor()
      yield* enter(page)
      yield* goes(page, "Operations")
      yield* sees(page, "Operations")
      yield* reads(page, "Degraded")
      const chains = page.getByRole("region", { name: "Chains" })
      yield* Effect.promise(() => chains.getByRole("row", { name: /beta.*Down.*unknown.*unknown.*paused/ }).waitFor())
      const refusing = chains.getByRole("row", { name: /alpha.*no: no node takes state overrides/ })
      yield* Effect.promise(() => refusing.waitFor())
      yield* Effect.promise(() => page.getByRole("region", { name: "Lanes" }).getByText("OK").waitFor())
      yield* reads(page, "The node of beta does not answer.")
      yield* reads(page, "It rests.")
      yield* reads(page, "Will fail as")
      yield* reads(page, "screening_blocked")
      yield* reads(page, "It is in no block.")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)

      // A sweep in a transaction cannot be retried.
      const retries = page.getByRole("button", { name: /^Retry / })
      assert.strictEqual(yield* Effect.promise(() => retries.count()), 1)
      yield* click(page, "Retry rests")
      yield* reads(page, "It is free to be taken.")
      yield* Effect.promise(() => page.getByText("It rests.").waitFor({ state: "detached" }))
      yield* goes(page, "Money")
      yield* sees(page, "Earned")
      assert.strictEqual(yield* Effect.promise(() => page.getByTestId("net").innerText()), "$314.56")
      yield* reads(page, "Without the fees of 12 sweeps and some gas, which had no price.")
      yield* reads(page, "4 unpriced")
      yield* Effect.promise(() =>
        page
          .getByRole("region", { name: "Runway of lanes" })
          .getByRole("row", { name: /> 9,999 h/ })
          .waitFor()
      )
      yield* reads(page, "Collected fees held")
      // One of the two balances has a value.
      yield* reads(page, "1 amount without a known value not counted")
      assert.include(yield* downloaded(page, "Export CSV"), "builder,acme,2026-01-02,30,1204,3,412.07,96.31,1.2,314.56")
      yield* Effect.promise(() => page.getByLabel("Period").selectOption("90"))
      yield* reads(page, "90 days, in UTC")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
      yield* goes(page, "Fees")
      yield* sees(page, "Collected fees")
      const books = page.getByRole("region", { name: "Collected fees by token" })
      yield* Effect.promise(() =>
        books.getByRole("row", { name: /7 4 0 3 3 0 unknown Cannot be sold no_route/ }).waitFor()
      )
      const sales = page.getByRole("region", { name: "Sales of collected fees" })
      yield* Effect.promise(() => sales.getByRole("row", { name: /4 units.*Settled/ }).waitFor())
      yield* reads(page, "Kept: TREASURY_ASSETS names no token")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
      yield* goes(page, "Audit log")
      yield* reads(page, "intent.retry")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("sees it on a phone", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor({ viewport: { width: 360, height: 740 }, colorScheme: "dark" })
      yield* enter(page)
      yield* Effect.promise(() => page.goto("/app/admin/operations"))
      yield* reads(page, "It is in no block.")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
      yield* Effect.promise(() => page.goto("/app/admin/money"))
      yield* reads(page, "By token tier")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
    }).pipe(Effect.scoped)
  )
})

layer(Site.layer(), live)("an operator whose backend knows no orchestrator", (it) => {
  it.effect("is told what to set", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* enter(page)
      yield* goes(page, "Operations")
      yield* reads(page, "Not configured")
      yield* reads(page, "ORCHESTRATOR_ADMIN_TOKEN")
      yield* findings(page)
    }).pipe(Effect.scoped)
  )
})
