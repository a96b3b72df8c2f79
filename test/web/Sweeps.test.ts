/** A builder's sweeps in a real browser: volume and success, the list with its filters, and each history. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Page } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"
import { cutTables, overflow, violations } from "./Accessibility.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const opens = (page: Page, path: string) => Effect.promise(() => page.goto(path))

const sees = (page: Page, heading: string) =>
  Effect.promise(() => page.getByRole("heading", { name: heading, exact: true }).waitFor())

const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

const click = (page: Page, name: string) => Effect.promise(() => page.getByRole("button", { name }).click())

const chooses = (page: Page, label: string, option: string) =>
  Effect.promise(() => page.getByLabel(label, { exact: true }).selectOption({ label: option }))

/** Waits until the table has so many rows. */
const hasRows = (page: Page, count: number) =>
  Effect.promise(() =>
    page.waitForFunction(
      (expected) =>
        document.querySelector('[aria-busy="true"]') === null &&
        document.querySelectorAll("tbody tr").length === expected,
      count
    )
  )

/** No finding of axe, and nothing wider than the screen. */
const isFine = Effect.fnUntraced(function* (page: Page) {
  assert.deepStrictEqual(yield* violations(page), [])
  assert.isAtMost(yield* overflow(page), 0)
})

layer(Site.layer(), live)("a builder's sweeps", (it) => {
  it.effect("are counted on the overview, listed, filtered, and taken home as CSV", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Tidewater")
      yield* Site.sweepForAMonth(id)
      const { complaints, page } = yield* Site.visitorOf(cookie)
      yield* opens(page, "/app")
      // 60 sweeps, 12 of them failed, one on its way.
      yield* reads(page, "79.66%")
      yield* reads(page, "47 of 59 arrived")
      yield* reads(page, "1 on its way")
      const volume = page.getByRole("region", { name: "Volume per token" })
      yield* Effect.promise(() => volume.getByRole("row", { name: /USDC on Base 47 1,175/ }).waitFor())
      yield* isFine(page)

      yield* Effect.promise(() => page.getByRole("link", { name: "View sweeps" }).click())
      yield* sees(page, "Sweeps")
      yield* hasRows(page, 50)
      yield* click(page, "Next")
      yield* reads(page, "Page 2")
      yield* hasRows(page, 10)
      yield* isFine(page)

      yield* chooses(page, "Status", "Failed")
      yield* hasRows(page, 12)
      yield* Effect.promise(() => page.getByLabel("Chain", { exact: true }).selectOption("42161"))
      yield* hasRows(page, 4)
      assert.match(page.url(), /\/app\/sweeps\?(?=.*status=failed)(?=.*chain=42161)/)
      const [file] = yield* Effect.promise(() =>
        Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()])
      )
      const path = yield* Effect.promise(() => file.path())
      const [header, first, ...others] = (yield* Effect.promise(() => Bun.file(path).text())).trimEnd().split("\r\n")
      assert.include(header, "intent_id,status,failure_reason,owner")
      assert.include(first, ",failed,expired,")
      assert.include(first, ",USDC,25,25000000,0.075,75000,42161,")
      assert.lengthOf(others, 3)

      // The filters are part of the address: they are there again on the way back.
      yield* Effect.promise(() => page.getByRole("link", { name: "25 USDC" }).first().click())
      yield* sees(page, "Sweep")
      yield* reads(page, "It was not settled before the order's deadline.")
      yield* reads(page, "A failed sweep earns nothing.")
      yield* Effect.promise(() => page.goBack())
      yield* hasRows(page, 4)
      yield* chooses(page, "Status", "Submitted")
      yield* reads(page, "Nothing matches")
      yield* Effect.promise(() => page.getByRole("link", { name: "Show all" }).click())
      yield* hasRows(page, 50)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are searched, filtered by token and day, and lead to what they earned and back, on a phone", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Headland")
      const now = yield* Clock.currentTimeMillis
      const done = ["submitted", "settled_source", "delivered"] as const
      yield* Site.reportSweep(id, { id: "headland-1", atMs: now - 40 * 86_400_000, statuses: done })
      yield* Site.reportSweep(id, { id: "headland-2", atMs: now - 60_000, statuses: done, crossChain: true })
      const earned = yield* Site.earnFrom(id, "headland-2")
      const { complaints, page } = yield* Site.visitorOf(cookie, { viewport: { width: 390, height: 800 } })
      yield* opens(page, "/app/sweeps")
      yield* hasRows(page, 2)
      yield* isFine(page)
      assert.deepStrictEqual(yield* cutTables(page), [])
      yield* Effect.promise(() => page.getByLabel("Token", { exact: true }).selectOption({ label: "WETH on Arbitrum" }))
      yield* hasRows(page, 1)
      yield* click(page, "Clear filters")
      yield* hasRows(page, 2)
      yield* Effect.promise(() =>
        page.getByLabel("To (UTC)").fill(new Date(now - 9 * 86_400_000).toISOString().slice(0, 10))
      )
      yield* hasRows(page, 1)
      yield* click(page, "Clear filters")
      yield* Effect.promise(() => page.getByLabel("Search").fill(earned.txHash))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* hasRows(page, 1)
      yield* Effect.promise(() => page.getByRole("link", { name: /25 USDC/ }).click())
      yield* sees(page, "Your earning")
      yield* isFine(page)
      yield* Effect.promise(() => page.getByRole("link", { name: "Show in activity" }).click())
      yield* sees(page, "Activity")
      yield* hasRows(page, 1)
      yield* isFine(page)
      assert.deepStrictEqual(yield* cutTables(page), [])
      yield* Effect.promise(() => page.getByRole("link", { name: "Open the sweep" }).locator("visible=true").click())
      yield* sees(page, "Your earning")
      // A hash that nothing has says what to do.
      yield* opens(page, `/app/sweeps?q=0x${"12".repeat(32)}`)
      yield* reads(page, "Nothing matches")
      yield* isFine(page)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("have a history that leads to the explorers, and goes on by itself", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Northwind Wallet")
      const now = yield* Clock.currentTimeMillis
      const sweep = { id: "the-sweep", atMs: now - 60_000, crossChain: true }
      yield* Site.reportSweep(id, { ...sweep, statuses: ["submitted", "settled_source"] })
      const { page } = yield* Site.visitorOf(cookie)
      yield* opens(page, "/app/sweeps/the-sweep")
      yield* reads(page, "Pending. This page updates itself.")
      yield* reads(page, "Settled on Base")
      yield* reads(page, "after 4.2 s")
      yield* isFine(page)
      yield* Site.reportSweep(id, { ...sweep, statuses: ["delivered"] })
      yield* reads(page, "The funds arrived over the bridge.")
      const links = page.getByRole("main").getByRole("link", { name: /opens the explorer/ })
      const hrefs = yield* Effect.promise(() =>
        links.evaluateAll((all) => all.map((link) => link.getAttribute("href")))
      )
      assert.lengthOf(hrefs, 3)
      assert.match(hrefs[0] ?? "", /^https:\/\/basescan\.org\/address\/0x[0-9a-fA-F]{40}$/)
      assert.match(hrefs[1] ?? "", /^https:\/\/basescan\.org\/tx\/0x[0-9a-f]{64}$/)
      assert.match(hrefs[2] ?? "", /^https:\/\/arbiscan\.io\/tx\/0x[0-9a-f]{64}$/)
      assert.notStrictEqual(hrefs[1]?.slice(-64), hrefs[2]?.slice(-64))
    }).pipe(Effect.scoped)
  )

  it.effect("are nobody else's, and none at first", () =>
    Effect.gen(function* () {
      const other = yield* Harness.signUp("Somebody else")
      const now = yield* Clock.currentTimeMillis
      yield* Site.reportSweep(other.id, { id: "foreign", atMs: now, statuses: ["submitted"] })
      const { cookie } = yield* Harness.signUp("Lantern")
      const { page } = yield* Site.visitorOf(cookie, { viewport: { width: 360, height: 740 }, colorScheme: "dark" })
      yield* opens(page, "/app/sweeps/foreign")
      yield* reads(page, "There is no such sweep")
      yield* opens(page, "/app/sweeps?status=nonsense&chain=x")
      yield* reads(page, "No sweeps yet")
      yield* isFine(page)
      yield* opens(page, "/app")
      yield* reads(page, "none has ended yet")
      yield* reads(page, "No volume yet")
      yield* isFine(page)
    }).pipe(Effect.scoped)
  )
})
