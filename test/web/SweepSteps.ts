/** Steps of a person on the sweep page, for tests. */
import { Effect } from "effect"
import type { Browser, Page } from "playwright-core"
import { parseUnits } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import { type Place, place, Services } from "../support/Services.ts"
import { tokenOf } from "../support/SweepClient.ts"
import * as SweepSite from "./SweepSite.ts"

type Held = Readonly<Partial<Record<Parameters<DevChain["fund"]>[1]["token"], string>>>

/** Gives an account these tokens. */
export const fund = Effect.fnUntraced(function* (at: Place, address: `0x${string}`, held: Held) {
  yield* Effect.forEach(Object.entries(held), ([symbol, amount]) => {
    const token = symbol as keyof Held
    return at.dev.fund(Address.of(address), { token, amount: parseUnits(amount, tokenOf(at.info, token).decimals) })
  })
})

/** A fresh key that holds these tokens and no gas. */
export const owner = Effect.fnUntraced(function* (at: Place, held: Held) {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  yield* fund(at, account.address, held)
  return { key, account, address: account.address }
})

/** The local network's two chains. */
export const chains = Effect.map(Services, (services) => ({
  alpha: place(services, 0),
  beta: place(services, 1),
  info: services.info
}))

export const click = (page: Pick<Page, "getByRole">, name: string | RegExp) =>
  Effect.promise(() => page.getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).click())

/** A page, or a frame of one. */
type View = Pick<Page, "getByRole" | "getByText" | "locator">

export const reads = (page: Pick<View, "getByText">, text: string | RegExp) =>
  Effect.promise(() => page.getByText(text).first().waitFor())

export const opens = (page: Page) => Effect.promise(() => page.goto("/app/sweep"))

/** Connects a key of the local network. */
export const usesKey = Effect.fnUntraced(function* (page: Page, key: string) {
  yield* opens(page)
  yield* Effect.promise(() => page.getByLabel("Private key").fill(key))
  yield* click(page, "Use this key")
  yield* Effect.promise(() => page.getByRole("heading", { name: "Your tokens", exact: true }).waitFor())
})

/** Somebody with a browser of their own, who holds these tokens on Alpha. */
export const person = Effect.fnUntraced(function* (held: Held, options?: Parameters<Browser["newContext"]>[0]) {
  const network = yield* chains
  return { ...network, ...(yield* SweepSite.visitor(options)), ...(yield* owner(network.alpha, held)) }
})

/** A {@link person} whose key is connected. */
export const connected = Effect.fnUntraced(function* (...args: Parameters<typeof person>) {
  const found = yield* person(...args)
  yield* usesKey(found.page, found.key)
  return found
})

/** Ticks every token that can be swept, and keeps gas money. */
export const takesAll = (page: Page) =>
  Effect.promise(() => page.getByRole("radio", { name: "All but gas money" }).check({ force: true }))

export const goesTo = Effect.fnUntraced(function* (page: Page, symbol: string, chain: string) {
  yield* Effect.promise(() => page.getByLabel("On", { exact: true }).selectOption({ label: chain }))
  yield* Effect.promise(() => page.getByLabel("Receive", { exact: true }).selectOption({ label: symbol }))
})

/** On a phone: opens the plan, which is a bar at the bottom. */
export const opensPlan = (page: Page) => click(page, /^Details/)

const sweepButton = (page: View, count: number) =>
  page.getByRole("button", { name: count === 1 ? "Sweep 1 token" : `Sweep ${count} tokens`, exact: true })

/** Waits until the plan covers so many tokens, and can be signed. */
export const planned = (page: View, count: number) =>
  Effect.promise(() => page.locator("[aria-disabled=false]").and(sweepButton(page, count)).waitFor())

/** The exact least amount of the plan, in smallest units. */
export const least = (page: Page, decimals: number) =>
  Effect.promise(async () => {
    const shown = page.getByRole("group", { name: "What arrives" }).locator("[title]:visible").first()
    const [amount = ""] = ((await shown.getAttribute("title")) ?? "").split(" ")
    return parseUnits(amount, decimals)
  })

/** The facts of one token of the plan, or of a sweep. */
export const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true })

/** Opens a part of the page. */
export const unfolds = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.locator("summary", { hasText: text }).first().click())

/** The exact amount that a card shows under a label, in smallest units. */
export const amountOf = (page: Page, name: string, label: string, decimals: number) =>
  Effect.promise(async () => {
    const shown = card(page, name).locator("dt", { hasText: label }).locator("xpath=..").locator("dd [title]").first()
    const [amount = ""] = ((await shown.getAttribute("title")) ?? "").split(" ")
    return parseUnits(amount, decimals)
  })

/** Signs the plan of so many tokens. */
export const signs = Effect.fnUntraced(function* (page: View, count: number) {
  yield* planned(page, count)
  yield* Effect.promise(() => sweepButton(page, count).click())
})

/**
 * Signs a plan whose quotes must be renewed first. The new ones may bring a little less, because gas prices change. The page then asks, and
 * the person agrees.
 */
export const signsRenewed = Effect.fnUntraced(function* (page: Page, count: number) {
  yield* signs(page, count)
  yield* Effect.promise(async () => {
    const asked = page.getByRole("button", { name: /anyway$/ })
    await asked
      .or(page.getByRole("heading", { name: "Your sweep" }))
      .first()
      .waitFor()
    if (await asked.isVisible()) await asked.click()
  })
})

/** Waits until a heading has the focus. */
export const focuses = (page: Page, heading: string) =>
  Effect.promise(() => page.locator("h2:focus", { hasText: heading }).waitFor())

/** Waits until the page says that so many tokens of a sweep are delivered. */
export const delivered = (page: View, count: number, all = count) =>
  reads(page, new RegExp(`^${count} of ${all} delivered`))

/** Signs the plan of so many tokens, and waits until all are delivered. */
export const sweeps = Effect.fnUntraced(function* (page: View, count: number) {
  yield* signs(page, count)
  yield* delivered(page, count)
})

/** Number of buttons of a name. */
export const buttons = (page: Page, name: string | RegExp) =>
  Effect.promise(() => page.getByRole("button", { name, ...(typeof name === "string" ? { exact: true } : {}) }).count())
