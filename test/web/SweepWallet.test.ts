/** A whole wallet on the sweep page in a real browser: many tokens of two chains under one signature. */
import { assert, layer } from "@effect/vitest"
import { Effect, Queue } from "effect"
import type { Page } from "playwright-core"
import { balanceOf } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const { click, reads } = Steps

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

layer(SweepSite.layer, live)("somebody who sweeps a wallet", (it) => {
  it.effect("signs once for nine tokens on two chains, and delegates on each chain the first time alone", () =>
    Effect.gen(function* () {
      const { address, alpha, beta, complaints, page, wallet } = yield* withWallet(ON_ALPHA, {}, ON_BETA)
      yield* reads(page, "WBTC")
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.takesAll(page)
      yield* Steps.planned(page, 9)
      yield* reads(page, "Test Wallet asks 3 times")
      yield* reads(page, /^Delegation on Beta/)
      const least = yield* Steps.least(page, 6)
      yield* Steps.sweeps(page, 9)
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, AUTHORIZATION])
      const received = yield* balanceOf(alpha, "USDC", address)
      assert.isTrue(received >= least, `${received}, at least ${least}`)
      for (const symbol of Object.keys(ON_ALPHA)) {
        // A dollar of the native currency stays as gas money.
        if (symbol !== "ETH") assert.strictEqual(yield* balanceOf(alpha, symbol, address), 0n, symbol)
      }
      for (const symbol of Object.keys(ON_BETA)) assert.strictEqual(yield* balanceOf(beta, symbol, address), 0n, symbol)

      yield* Steps.fund(alpha, address, { DAI: "50" })
      yield* Steps.fund(beta, address, { USDC: "40" })
      yield* click(page, "Refresh your tokens")
      yield* Steps.planned(page, 2)
      yield* reads(page, "Test Wallet asks once")
      const more = yield* Steps.least(page, 6)
      yield* Steps.sweeps(page, 2)
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, AUTHORIZATION, SWEEP])
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) - received >= more)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is told that tokens of another chain came late, may wait with them, and keeps the target that was shown",
    () =>
      Effect.gen(function* () {
        const { beta } = yield* Steps.chains
        const { address, alpha, key, page } = yield* Steps.person({ DAI: "20" })
        yield* Steps.fund(beta, address, { DAI: "40" })
        let isWhole = false
        yield* Effect.promise(() =>
          page.route("**/sweepable", async (route) => {
            const response = await route.fetch()
            if (isWhole || !response.ok()) return route.fulfill({ response })
            const body: { tokens: ReadonlyArray<{ chainId: number }> } = await response.json()
            const tokens = body.tokens.filter(({ chainId }) => chainId !== beta.info.id)
            await route.fulfill({ response, json: { ...body, tokens, unavailableChains: [beta.info.id] } })
          })
        )
        yield* Steps.usesKey(page, key)
        yield* Steps.planned(page, 1)
        isWhole = true
        yield* reads(page, "The plan changed …")
        yield* reads(page, /^The plan changed while you decided\. Check its tokens/)
        yield* reads(page, "Sweep 2 tokens anyway")
        const target = page.getByLabel("On", { exact: true })
        assert.strictEqual(yield* Effect.promise(() => target.inputValue()), String(alpha.info.id))
      }).pipe(Effect.scoped)
  )

  it.effect("is told why a token stays, leaves out another, and sweeps the rest with the keyboard alone", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person({ DAI: "40", USDT: "30", WBTC: "0.0002" })
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
      // The focus is at the top of what is new.
      yield* Steps.focuses(page, "Your tokens")
      yield* Steps.planned(page, 2)
      yield* reads(page, "1 token stays")
      yield* reads(page, "DAI on Alpha: Your account holds less than this by now.")
      yield* Effect.promise(() => page.getByRole("checkbox", { name: "WBTC on Alpha" }).press("Space"))
      yield* Steps.planned(page, 1)
      const least = yield* Steps.least(page, 6)
      yield* tabTo(page, "Sweep 1 token")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* Steps.delivered(page, 1)
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 40n * 10n ** 18n)
      assert.strictEqual(yield* balanceOf(alpha, "WBTC", address), 20_000n)
      assert.strictEqual(yield* balanceOf(alpha, "USDT", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("signs in a browser wallet, whatever network it shows, and only when they want to", () =>
    Effect.gen(function* () {
      const nodes: Record<number, string> = {}
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "40" }, { chainId: 1, nodes })
      nodes[alpha.info.id] = alpha.dev.rpcUrl
      wallet.isWilling = false
      yield* Steps.signs(page, 1)
      assert.strictEqual(yield* Queue.take(wallet.rejected), SWEEP)
      yield* reads(page, "You rejected this in your wallet. Nothing was sent, and you can try again.")
      // The button keeps the focus.
      const button = page.getByRole("button", { name: "Sweep 1 token" })
      assert.isTrue(yield* Effect.promise(() => button.evaluate((element) => element === document.activeElement)))
      wallet.isWilling = true
      wallet.isDelegating = false
      yield* Steps.signs(page, 1)
      assert.strictEqual(yield* Queue.take(wallet.rejected), AUTHORIZATION)
      yield* reads(page, "You rejected this in your wallet. Nothing was sent, and you can try again.")
      assert.deepStrictEqual(wallet.signed, [SWEEP])
      wallet.isDelegating = true
      const least = yield* Steps.least(page, 6)
      yield* Steps.sweeps(page, 1)
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      // The wallet was shown the same amount as the person.
      assert.include(wallet.shown.at(-1), `"minAmountOut":"${least}"`)
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

  it.effect("stops waiting for the wallet, whose late signature is not sent, and signs again", () =>
    Effect.gen(function* () {
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "40" })
      const late = Promise.withResolvers<void>()
      wallet.pause = late.promise
      let posted = 0
      page.on("request", (request) => {
        if (request.method() === "POST" && new URL(request.url()).pathname.endsWith("/sweeps")) posted++
      })
      yield* Steps.signs(page, 1)
      yield* click(page, "Stop waiting")
      yield* Steps.planned(page, 1)
      late.resolve()
      yield* Steps.sweeps(page, 1)
      assert.deepStrictEqual(wallet.signed.filter((method) => method === SWEEP).length, 2)
      assert.strictEqual(posted, 1)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("disconnects while the wallet is asked, whose late signature is not sent", () =>
    Effect.gen(function* () {
      const { page, wallet } = yield* withWallet({ DAI: "40" })
      const late = Promise.withResolvers<void>()
      wallet.pause = late.promise
      yield* Steps.signs(page, 1)
      yield* click(page, "Disconnect")
      yield* click(page, "Test Wallet")
      yield* Steps.planned(page, 1)
      late.resolve()
      yield* Steps.sweeps(page, 1)
      assert.deepStrictEqual(wallet.signed, [SWEEP, SWEEP, AUTHORIZATION])
    }).pipe(Effect.scoped)
  )

  it.effect("with a wallet that signs for one chain only is told so, and nothing is sent", () =>
    Effect.gen(function* () {
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "40" }, { needsChain: true })
      yield* Steps.signs(page, 1)
      yield* reads(
        page,
        /^The wallet did not sign the sweep\. Nothing was sent\. Some wallets refuse a message that holds for/
      )
      assert.deepStrictEqual(wallet.signed, [])
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 40n * 10n ** 18n)
      yield* Steps.planned(page, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("with a wallet that cannot authorize is told so, and needs none once the account runs the delegate", () =>
    Effect.gen(function* () {
      const { address, alpha, context, key, page, wallet } = yield* withWallet(
        { DAI: "40" },
        { signsAuthorizations: false }
      )
      yield* reads(page, "Test Wallet cannot sign a sweep")
      yield* Effect.promise(() => page.getByText("Why, and which wallets can").click())
      yield* reads(page, /Privy, Turnkey, Dynamic/)
      yield* reads(page, "Sweep 1 token")
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Sweep 1 token" }).isDisabled()))
      const another = yield* Effect.promise(() => context.newPage())
      yield* Steps.usesKey(another, key)
      yield* Steps.sweeps(another, 1)
      yield* Steps.fund(alpha, address, { USDT: "40" })
      yield* click(page, "Refresh your tokens")
      yield* reads(page, "Tether USD")
      yield* Steps.planned(page, 1)
      assert.strictEqual(yield* Effect.promise(() => page.getByText("cannot sign a sweep").count()), 0)
      yield* Steps.sweeps(page, 1)
      assert.deepStrictEqual(wallet.signed, [SWEEP])
    }).pipe(Effect.scoped)
  )

  it.effect("is asked for no authorization that is not for the account's next transaction: a new one is quoted", () =>
    Effect.gen(function* () {
      const { alpha } = yield* Steps.chains
      const chainId = alpha.info.id
      const { page, wallet } = yield* withWallet({ DAI: "40" }, { chainId, nodes: { [chainId]: alpha.dev.rpcUrl } })
      yield* Effect.promise(() =>
        page.route("**/quotes", async (route) => {
          const response = await route.fetch()
          const body: { signing: { authorizations: [{ nonce: number }] } } = await response.json()
          // Until the person signs, the service is behind by a transaction.
          if (!asked) body.signing.authorizations[0].nonce += 1
          await route.fulfill({ response, json: body })
        })
      )
      let asked = false
      yield* Steps.planned(page, 1)
      asked = true
      yield* Steps.signsRenewed(page, 1)
      yield* Steps.delivered(page, 1)
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION])
    }).pipe(Effect.scoped)
  )

  it.effect("signs new quotes after a refusal, and hears of a sweep whose acceptance was lost", () =>
    Effect.gen(function* () {
      const { address, alpha, page, wallet } = yield* withWallet({ DAI: "40", USDT: "30" })
      let submissions = 0
      yield* Effect.promise(() =>
        page.route(
          (url) => url.pathname === "/sweeps",
          async (route) => {
            submissions += 1
            if (submissions === 1) return route.fulfill({ status: 400, json: { error: "expired_quote" } })
            if (submissions > 2) return route.continue()
            await route.fetch()
            await route.abort()
          }
        )
      )
      yield* Steps.signsRenewed(page, 2)
      yield* reads(page, /^2 of 2 delivered/)
      assert.strictEqual(submissions, 3)
      assert.deepStrictEqual(wallet.signed, [SWEEP, AUTHORIZATION, SWEEP, AUTHORIZATION])
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )
})
