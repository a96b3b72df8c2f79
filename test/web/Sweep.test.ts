/** The sweep page in a real browser, against the services on the local network: what it shows is what the chains then hold. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { createPublicClient, http } from "viem"
import { projectRoot } from "../../src/cli/Project.ts"
import { serve } from "../examples/PageServer.ts"
import { balanceOf, Services } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const { card, click, reads } = Steps

const live = { excludeTestServices: true } as const

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

const codeOf = (rpcUrl: string, address: `0x${string}`) =>
  Effect.promise(() => createPublicClient({ transport: http(rpcUrl) }).getCode({ address }))

layer(SweepSite.layer, live)("somebody who sweeps", (it) => {
  it.effect("is let by the page's policy to the service, to the local network's nodes, and nowhere else", () =>
    Effect.gen(function* () {
      const { alpha, beta, info } = yield* Steps.chains
      const response = yield* Effect.promise(() => fetch(`${info.dashboardUrl}/app/sweep`))
      const origins = [info.orchestratorUrl, alpha.dev.rpcUrl, beta.dev.rpcUrl].map((url) => new URL(url).origin)
      assert.include(
        response.headers.get("content-security-policy"),
        `; connect-src 'self' ${origins.join(" ")}; manifest-src`
      )
    })
  )

  it.effect("gets over a bridge to the wei what the review said, for the fee that it said", () =>
    Effect.gen(function* () {
      const { address, alpha, beta, complaints, info, key, page } = yield* Steps.person({ USDC: "40" })
      const feesBefore = yield* balanceOf(alpha, "USDC", alpha.info.feeRecipient)
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Beta")
      yield* Effect.promise(() => page.getByLabel("Another address").check())
      yield* Effect.promise(() => page.getByLabel("Destination address").fill(`${address.slice(0, -1)}x`))
      yield* reads(page, "An address has 40 hexadecimal digits after 0x.")
      const friend = info.accounts[7]?.address ?? "0x"
      const before = yield* balanceOf(beta, "USDC", friend)
      yield* Effect.promise(() => page.getByLabel("Destination address").fill(friend))
      yield* click(page, "Review 1 sweep")
      yield* reads(page, "Not your own address")
      const least = yield* Steps.amountOf(page, "USDC on Alpha", "You receive at least", 6)
      const fee = yield* Steps.amountOf(page, "USDC on Alpha", "Fees, out of it", 6)
      yield* Steps.sweeps(page, "USDC on Alpha")
      assert.isTrue(least > 0n)
      assert.isTrue(least < 40_000_000n - fee)
      assert.strictEqual((yield* balanceOf(beta, "USDC", friend)) - before, least)
      assert.strictEqual((yield* balanceOf(alpha, "USDC", alpha.info.feeRecipient)) - feesBefore, fee)
      assert.strictEqual(yield* balanceOf(alpha, "USDC", address), 0n)
      assert.strictEqual(yield* Effect.promise(() => card(page, "USDC on Alpha").getByText(/^0x/).count()), 3)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is told what crosses the bridge when that is another token, and gets the one that was asked for", () =>
    Effect.gen(function* () {
      const { address, alpha, beta, complaints, page } = yield* Steps.connected(
        { DAI: "70" },
        { viewport: { width: 360, height: 740 } }
      )
      yield* Steps.goesTo(page, "USDC", "Beta")
      yield* click(page, "Review 1 sweep")
      yield* reads(page, /^Your DAI is swapped into USDC on Alpha first, .* USDC comes back to .* on Alpha, not DAI\.$/)
      // Nobody but the service knows the bridge of a local network.
      yield* reads(page, /^Only the service says what 0x[0-9a-fA-F]{40} is worth/)
      yield* reads(page, "Only the service states this. See the warnings above.")
      const least = yield* Steps.amountOf(page, "DAI on Alpha", "You receive at least", 6)
      const crossing = yield* Steps.amountOf(page, "DAI on Alpha", "Over the bridge", 6)
      assert.isTrue(least > 0n)
      assert.isTrue(crossing >= least)
      assert.isAtMost(yield* Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth)), 360)
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.isTrue((yield* balanceOf(beta, "USDC", address)) >= least)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("sweeps several tokens one after the other with the keyboard alone", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person(
        { DAI: "60", ETH: "0.02" },
        { viewport: { width: 360, height: 740 } }
      )
      yield* Steps.opens(page)
      yield* Effect.promise(() => page.getByLabel("Private key").focus())
      yield* Effect.promise(() => page.keyboard.insertText(key))
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      yield* reads(page, "Dai Stablecoin")
      yield* tabTo(page, "Review 2 sweeps")
      yield* Effect.promise(() => page.keyboard.press("Enter"))
      let least = 0n
      for (const name of ["DAI on Alpha", "ETH on Alpha"]) {
        yield* Effect.promise(() => card(page, name).getByRole("button", { name: "Sign and sweep" }).waitFor())
        // The focus is on the card whose turn it is.
        assert.isTrue(
          yield* Effect.promise(() => card(page, name).evaluate((element) => element.contains(document.activeElement)))
        )
        least += yield* Steps.amountOf(page, name, "You receive at least", 6)
        yield* tabTo(page, "Sign and sweep")
        yield* Effect.promise(() => page.keyboard.press("Enter"))
        yield* Effect.promise(() => card(page, name).getByText("Signed and submitted").waitFor())
      }
      yield* Steps.delivered(page, "DAI on Alpha")
      yield* Steps.delivered(page, "ETH on Alpha")
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
      assert.strictEqual(yield* balanceOf(alpha, "ETH", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("finds a sweep that is on its way again after a reload", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50" })
      yield* click(page, "Review 1 sweep")
      // The page hears nothing of the sweep until it is loaded again.
      yield* Effect.promise(() => page.route(/\/intents\/[^/]+/, (route) => route.abort()))
      yield* click(page, "Sign and sweep")
      yield* reads(page, "Signed and submitted")
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "1 on its way")
      yield* Effect.promise(() => page.unroute(/\/intents\/[^/]+/))
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByText("Delivered", { exact: true }).waitFor())
      yield* click(page, "Clear finished")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("heading", { name: "Your sweeps" }).count()), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("signs in a browser wallet: on the right network, and only when they want to", () =>
    Effect.gen(function* () {
      const { account, address, alpha, page } = yield* Steps.person({ DAI: "50" })
      const wallet = yield* Wallet.install(page, account, {
        chainId: 1,
        signsAuthorizations: true,
        nodes: { [alpha.info.id]: alpha.dev.rpcUrl }
      })
      yield* Steps.opens(page)
      yield* click(page, "Test Wallet")
      yield* click(page, "Review 1 sweep")
      yield* reads(page, "Test Wallet is on chain 1. It signs this order only on Alpha.")
      wallet.isWilling = false
      yield* click(page, "Switch to Alpha")
      yield* reads(page, "You rejected this in your wallet.")
      wallet.isWilling = true
      yield* click(page, "Switch to Alpha")
      yield* Effect.promise(() => page.getByRole("button", { name: "Sign and sweep" }).waitFor())
      wallet.isWilling = false
      yield* click(page, "Sign and sweep")
      yield* reads(page, "You rejected this in your wallet. Nothing was sent, and you can try again.")
      wallet.isWilling = true
      const least = yield* Steps.amountOf(page, "DAI on Alpha", "You receive at least", 6)
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) >= least)
      // The wallet was shown the same amount as the person.
      assert.include(wallet.shown.at(-1), `"minAmountOut":"${least}"`)
      yield* click(page, "Sweep more")
      yield* reads(page, "Runs the sweep delegate")
      yield* reads(page, /this account has no ETH on Alpha to pay for it/)
    }).pipe(Effect.scoped)
  )

  it.effect("takes the delegation back in one click", () =>
    Effect.gen(function* () {
      // Some of the native currency stays, to pay for the revocation.
      const { address, alpha, page } = yield* Steps.connected({ DAI: "50", ETH: "0.1" })
      yield* Effect.promise(() => page.getByRole("checkbox", { name: /^ETH/ }).uncheck())
      yield* click(page, "Review 1 sweep")
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.match((yield* codeOf(alpha.dev.rpcUrl, address)) ?? "", /^0xef0100/)
      yield* click(page, "Sweep more")
      yield* click(page, "Revoke on Alpha")
      yield* reads(page, /Your account on Alpha is an ordinary account again/)
      assert.isUndefined(yield* codeOf(alpha.dev.rpcUrl, address))
    }).pipe(Effect.scoped)
  )

  it.effect("sweeps inside another app, with the wallet and for the builder that the app names", () =>
    Effect.gen(function* () {
      const { builder } = yield* Services
      const { address, alpha, complaints, info, key, page } = yield* Steps.person({ DAI: "50" })
      const host = yield* serve(join(projectRoot, "test", "web", "host", "index.html"))
      const asked = new URLSearchParams({
        orchestrator: info.orchestratorUrl,
        key: key.slice(2),
        chain: String(alpha.info.id),
        node: alpha.dev.rpcUrl,
        apiKey: builder.apiKey,
        // Another delegate than the service's: what the app knows counts.
        delegate: alpha.info.guard
      })
      yield* Effect.promise(() => page.goto(`${host}?${asked}`))
      yield* click(page, "Review 1 sweep")
      yield* reads(page, /The order is not what you asked for.*quote\.settlementAddress/)
      asked.set("delegate", alpha.info.delegate)
      yield* Effect.promise(() => page.goto(`${host}?${asked}`))
      yield* click(page, "Review 1 sweep")
      yield* reads(page, /This app: 0.15 DAI to/)
      const least = yield* Steps.amountOf(page, "DAI on Alpha", "You receive at least", 6)
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.isTrue((yield* balanceOf(alpha, "USDT", address)) >= least)
      assert.match(yield* Effect.promise(() => page.title()), /^arrived in 0x[0-9a-f]{64}$/)
      yield* click(page, "Sweep more")
      // The app gave nodes and no sender: the page says what the account runs, and cannot change it.
      yield* reads(page, "Runs the sweep delegate")
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Revoke on Alpha" }).isDisabled()))
      assert.strictEqual(yield* Steps.buttons(page, "Disconnect"), 0)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )
})
