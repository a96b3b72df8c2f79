/** The sweep page in a real browser, against the services on the local network: what it shows is what the chains then hold. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { createPublicClient, http } from "viem"
import { projectRoot } from "../../src/cli/Project.ts"
import { serve } from "../examples/PageServer.ts"
import { balanceOf, Services } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"

const { card, click, reads } = Steps

const live = { excludeTestServices: true } as const

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
      yield* click(page, "Review 1 token")
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
      yield* click(page, "Review 1 token")
      yield* reads(page, /^Your DAI is swapped into USDC on Alpha first, .* USDC comes back to .* on Alpha, not DAI\.$/)
      // Nobody but the service knows the bridge of a local network.
      yield* reads(page, /^Only the service says what 0x[0-9a-fA-F]{40} is worth/)
      yield* reads(page, "Only the service states this. See the warnings.")
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

  it.effect("finds a sweep that is on its way again after a reload", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50" })
      yield* click(page, "Review 1 token")
      // The page hears nothing of the sweep until it is loaded again.
      yield* Effect.promise(() => page.route(/\/sweeps\/[^/]+/, (route) => route.abort()))
      yield* click(page, "Sign and sweep")
      yield* reads(page, "Signed and submitted")
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "1 on its way")
      yield* Effect.promise(() => page.unroute(/\/sweeps\/[^/]+/))
      yield* Effect.promise(() => page.reload())
      yield* Effect.promise(() => page.getByText("Delivered", { exact: true }).waitFor())
      yield* click(page, "Clear finished")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("heading", { name: "Your sweeps" }).count()), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is told which token of a sweep failed, and why, while the other arrives", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50", USDT: "40" })
      yield* Effect.promise(() => page.route(/\/sweeps\/[^/]+\/events/, (route) => route.abort()))
      yield* Effect.promise(() =>
        page.route(/\/sweeps\/[^/]+$/, async (route) => {
          const response = await route.fetch()
          const body: { intents: [unknown, object] } = await response.json()
          body.intents[1] = { ...body.intents[1], status: "failed", failureReason: "reverted" }
          await route.fulfill({ response, json: body })
        })
      )
      yield* click(page, "Review 2 tokens")
      yield* click(page, "Sign and sweep")
      yield* reads(page, "1 of 2 delivered, 1 failed")
      yield* Steps.delivered(page, "DAI on Alpha")
      yield* Effect.promise(() =>
        card(page, "USDT on Alpha")
          .getByText(/^The transaction reverted, most likely because the price moved too far/)
          .waitFor()
      )
      yield* click(page, "Sweep more")
      yield* Effect.promise(() => page.getByText("1 failed", { exact: true }).waitFor())
      yield* reads(page, /^1 of 2 delivered/)
    }).pipe(Effect.scoped)
  )

  it.effect("takes the delegation back in one click", () =>
    Effect.gen(function* () {
      // Some of the native currency stays, to pay for the revocation.
      const { address, alpha, page } = yield* Steps.connected({ DAI: "50", ETH: "0.1" })
      yield* Effect.promise(() => page.getByRole("checkbox", { name: /^ETH/ }).uncheck())
      yield* click(page, "Review 1 token")
      yield* Steps.sweeps(page, "DAI on Alpha")
      assert.match((yield* codeOf(alpha.dev.rpcUrl, address)) ?? "", /^0xef0100/)
      yield* click(page, "Sweep more")
      yield* click(page, "Revoke on Alpha")
      yield* reads(page, /Your account on Alpha is an ordinary account again/)
      assert.isUndefined(yield* codeOf(alpha.dev.rpcUrl, address))
    }).pipe(Effect.scoped)
  )

  it.effect("cannot sign a quote that has expired, and gets a new one", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50" })
      yield* Effect.promise(() =>
        page.route(
          "**/quotes",
          async (route) => {
            const response = await route.fetch()
            const body: { quotes: [{ quote: { expiresAtMs: number } }] } = await response.json()
            body.quotes[0].quote.expiresAtMs = Date.now() + 1_500
            await route.fulfill({ response, json: body })
          },
          { times: 1 }
        )
      )
      yield* click(page, "Review 1 token")
      yield* reads(
        page,
        "These quotes cannot be signed any more, and prices may have changed. Get new ones before you sign."
      )
      assert.strictEqual(yield* Steps.buttons(page, "Sign and sweep"), 0)
      yield* click(page, "Get new quotes")
      yield* Steps.sweeps(page, "DAI on Alpha")
    }).pipe(Effect.scoped)
  )

  it.effect("is not offered an order that is not the one that was asked for", () =>
    Effect.gen(function* () {
      const { alpha, page } = yield* Steps.connected({ DAI: "50" })
      yield* Effect.promise(() =>
        page.route("**/quotes", async (route) => {
          const response = await route.fetch()
          const body: { quotes: [{ order: { destination: string } }] } = await response.json()
          body.quotes[0].order.destination = alpha.info.guard
          await route.fulfill({ response, json: body })
        })
      )
      yield* click(page, "Review 1 token")
      yield* reads(page, /An order is not what you asked for, so nothing was offered for signing/)
      assert.strictEqual(yield* Steps.buttons(page, "Sign and sweep"), 0)
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
      yield* click(page, "Review 1 token")
      yield* reads(page, /An order is not what you asked for.*quote\.settlementAddress/)
      asked.set("delegate", alpha.info.delegate)
      yield* Effect.promise(() => page.goto(`${host}?${asked}`))
      yield* click(page, "Review 1 token")
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

  it.effect("with nothing to sweep, or no service to ask, is told that", () =>
    Effect.gen(function* () {
      const { info } = yield* Steps.chains
      const { page } = yield* SweepSite.visitor()
      yield* Steps.opens(page)
      yield* Effect.promise(() => page.getByLabel("Private key").fill("0x1234"))
      yield* click(page, "Use this key")
      yield* reads(page, "This is no private key: it has 64 hexadecimal digits after 0x.")
      yield* click(page, "Make a fresh key")
      yield* reads(page, "Nothing to sweep")
      yield* Effect.promise(() => page.route(`${info.orchestratorUrl}/**`, (route) => route.abort()))
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "The service cannot be reached. Check your connection and try again.")
      yield* Effect.promise(() => page.unroute(`${info.orchestratorUrl}/**`))
      yield* reads(page, "Nothing to sweep")
      yield* click(page, "Disconnect")
      yield* reads(page, "Connect your wallet")
    }).pipe(Effect.scoped)
  )
})
