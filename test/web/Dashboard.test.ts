/** A builder's way through the dashboard, in a real browser, with a wallet whose key the test holds. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { EarningsView } from "../../src/domain/Earnings.ts"
import { dollars, total, valueUsd } from "../../src/web/lib/usd.ts"
import * as Harness from "../server/builder/Harness.ts"
import { chooseWallet, click, opens, reads, secret, sees, signIn, works } from "./DashboardSteps.ts"
import * as Site from "./Site.ts"
import * as Wallet from "./Wallet.ts"

const live = { excludeTestServices: true } as const

layer(Site.layer(), live)("a builder", (it) => {
  it.effect("signs up with one signature after being shown what is signed, keeps the key, and is in", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* Site.visitor()
      const account = Harness.wallet()
      const wallet = yield* Wallet.install(page, account)
      yield* opens(page, "/")
      yield* chooseWallet(page)
      const shown = yield* Effect.promise(() => page.getByLabel("The message to sign").innerText())
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Create your builder account")
      assert.deepStrictEqual(wallet.shown, [shown])
      assert.include(shown, account.address)
      yield* Effect.promise(() => page.getByLabel("Name").fill("Harbor Pay"))
      yield* click(page, "Create account")
      yield* sees(page, "Keep your API key")
      assert.deepStrictEqual(wallet.shown, [shown], "the wallet is asked once")
      const apiKey = yield* secret(page)
      assert.isTrue(yield* works(apiKey))
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Go to the dashboard" }).isDisabled()))
      yield* Effect.promise(() => page.getByLabel(/stored the key/).check())
      yield* click(page, "Go to the dashboard")
      yield* sees(page, "Overview")
      yield* reads(page, "Your markup is 0%.")
      yield* reads(page, "No balances yet")
      assert.notInclude(yield* Effect.promise(() => page.content()), apiKey)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is told when it rejects the signature, and can try again", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account } = yield* Harness.signUp("Kestrel Labs")
      const wallet = yield* Wallet.install(page, account, { chainId: 1 })
      wallet.isWilling = false
      yield* opens(page, "/app")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* reads(page, "You rejected this in your wallet.")
      wallet.isWilling = true
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Overview")
      assert.include(wallet.shown[0], "Chain ID: 8453", "on a chain that is not served, the message names one that is")
    }).pipe(Effect.scoped)
  )

  it.effect("sees what balances are worth, and the balances alone where there is no price", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account, id } = yield* Harness.signUp("Headland")
      yield* Harness.asAdmin(`PATCH /admin/builders/${id}`, { body: { maxBuilderBps: 100, builderBps: 30 } })
      yield* Site.earnForAMonth(id)
      yield* Site.priceUsdc(page)
      // The first request fails, and the page asks again by itself.
      yield* Effect.promise(() => page.route(`${Site.orchestratorUrl}prices`, (route) => route.abort(), { times: 1 }))
      yield* Wallet.install(page, account)
      yield* opens(page, "/app")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "Overview")
      const rows = page.getByRole("table", { name: "Balances per token" }).getByRole("row")
      const valued = rows.filter({ hasText: "$" })
      yield* Effect.promise(() => valued.first().waitFor())
      // USDC on one chain has a price, which makes the dollars of its amounts; nothing else has one.
      assert.strictEqual(yield* Effect.promise(() => valued.count()), 1)
      const text = yield* Effect.promise(() => valued.first().innerText())
      const [owed = "", dollars = ""] = /([\d,]+\.\d\d)\d*\s+\$([\d,]+\.\d\d)/.exec(text)?.slice(1) ?? []
      assert.strictEqual(dollars, owed)
    }).pipe(Effect.scoped)
  )

  it.effect("sees first what it earned, was paid and is owed in dollars, by period, token and chain", () =>
    Effect.gen(function* () {
      const { cookie, id } = yield* Harness.signUp("Lighthouse")
      yield* Harness.asAdmin(`PATCH /admin/builders/${id}`, { body: { maxBuilderBps: 100, builderBps: 30 } })
      yield* Site.earnForAMonth(id)
      const { complaints, page } = yield* Site.visitorOf(cookie)
      yield* Site.priceUsdc(page)
      yield* opens(page, "/app")
      const figure = (name: string) => page.getByTestId(name)
      const shows = (name: string, usd: string) =>
        Effect.promise(() =>
          figure(name)
            .filter({ hasText: dollars(usd) })
            .waitFor()
        )
      for (const days of [30, 7, 90]) {
        yield* Effect.promise(() => page.getByLabel("Period").selectOption(String(days)))
        const answer = yield* Harness.asBuilder(cookie)(`GET /me/money?days=${days}`)
        const view = Schema.decodeUnknownSync(EarningsView)(answer.body)
        // USDC on Base is a dollar now, and other tokens have no price.
        const priced = view.tokens.filter(({ chainId, token }) => chainId === 8453 && token === Site.usdc)
        const now = (of: (line: (typeof priced)[number]) => bigint) => priced.map((line) => valueUsd(of(line), 6, "1"))
        yield* shows("earned", total([view.earnedUsd, ...now(({ earnedUnpriced }) => earnedUnpriced)]))
        yield* shows("paid", total([view.paidUsd, ...now(({ paidUnpriced }) => paidUnpriced)]))
        yield* shows("owed", total(now(({ owed }) => owed)))
      }
      yield* reads(page, /of it at today's/)
      yield* reads(page, /Not counted, without a known price:/)
      assert.strictEqual(yield* Effect.promise(() => page.getByText("0 tokens").count()), 0)
      yield* Effect.promise(() => page.getByRole("tab", { name: "By token" }).click())
      const table = page.getByRole("region", { name: "Earnings by token" })
      yield* Effect.promise(() => table.getByRole("row", { name: /WETH on Base no price/ }).waitFor())
      yield* Effect.promise(() => page.keyboard.press("ArrowRight"))
      yield* Effect.promise(() =>
        page.getByRole("region", { name: "Earnings by chain" }).getByRole("row").nth(2).waitFor()
      )
      // Nothing can be priced without the orchestrator, and the page says so instead of a zero.
      yield* Effect.promise(() => page.route(`${Site.orchestratorUrl}prices`, (route) => route.abort()))
      yield* opens(page, "/app")
      yield* Effect.promise(() => figure("owed").filter({ hasText: "Unknown" }).waitFor())
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("sees what it earned, filters it, and takes it home as CSV", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account, id } = yield* Harness.signUp("Tidewater")
      yield* Harness.asAdmin(`PATCH /admin/builders/${id}`, { body: { maxBuilderBps: 100, builderBps: 30 } })
      yield* Site.earnForAMonth(id)
      yield* Wallet.install(page, account)
      yield* opens(page, "/app/activity")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      // Back to where it was going.
      yield* sees(page, "Activity")
      const rows = (count: number) =>
        Effect.promise(() =>
          page.waitForFunction((expected) => document.querySelectorAll("tbody tr").length === expected, count)
        )
      yield* rows(50)
      yield* Effect.promise(() => page.getByLabel("Status").selectOption("reversed"))
      yield* reads(page, "Nothing matches")
      yield* Effect.promise(() => page.getByRole("link", { name: "Show all" }).click())
      yield* rows(50)
      yield* click(page, "Next")
      yield* reads(page, "Page 2")
      yield* rows(40)
      assert.strictEqual(
        yield* Effect.promise(() => page.evaluate(() => document.activeElement?.textContent)),
        "Next",
        "the button keeps the focus"
      )
      const link = page.getByRole("link", { name: /opens the explorer/ }).first()
      assert.match(
        (yield* Effect.promise(() => link.getAttribute("href"))) ?? "",
        /^https:\/\/(?:basescan\.org|arbiscan\.io)\/tx\/0x[0-9a-f]{64}$/
      )
      const [file] = yield* Effect.promise(() =>
        Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export CSV" }).click()])
      )
      const path = yield* Effect.promise(() => file.path())
      const lines = (yield* Effect.promise(() => Bun.file(path).text())).trimEnd().split("\r\n")
      assert.lengthOf(lines, 91)
      assert.strictEqual(lines[0], "time,sweep_id,chain_id,token,symbol,amount,amount_units,status,intent_id,usd")
    }).pipe(Effect.scoped)
  )

  it.effect("rotates its key after a confirmation: the old one stops, the new one is shown once", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const { account, apiKey } = yield* Harness.signUp("Northwind Wallet")
      yield* Wallet.install(page, account)
      yield* opens(page, "/app")
      yield* signIn(page)
      yield* Effect.promise(() => page.getByRole("link", { name: "API keys" }).click())
      yield* sees(page, "API keys")
      yield* click(page, "Rotate key")
      yield* click(page, "Keep the current key")
      assert.isTrue(yield* works(apiKey))
      yield* click(page, "Rotate key")
      yield* click(page, "Replace the key")
      yield* sees(page, "Your new API key")
      const fresh = yield* secret(page)
      assert.isFalse(yield* works(apiKey))
      assert.isTrue(yield* works(fresh))
      // Escape does not take away what cannot be shown again.
      yield* Effect.promise(() => page.keyboard.press("Escape"))
      yield* Effect.promise(() => page.getByLabel(/stored in a safe place/).check())
      yield* click(page, "Done")
      yield* reads(page, `${fresh.slice(0, 8)}`)
      assert.notInclude(yield* Effect.promise(() => page.content()), fresh)
    }).pipe(Effect.scoped)
  )

  it.effect("logs out, and is asked to sign in again", () =>
    Effect.gen(function* () {
      const { context, page } = yield* Site.visitor()
      const { account } = yield* Harness.signUp("Ferry")
      yield* Wallet.install(page, account)
      yield* opens(page, "/app")
      yield* signIn(page)
      const [cookie] = yield* Effect.promise(() => context.cookies())
      assert.strictEqual(cookie?.httpOnly, true)
      assert.strictEqual(cookie?.secure, true)
      yield* click(page, "Log out")
      yield* sees(page, "Sign in with your wallet")
      assert.deepStrictEqual(yield* Effect.promise(() => context.cookies()), [])
      yield* opens(page, "/app/settings")
      yield* sees(page, "Sign in with your wallet")
      assert.strictEqual(yield* Effect.promise(() => page.getByText("Your session has ended").count()), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("without a wallet is told what to do", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* opens(page, "/app")
      yield* reads(page, "No wallet was found in this browser")
    }).pipe(Effect.scoped)
  )
})

layer(Site.layer({ settings: { selfSignupEnabled: false } }), live)("where builders are registered", (it) => {
  it.effect("a wallet without an account is sent to the operator", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      yield* Wallet.install(page, Harness.wallet())
      yield* opens(page, "/app")
      yield* chooseWallet(page)
      yield* click(page, "Sign with Test Wallet")
      yield* sees(page, "This wallet has no account")
    }).pipe(Effect.scoped)
  )
})
