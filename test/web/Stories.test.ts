/** An operator finds a sweep from every page of the console, reads its story, and pauses and resumes. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import type { Page } from "playwright-core"
import * as OrchestratorOperationsInMemory from "../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"
import { address, hash } from "../support/IntentFixtures.ts"
import { overflow, violations } from "./Accessibility.ts"
import * as Harness from "../server/builder/Harness.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

const sees = (page: Page, heading: string) =>
  Effect.promise(() => page.getByRole("heading", { name: heading, exact: true }).waitFor())

const click = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).click())

const fill = (page: Page, label: string, value: string) =>
  Effect.promise(() => page.getByLabel(label, { exact: true }).fill(value))

const findings = (page: Page) => Effect.map(violations(page), (found) => assert.deepStrictEqual(found, []))

const enter = Effect.fnUntraced(function* (page: Page) {
  yield* Effect.promise(() => page.goto("/app/admin"))
  yield* fill(page, "Admin token", Harness.ADMIN_TOKEN)
  yield* click(page, "Open the console")
  yield* sees(page, "Builders")
})

const searches = (page: Page, text: string) =>
  Effect.promise(async () => {
    const box = page.getByRole("searchbox", { name: /^Search for an intent/ })
    await box.fill(text)
    await box.press("Enter")
  })

/** Sweep `rests` in the books of a new builder, with its earning. */
const booked = Effect.gen(function* () {
  const { id } = yield* Harness.signUp("Story Wallet")
  yield* Site.reportSweep(id, {
    id: "rests",
    statuses: ["submitted", "settled_source"],
    atMs: yield* Clock.currentTimeMillis
  })
  const sweepId = `${hash("tx rests")}_0`
  const body = { builderId: id, sweepId, token: address(0xd1), amount: "75000", chainId: 8453 }
  assert.strictEqual((yield* Harness.asAdmin("POST /accruals", { body })).status, 201)
  return id
})

const operations = OrchestratorOperationsInMemory.layer(parts)

layer(Site.layer({ operations }), live)("an operator who looks for something", (it) => {
  it.effect("is led from any name of a sweep to its whole story, and retries it there", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* Site.visitor()
      const builderId = yield* booked
      yield* enter(page)
      // The badge tells on every page that a chain has no fresh blocks.
      yield* reads(page, "1 chain without fresh blocks")
      yield* searches(page, hash("first"))
      yield* sees(page, "Sweep")
      for (const text of [
        "Waits for: its next try",
        "It is no longer sent:",
        "the owner is on a list",
        "Quote and order",
        "Simulated at block",
        "Cancellation on",
        "Receipt: block 19",
        "sweep:rests:submitted"
      ]) {
        yield* reads(page, text)
      }
      yield* reads(page, `Builder ${builderId}`)
      yield* reads(page, /entry \d+, owed, booked/)
      yield* reads(page, "No messages are kept")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
      yield* click(page, "Retry rests")
      yield* reads(page, "It is free to be taken.")

      yield* searches(page, "story wal")
      yield* sees(page, "Search")
      yield* Effect.promise(() => page.getByRole("link", { name: "Story Wallet" }).waitFor())
      yield* searches(page, "nobody at all")
      yield* reads(page, "Nothing has this name")
      // The box kept the focus through all pages.
      const focused = yield* Effect.promise(() => page.evaluate(() => document.activeElement?.getAttribute("type")))
      assert.strictEqual(focused, "search")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("pauses everything and a builder with a reason, and resumes, on a phone in the dark", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* Site.visitor({ viewport: { width: 390, height: 844 }, colorScheme: "dark" })
      yield* enter(page)
      yield* Effect.promise(() => page.goto("/app/admin/controls"))
      yield* sees(page, "Controls")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)

      yield* click(page, "Pause All sweeps")
      yield* fill(page, "Reason, for the audit log", "a drill")
      yield* findings(page)
      yield* click(page, "Pause now")
      yield* reads(page, "All sweeps: paused on every replica.")
      yield* reads(page, /: a drill/)
      yield* Effect.promise(() => page.getByRole("button", { name: "Resume All sweeps" }).waitFor())
      // The focus went back to the row's button.
      const focused = yield* Effect.promise(() => page.evaluate(() => document.activeElement?.tagName))
      assert.strictEqual(focused, "BUTTON")

      yield* click(page, "Pause a token or a builder")
      yield* Effect.promise(() => page.getByLabel("Pause", { exact: true }).selectOption("builder"))
      yield* fill(page, "Id of the builder", "not an id")
      yield* click(page, "Continue")
      yield* reads(page, /Enter the id of the builder/)
      yield* fill(page, "Id of the builder", "bld_x")
      yield* click(page, "Continue")
      yield* fill(page, "Reason, for the audit log", "it attacks")
      yield* click(page, "Pause now")
      yield* Effect.promise(() => page.getByRole("button", { name: "Resume Builder bld_x" }).waitFor())

      yield* click(page, "Resume All sweeps")
      yield* fill(page, "Reason, for the audit log", "the drill is over")
      yield* click(page, "Resume now")
      yield* reads(page, "All sweeps: running again.")
      const records = Harness.field(yield* Harness.asAdmin("GET /admin/audit"), "records")
      const written = Array.isArray(records) ? records.map(({ action, subject }) => `${action} ${subject}`) : []
      assert.deepStrictEqual(written.slice(0, 3), [
        "pause.change all",
        "pause.change builder:bld_x",
        "pause.change all"
      ])
      assert.deepStrictEqual(complaints, [])
      yield* Effect.promise(() => page.goto("/app/admin/sweeps/rests"))
      yield* reads(page, "Quote and order")
      yield* findings(page)
      assert.isAtMost(yield* overflow(page), 0)
    }).pipe(Effect.scoped)
  )
})
