/** The sweep page while the service or one of its chains does not answer: it shows the rest, and asks again by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import type { Page } from "playwright-core"
import * as FakeChain from "../support/FakeChain.ts"
import { StubServer } from "../support/StubServer.ts"
import {
  daiOnBase,
  token,
  usdcOnBase,
  wethOnArbitrum,
  held,
  CATALOG,
  FAILED,
  holding,
  unquoted,
  TOKENS,
  WHOLE,
  WITHOUT_BASE,
  WITHOUT_PRICE,
  scene
} from "./HoldingsScene.ts"
import * as Site from "./Site.ts"
import { click, goesTo, opens, reads } from "./SweepSteps.ts"

const live = { excludeTestServices: true } as const

const BUSY = {
  status: 503,
  headers: { "retry-after": "1", "sweep-reason": "unavailable" },
  json: { error: "internal error" }
}

/** A node on which no account has code. */
const node = StubServer.answering(({ body }) => {
  const { id }: { readonly id: number } = JSON.parse(body)
  return { status: 200, body: { jsonrpc: "2.0", id, result: "0x" } }
})

const gone = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.getByText(text).first().waitFor({ state: "hidden" }))

const targetChain = (page: Page) => Effect.promise(() => page.getByLabel("On", { exact: true }).inputValue())

/** Stores a sweep of DAI whose bridge refunded 2 USDC, as another tab of the page does. */
const storesRefund = (page: Page) =>
  Effect.promise(() =>
    page.evaluate(
      async ([service, dai, usdc, weth]) => {
        const ask: unknown = Reflect.get(window, "askTestWallet")
        if (typeof ask !== "function") throw new Error("no test wallet")
        const [owner] = (await ask("eth_accounts", [])).result
        const submission = {
          id: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
          submittedAtMs: Date.now(),
          endedAtMs: Date.now(),
          send: { chainId: 8453, token: dai, amount: "1000000", symbol: "DAI" },
          receive: { chainId: 42161, token: weth, amount: "1", destination: owner },
          crossing: { chainId: 8453, token: usdc },
          bridged: "2000000",
          status: "failed",
          failureReason: "bridge_refunded"
        }
        localStorage.setItem(`sweep-submissions ${service} ${owner}`, JSON.stringify([submission]))
        dispatchEvent(new Event("storage"))
      },
      [Site.orchestratorUrl.replace(/\/$/, ""), daiOnBase.address, usdcOnBase.address, wethOnArbitrum.address] as const
    )
  )

layer(Site.layer(), live)("the holdings on the sweep page", (it) => {
  it.effect("of a chain that did not answer come by themselves, and decide the target with the others", () =>
    Effect.gen(function* () {
      const { answers, complaints, page } = yield* scene({ holdings: WITHOUT_BASE })
      yield* click(page, "Test Wallet")
      yield* reads(page, /^Tokens on Base are missing/)
      yield* reads(page, "WETH")
      assert.strictEqual(yield* targetChain(page), "42161")
      yield* answers({ holdings: WHOLE })
      yield* reads(page, "DAI")
      yield* reads(page, "WETH")
      yield* gone(page, /are missing/)
      assert.strictEqual(yield* targetChain(page), "8453")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are selected by what the bridge refunded, not by what was sent", () =>
    Effect.gen(function* () {
      const { page } = yield* scene({ holdings: holding([held(daiOnBase, "90"), held(usdcOnBase, "60")]) })
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      yield* goesTo(page, "USDC", "Arbitrum")
      yield* storesRefund(page)
      yield* reads(page, /The bridge returns USDC to your account on the source chain/)
      yield* click(page, "Sweep the rest")
      const ticked = (name: string) =>
        Effect.promise(() => page.getByRole("checkbox", { name, exact: true }).isChecked())
      assert.deepStrictEqual([yield* ticked("DAI on Base"), yield* ticked("USDC on Base")], [false, true])
      yield* click(page, "Change the amount of USDC on Base")
      const amount = page.getByLabel("Amount of USDC to sweep")
      assert.strictEqual(yield* Effect.promise(() => amount.inputValue()), "2")
    }).pipe(Effect.scoped)
  )

  it.effect("are selected up to what the bridge refunded, also if the refund arrives later", () =>
    Effect.gen(function* () {
      const few = holding([held(daiOnBase, "90"), { ...held(usdcOnBase, "1"), balance: "1000000" }])
      const { answers, page } = yield* scene({ holdings: few })
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      yield* goesTo(page, "USDC", "Arbitrum")
      yield* storesRefund(page)
      yield* click(page, "Sweep the rest")
      yield* click(page, "Change the amount of USDC on Base")
      const amount = page.getByLabel("Amount of USDC to sweep")
      assert.strictEqual(yield* Effect.promise(() => amount.inputValue()), "1")
      yield* answers({ holdings: holding([held(daiOnBase, "90"), held(usdcOnBase, "60")]) })
      yield* click(page, "Refresh your tokens")
      yield* Effect.promise(() =>
        page.waitForFunction(
          () => document.querySelector<HTMLInputElement>('[aria-label="Amount of USDC to sweep"]')?.value === "2"
        )
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are not selected by a refund that arrives after the last tick is taken away", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({ holdings: holding([held(daiOnBase, "90")]) })
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      yield* goesTo(page, "USDC", "Arbitrum")
      yield* storesRefund(page)
      yield* click(page, "Sweep the rest")
      const box = (name: string) => page.getByRole("checkbox", { name, exact: true })
      yield* Effect.promise(() => box("DAI on Base").check())
      yield* Effect.promise(() => box("DAI on Base").uncheck())
      yield* answers({ holdings: holding([held(daiOnBase, "90"), held(usdcOnBase, "60")]) })
      yield* click(page, "Refresh your tokens")
      yield* Effect.promise(() => box("USDC on Base").waitFor())
      assert.isFalse(yield* Effect.promise(() => box("USDC on Base").isChecked()))
    }).pipe(Effect.scoped)
  )

  it.effect("are not said to be none while a chain does not answer, and the target that is chosen stays", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({ holdings: holding([], [8453]) })
      yield* click(page, "Test Wallet")
      yield* reads(page, "Nothing found yet")
      yield* Effect.promise(() => page.getByLabel("On", { exact: true }).selectOption({ label: "Arbitrum" }))
      yield* answers({ holdings: WHOLE })
      yield* reads(page, "DAI")
      assert.strictEqual(yield* targetChain(page), "42161")
    }).pipe(Effect.scoped)
  )

  it.effect("come by themselves after failures of the services", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({ chains: FAILED, holdings: FAILED })
      yield* Effect.promise(() => page.route("**/deployment", (route) => route.abort()))
      yield* opens(page)
      yield* reads(page, /^The service cannot be reached/)
      yield* Effect.promise(() => page.unroute("**/deployment"))
      yield* reads(page, /^The service has a problem right now/)
      yield* answers({ chains: CATALOG.chains })
      yield* click(page, "Test Wallet")
      yield* reads(page, /^The service has a problem right now/)
      yield* answers({ holdings: WITHOUT_PRICE })
      yield* Effect.promise(() => page.getByText("1 that cannot be swept").click())
      yield* reads(page, /No price is known/)
      yield* answers({ holdings: WHOLE })
      yield* reads(page, "DAI")
    }).pipe(Effect.scoped)
  )

  it.effect("are beside delegations, which are read again by themselves after a failure of the node", () =>
    Effect.gen(function* () {
      const { url } = yield* StubServer
      const nodes: Record<number, string> = {}
      const { page } = yield* scene({ holdings: WITHOUT_BASE }, { chainId: 8453, nodes })
      yield* click(page, "Test Wallet")
      const onBase = page.getByRole("listitem").filter({ hasText: "Base" }).last()
      yield* Effect.promise(() => onBase.getByText("Not known here").waitFor())
      nodes[8453] = url
      yield* Effect.promise(() => onBase.getByText("Not delegated").waitFor())
    }).pipe(Effect.provide(node), Effect.scoped)
  )

  it.effect("are priced again by themselves while the service refuses for the moment, and no longer", () =>
    Effect.gen(function* () {
      const { answers, complaints, page } = yield* scene(
        { holdings: WHOLE, quotes: BUSY },
        { signsAuthorizations: true }
      )
      yield* click(page, "Test Wallet")
      yield* reads(page, /^The service cannot take this sweep right now.* The page asks again in \d+ seconds\.$/)
      const again = page.getByRole("button", { name: "Try again" })
      yield* Effect.promise(() => again.focus())
      yield* answers({ quotes: unquoted("busy") })
      yield* reads(page, /^None of these tokens .* The page asks again in \d+ seconds\.$/)
      assert.strictEqual(
        yield* Effect.promise(() => again.evaluate((button) => button === document.activeElement)),
        true
      )
      yield* answers({ quotes: unquoted("no_route") })
      yield* reads(page, /^None of these tokens can be swept right now\. Nothing was signed\.$/)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are swept in parts if they are more than one signature covers", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 53 }, (_, index) => token(8453, `T${index}`, `Token ${index}`, index + 16))
      const { page } = yield* scene(
        {
          tokens: { json: { tokens: [usdcOnBase, ...many] } },
          holdings: holding(many.map((each) => held(each, "5")))
        },
        { signsAuthorizations: true }
      )
      yield* click(page, "Test Wallet")
      yield* reads(page, /The plan has those with the highest value\. Sweep the other\s+3 after it\./)
      yield* Effect.promise(() => page.getByRole("checkbox", { name: "T0 on Base" }).uncheck())
      yield* reads(page, /Sweep the other\s+2 after it\./)
    }).pipe(Effect.scoped)
  )

  it.effect("have a token that is looked for by its address, with a warning, not chosen, and as plain text", () =>
    Effect.gen(function* () {
      const { answers, complaints, page } = yield* scene({ holdings: WHOLE })
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      yield* Effect.promise(() => page.getByText("A token is missing").click())
      const field = page.getByLabel("Address of the token")
      const looksFor = (text: string) =>
        Effect.andThen(
          Effect.promise(() => field.fill(text)),
          click(page, "Look for it")
        )
      yield* looksFor("0x12")
      yield* reads(page, "Enter the address of a token: 0x and 40 hex digits.")
      const [unknown, absent] = [
        token(8453, "NEW", "<a href=//new.example>new.example</a>", 0xed),
        FakeChain.address(0xef)
      ]
      yield* answers({ holdings: holding([...TOKENS, { ...held(unknown, "7"), standing: "unlisted" }]) })
      const asked = page.waitForRequest((request) => request.url().includes(`tokens=${unknown.address}`))
      yield* looksFor(` ${unknown.address.toLowerCase()} `)
      yield* Effect.promise(() => asked)
      yield* reads(page, "Found. It is in the list.")
      yield* reads(page, "No list has this token. Check its address before you sweep it.")
      const row = page.getByRole("listitem").filter({ hasText: "NEW" })
      yield* Effect.promise(() => page.getByRole("searchbox").fill("new.example</a>"))
      yield* Effect.promise(() => row.waitFor())
      assert.strictEqual(yield* Effect.promise(() => row.getByRole("link").count()), 0)
      assert.isFalse(yield* Effect.promise(() => row.getByRole("checkbox").isChecked()))
      yield* looksFor(absent)
      yield* reads(page, `The account holds no token at ${absent}.`)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("can be swept with a service of an older version, which says less about its chains", () =>
    Effect.gen(function* () {
      const chains = CATALOG.chains.json.chains.map((each) => ({
        ...Struct.omit(each, ["assets"]),
        features: Struct.omit(each.features, ["swapBeforeBridge"])
      }))
      const { complaints, page } = yield* scene({ chains: { json: { chains } } })
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are asked for at once by a button", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({
        holdings: { status: 429, headers: { "retry-after": "3600" }, json: { error: "too many requests" } }
      })
      yield* click(page, "Test Wallet")
      yield* reads(page, "Too many requests. Please wait 3600 seconds.")
      yield* answers({ holdings: WITHOUT_BASE })
      yield* click(page, "Try again")
      yield* reads(page, /^Tokens on Base are missing/)
      yield* Effect.promise(() => page.getByRole("button", { name: "Try again" }).waitFor())
    }).pipe(Effect.scoped)
  )
})
