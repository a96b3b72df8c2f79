/** A whole wallet on the sweep page in a real browser: many tokens of two chains under one signature. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { balanceOf } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const { card, click, reads } = Steps

const live = { excludeTestServices: true, timeout: "4 minutes" } as const

/** Presses Tab until what is wanted has the focus. */
const tabTo = (page: Page, name: string | RegExp) =>
  Effect.promise(async () => {
    const wanted = page.getByRole("button", { name })
    for (let presses = 0; presses < 80; presses++) {
      // oxlint-disable-next-line no-await-in-loop -- one press after the other
      await page.keyboard.press("Tab")
      // oxlint-disable-next-line no-await-in-loop
      if (await wanted.first().evaluate((button) => button === document.activeElement)) return
    }
    throw new Error(`the keyboard does not reach ${String(name)}`)
  })

const ON_ALPHA = { DAI: "120", USDT: "90", WBTC: "0.01", WETH: "0.05", ETH: "0.06" }
const ON_BETA = { USDC: "80", DAI: "70", USDT: "60", WBTC: "0.008" }

const NAMES = [
  ...Object.keys(ON_ALPHA).map((symbol) => `${symbol} on Alpha`),
  ...Object.keys(ON_BETA).map((symbol) => `${symbol} on Beta`)
]

const SWEEP = "eth_signTypedData_v4"
const AUTHORIZATION = "eth_signAuthorization"

/** Somebody whose browser wallet holds these tokens on Alpha, on the page. */
const withWallet = Effect.fnUntraced(function* (
  held: Parameters<typeof Steps.person>[0],
  options: Wallet.Options = {},
  more: Parameters<typeof Steps.fund>[2] = {}
) {
  const found = yield* Steps.person(held)
  yield* Steps.fund(found.beta, found.address, more)
  const wallet = yield* Wallet.install(found.page, found.account, { signsAuthorizations: true, ...options })
  yield* Steps.opens(found.page)
  yield* click(found.page, "Test Wallet")
  return { ...found, wallet }
})

/** The exact sum that the review states, in smallest units of USDC. */
const leastInAll = (page: Page) => Steps.amountOf(page, "The whole sweep", "In all you receive at least", 6)

layer(SweepSite.layer, live)("somebody who sweeps a wallet", (it) => {
  it.effect("signs once for nine tokens on two chains, and authorizes each chain the first time alone", () =>
    Effect.gen(function* () {
      const { address, alpha, beta, complaints, page, wallet } = yield* withWallet(ON_ALPHA, {}, ON_BETA)
      yield* reads(page, "WBTC")
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* click(page, "Review 9 tokens")
      yield* reads(
        page,
        "3 signatures: for the sweep, and an authorization each for Alpha and Beta. No gas, no approval."
      )
      const least = yield* leastInAll(page)
      let sum = 0n
      for (const name of NAMES) sum += yield* Steps.amountOf(page, name, "You receive at least", 6)
      assert.strictEqual(least, sum)
      yield* click(page, "Sign and sweep")
      yield* Effect.forEach(NAMES, (name) => Steps.delivered(page, name), { concurrency: "unbounded", discard: true })
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, AUTHORIZATION])
      const received = yield* balanceOf(alpha, "USDC", address)
      assert.isTrue(received >= least, `${received}, at least ${least}`)
      for (const symbol of Object.keys(ON_ALPHA))
        assert.strictEqual(yield* balanceOf(alpha, symbol, address), 0n, symbol)
      for (const symbol of Object.keys(ON_BETA)) assert.strictEqual(yield* balanceOf(beta, symbol, address), 0n, symbol)
      yield* reads(page, "9 of 9 delivered")

      yield* Steps.fund(alpha, address, { DAI: "50" })
      yield* Steps.fund(beta, address, { USDC: "40" })
      yield* click(page, "Sweep more")
      yield* click(page, "Refresh your tokens")
      yield* click(page, "Review 2 tokens")
      yield* reads(page, "One signature: for the sweep. No gas, no approval.")
      const more = yield* leastInAll(page)
      yield* click(page, "Sign and sweep")
      yield* Steps.delivered(page, "DAI on Alpha")
      yield* Steps.delivered(page, "USDC on Beta")
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, AUTHORIZATION, SWEEP])
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) - received >= more)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is told why a token stays, leaves out another, and sweeps the rest with the keyboard alone", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person(
        { DAI: "60", USDT: "50", WBTC: "0.01", ETH: "0.02" },
        { viewport: { width: 360, height: 740 } }
      )
      // The list shows ten times the DAI that the account holds.
      yield* Effect.promise(() =>
        page.route("**/sweepable", async (route) => {
          const response = await route.fetch()
          if (!response.ok()) return route.fulfill({ response })
          const body: { tokens: ReadonlyArray<{ symbol: string; balance: string }> } = await response.json()
          for (const token of body.tokens) if (token.symbol === "DAI") token.balance += "0"
          await route.fulfill({ response, json: body })
        })
      )
      yield* Steps.opens(page)
      yield* Effect.promise(() => page.getByLabel("Private key").focus())
      yield* Effect.promise(() => page.keyboard.insertText(key))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* reads(page, "Dai Stablecoin")
      yield* tabTo(page, "Review 4 tokens")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* reads(page, "Your account holds less than this by now. It stays where it is.")
      yield* reads(page, "2 signatures: for the sweep, and the authorization for Alpha. No gas, no approval.")
      // The focus is at the top of what is new.
      const heading = page.getByRole("heading", { name: "Review before you sign" })
      assert.isTrue(yield* Effect.promise(() => heading.evaluate((element) => element === document.activeElement)))
      yield* Effect.promise(() => card(page, "WBTC on Alpha").locator("summary").press("Enter"))
      yield* tabTo(page, "Leave this token out")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* reads(page, "You leave this token out, so it stays where it is.")
      const least = yield* leastInAll(page)
      yield* tabTo(page, "Sign and sweep")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Steps.delivered(page, "USDT on Alpha")
      yield* Steps.delivered(page, "ETH on Alpha")
      yield* reads(page, "2 of 2 delivered")
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 60n * 10n ** 18n)
      assert.strictEqual(yield* balanceOf(alpha, "WBTC", address), 1_000_000n)
      assert.strictEqual(yield* balanceOf(alpha, "ETH", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("signs in a browser wallet, whatever network it shows, and only when they want to", () =>
    Effect.gen(function* () {
      const nodes: Record<number, string> = {}
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "50" }, { chainId: 1, nodes })
      nodes[alpha.info.id] = alpha.dev.rpcUrl
      yield* click(page, "Review 1 token")
      wallet.isWilling = false
      yield* click(page, "Sign and sweep")
      yield* reads(page, "You rejected this in your wallet. Nothing was sent, and you can try again.")
      wallet.isWilling = true
      wallet.isDelegating = false
      yield* click(page, "Sign and sweep")
      yield* Effect.promise(() => page.getByText("You rejected this in your wallet.").waitFor({ state: "hidden" }))
      yield* reads(page, "You rejected this in your wallet. Nothing was sent, and you can try again.")
      assert.deepStrictEqual(wallet.signed, [SWEEP])
      wallet.isDelegating = true
      const least = yield* Steps.amountOf(page, "DAI on Alpha", "You receive at least", 6)
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      // The wallet was shown the same amount as the person.
      assert.include(wallet.shown.at(-1), `"minAmountOut":"${least}"`)
      yield* click(page, "Sweep more")
      yield* reads(page, "Runs the sweep delegate")
      yield* reads(page, /this account has no ETH on Alpha to pay for it/)
      wallet.isWilling = false
      yield* click(page, "Switch to Alpha to check")
      yield* reads(page, "You rejected this in your wallet.")
      wallet.isWilling = true
      yield* click(page, "Switch to Alpha to check")
      yield* Effect.promise(() => page.getByRole("button", { name: "Revoke on Alpha" }).waitFor())
    }).pipe(Effect.scoped)
  )

  it.effect("with a wallet that signs for one chain only is told so, and nothing is sent", () =>
    Effect.gen(function* () {
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "50" }, { needsChain: true })
      yield* click(page, "Review 1 token")
      yield* click(page, "Sign and sweep")
      yield* reads(
        page,
        /^The wallet did not sign the sweep\. Nothing was sent\. Some wallets refuse a message that holds for/
      )
      assert.deepStrictEqual(wallet.signed, [])
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 50n * 10n ** 18n)
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign and sweep" }).waitFor())
    }).pipe(Effect.scoped)
  )

  it.effect("with a wallet that cannot authorize is told so, and needs none once the account runs the delegate", () =>
    Effect.gen(function* () {
      const { address, alpha, context, key, page, wallet } = yield* withWallet(
        { DAI: "50" },
        { signsAuthorizations: false }
      )
      yield* reads(page, "Test Wallet cannot sign a sweep")
      yield* Effect.promise(() => page.getByText("Why, and which wallets can").click())
      yield* reads(page, /Privy, Turnkey, Dynamic/)
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Review 1 token" }).isDisabled()))
      const another = yield* Effect.promise(() => context.newPage())
      yield* Steps.usesKey(another, key)
      yield* click(another, "Review 1 token")
      yield* Steps.sweeps(another, "DAI on Alpha")
      yield* Steps.fund(alpha, address, { USDT: "40" })
      yield* click(page, "Refresh your tokens")
      yield* reads(page, "Tether USD")
      assert.strictEqual(yield* Effect.promise(() => page.getByText("cannot sign a sweep").count()), 0)
      yield* click(page, "Review 1 token")
      yield* Steps.sweeps(page, "USDT on Alpha")
      assert.deepStrictEqual(wallet.signed, [SWEEP])
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked for an authorization that is not for the account's next transaction", () =>
    Effect.gen(function* () {
      const { alpha } = yield* Steps.chains
      const chainId = alpha.info.id
      const { page, wallet } = yield* withWallet({ DAI: "50" }, { chainId, nodes: { [chainId]: alpha.dev.rpcUrl } })
      yield* Effect.promise(() =>
        page.route(
          "**/quotes",
          async (route) => {
            const response = await route.fetch()
            const body: { signing: { authorizations: [{ nonce: number }] } } = await response.json()
            body.signing.authorizations[0].nonce += 1
            await route.fulfill({ response, json: body })
          },
          { times: 1 }
        )
      )
      yield* click(page, "Review 1 token")
      yield* click(page, "Sign and sweep")
      yield* reads(page, /^The authorization is not for the next transaction of your account/)
      assert.deepStrictEqual(wallet.signed, [])
      yield* click(page, "Get new quotes")
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION])
    }).pipe(Effect.scoped)
  )

  it.effect("gets new quotes after a refusal, and hears of a sweep whose acceptance was lost", () =>
    Effect.gen(function* () {
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "50", USDT: "40" })
      const submissions = (url: URL) => url.pathname === "/sweeps"
      yield* Effect.promise(() =>
        page.route(submissions, (route) => route.fulfill({ status: 400, json: { error: "expired_quote" } }), {
          times: 1
        })
      )
      yield* click(page, "Review 2 tokens")
      yield* click(page, "Sign and sweep")
      yield* reads(page, /^The service did not accept the signed sweep/)
      assert.strictEqual(yield* Steps.buttons(page, "Sign and sweep"), 0)
      yield* Effect.promise(() =>
        page.route(submissions, async (route) => {
          await route.fetch()
          await route.abort()
        })
      )
      yield* click(page, "Get new quotes")
      yield* click(page, "Sign and sweep")
      yield* Steps.delivered(page, "DAI on Alpha")
      yield* Steps.delivered(page, "USDT on Alpha")
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, SWEEP, AUTHORIZATION])
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("finds the whole sweep again after a reload, under one entry", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50", USDT: "40" })
      yield* click(page, "Review 2 tokens")
      // The page hears nothing of the sweep until it is loaded again.
      yield* Effect.promise(() => page.route(/\/sweeps\/[^/]+/, (route) => route.abort()))
      yield* click(page, "Sign and sweep")
      yield* reads(page, "0 of 2 delivered")
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "2 on their way")
      yield* Effect.promise(() => page.unroute(/\/sweeps\/[^/]+/))
      yield* Effect.promise(() => page.reload())
      yield* reads(page, /^2 of 2 delivered/)
      yield* click(page, "Clear finished")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("heading", { name: "Your sweeps" }).count()), 0)
    }).pipe(Effect.scoped)
  )
})
