/** Steps of an operator in the console, in a real browser. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"

export const click = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).click())

export const opens = (page: Page, path: string) => Effect.promise(() => page.goto(path))

export const sees = (page: Page, heading: string) =>
  Effect.promise(() => page.getByRole("heading", { name: heading, exact: true }).waitFor())

export const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

export const fill = (page: Page, label: string, value: string) =>
  Effect.promise(() => page.getByLabel(label, { exact: true }).fill(value))

export const goes = (page: Page, link: string) =>
  Effect.promise(() => page.getByRole("link", { name: link }).first().click())

/** The tokens that can be paid depend on what the page has read anew, so the test names its token. */
export const opensBatch = Effect.fnUntraced(function* (page: Page) {
  yield* click(page, "Open a batch")
  yield* Effect.promise(() => page.getByLabel("Token", { exact: true }).selectOption({ label: "USDC on Base" }))
})

export const enter = Effect.fnUntraced(function* (page: Page) {
  yield* Effect.promise(() => page.goto("/admin"))
  yield* fill(page, "Admin token", Harness.ADMIN_TOKEN)
  yield* click(page, "Open the console")
  yield* sees(page, "Builders")
})
