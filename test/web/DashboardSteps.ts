/** Steps of a person in the builder's dashboard, in a real browser. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"

export const click = (page: Page, name: string) => Effect.promise(() => page.getByRole("button", { name }).click())

export const sees = (page: Page, heading: string) =>
  Effect.promise(() => page.getByRole("heading", { name: heading }).waitFor())

export const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

export const opens = (page: Page, path: string) => Effect.promise(() => page.goto(path))

export const secret = (page: Page) => Effect.promise(() => page.getByTestId("secret").innerText())

/** Name of the element that has the focus. `BODY` if none has it. */
export const focused = (page: Page) => Effect.promise(() => page.evaluate(() => document.activeElement?.tagName))

export const chooseWallet = Effect.fnUntraced(function* (page: Page) {
  yield* click(page, "Test Wallet")
  yield* sees(page, "Sign the message")
})

export const signIn = Effect.fnUntraced(function* (page: Page) {
  yield* chooseWallet(page)
  yield* click(page, "Sign with Test Wallet")
  yield* sees(page, "Overview")
})

/** True if the key attributes sweeps. */
export const works = (apiKey: string) =>
  Effect.map(Harness.ask("POST /attribute", { headers: { "x-api-key": apiKey } }), ({ status }) => status === 200)
