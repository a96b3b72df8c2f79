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

export const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

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

export const goesTo = Effect.fnUntraced(function* (page: Page, symbol: string, chain: string) {
  yield* Effect.promise(() => page.getByLabel("On", { exact: true }).selectOption({ label: chain }))
  const option = page.getByLabel("Receive", { exact: true }).locator("option", { hasText: new RegExp(`^${symbol} `) })
  const value = yield* Effect.promise(() => option.getAttribute("value"))
  yield* Effect.promise(() => page.getByLabel("Receive", { exact: true }).selectOption(value))
})

/** The card of one token's sweep. */
export const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true })

/** The exact amount that a card shows under a label, in smallest units. */
export const amountOf = (page: Page, name: string, label: string, decimals: number) =>
  Effect.promise(async () => {
    const shown = card(page, name).locator("dt", { hasText: label }).locator("xpath=..").locator("dd [title]").first()
    const [amount = ""] = ((await shown.getAttribute("title")) ?? "").split(" ")
    return parseUnits(amount, decimals)
  })

/** Waits until a card or an entry says that its sweep is delivered. */
export const delivered = (page: Page, name: string) =>
  Effect.promise(() => card(page, name).getByText("Delivered", { exact: true }).waitFor())

/** Signs what is under review, and waits until it is delivered. */
export const sweeps = Effect.fnUntraced(function* (page: Page, name: string) {
  yield* click(page, "Sign and sweep")
  yield* delivered(page, name)
})

/** Number of buttons of a name. */
export const buttons = (page: Page, name: string) =>
  Effect.promise(() => page.getByRole("button", { name, exact: true }).count())
