/** The sweep page in a real browser, against the services on the local network: what it shows is what the chains then hold. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { createPublicClient, http } from "viem"
import { projectRoot } from "../../src/cli/Project.ts"
import { serve } from "../examples/PageServer.ts"
import { balanceOf, Services } from "../support/Services.ts"
import * as EmbeddingApp from "./EmbeddingApp.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"

const { click, reads } = Steps

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

  it.effect("gets over a bridge to the wei what the plan said, for the fee that it said", () =>
    Effect.gen(function* () {
      const { address, alpha, beta, complaints, info, page } = yield* Steps.connected({ USDC: "40" })
      const feesBefore = yield* balanceOf(alpha, "USDC", alpha.info.feeRecipient)
      // 40 dollars are dust, which is ticked at first.
      yield* Steps.goesTo(page, "USDC", "Beta")
      yield* Steps.planned(page, 1)
      yield* click(page, "Change")
      yield* Effect.promise(() => page.getByLabel("Destination address").fill(`${address.slice(0, -1)}x`))
      yield* reads(page, "An address has 40 hexadecimal digits after 0x.")
      yield* reads(page, "Enter the destination")
      const friend = info.accounts[7]?.address ?? "0x"
      const before = yield* balanceOf(beta, "USDC", friend)
      yield* Effect.promise(() => page.getByLabel("Destination address").fill(friend))
      yield* Steps.planned(page, 1)
      yield* reads(page, /not to the owner/)
      const least = yield* Steps.least(page, 6)
      yield* Steps.unfolds(page, "The token")
      yield* Steps.unfolds(page, "USDC on Alpha")
      assert.strictEqual(yield* Steps.amountOf(page, "USDC on Alpha", "You receive at least", 6), least)
      const fee = yield* Steps.amountOf(page, "USDC on Alpha", "Fees, out of it", 6)
      yield* Steps.sweeps(page, 1)
      assert.isTrue(least > 0n)
      assert.isTrue(least < 40_000_000n - fee)
      assert.strictEqual((yield* balanceOf(beta, "USDC", friend)) - before, least)
      assert.strictEqual((yield* balanceOf(alpha, "USDC", alpha.info.feeRecipient)) - feesBefore, fee)
      assert.strictEqual(yield* balanceOf(alpha, "USDC", address), 0n)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect(
    "is told what crosses the bridge when that is another token, on a phone, and gets the one that was asked for",
    () =>
      Effect.gen(function* () {
        const { address, alpha, beta, complaints, page } = yield* Steps.connected(
          { DAI: "70" },
          { viewport: { width: 390, height: 740 } }
        )
        // 70 dollars are no dust.
        yield* reads(page, /Worth \$50 or more/)
        yield* Steps.takesAll(page)
        yield* Steps.opensPlan(page)
        yield* Steps.goesTo(page, "USDC", "Beta")
        yield* Steps.planned(page, 1)
        // The page knows the bridge of its own deployment, so nothing rests on the service alone.
        assert.strictEqual(yield* Effect.promise(() => page.getByText(/Only the service says/).count()), 0)
        yield* Steps.unfolds(page, "The token")
        yield* Steps.unfolds(page, "DAI on Alpha")
        yield* reads(
          page,
          /^Your DAI is swapped into USDC on Alpha first, .* USDC comes back to .* on Alpha, not DAI\.$/
        )
        yield* reads(page, /^The bridge's contract guarantees this/)
        const least = yield* Steps.least(page, 6)
        assert.isTrue(least > 0n)
        assert.isTrue((yield* Steps.amountOf(page, "DAI on Alpha", "Over the bridge", 6)) >= least)
        assert.isAtMost(yield* Effect.promise(() => page.evaluate(() => document.documentElement.scrollWidth)), 390)
        yield* Steps.sweeps(page, 1)
        assert.isTrue((yield* balanceOf(beta, "USDC", address)) >= least)
        assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
  )

  it.effect("sweeps the part of a token that was entered, and all but gas money of the native currency", () =>
    Effect.gen(function* () {
      const { address, alpha, page } = yield* Steps.connected({ DAI: "40", ETH: "0.01" })
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.planned(page, 2)
      yield* click(page, "Change the amount of DAI on Alpha")
      // A text that is not an amount is not swept, and neither is the last amount that was one.
      for (const [text, problem] of [
        ["50", "You hold 40."],
        ["", "Enter an amount."],
        ["1,5", "Write decimals after a point, and no comma between thousands."]
      ] as const) {
        yield* Effect.promise(() => page.getByLabel("Amount of DAI to sweep").fill(text))
        yield* reads(page, problem)
        const button = page.getByRole("button", { name: "Enter the amount of DAI" })
        assert.strictEqual(yield* Effect.promise(() => button.getAttribute("aria-disabled")), "true")
      }
      yield* Effect.promise(() => page.getByLabel("Amount of DAI to sweep").fill("15"))
      yield* Steps.sweeps(page, 2)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 25n * 10n ** 18n)
      // The amount was for the balance before.
      const rest = page.getByRole("checkbox", { name: "DAI on Alpha", exact: true, disabled: false })
      assert.isFalse(yield* Effect.promise(() => rest.isChecked()))
      assert.strictEqual(yield* Effect.promise(() => page.getByText(/15 of /).count()), 0)
      const stays = yield* balanceOf(alpha, "ETH", address)
      assert.isTrue(stays > 0n && stays < 10n ** 15n, `${stays} wei stay`)
    }).pipe(Effect.scoped)
  )

  it.effect("finds a sweep again after a reload, and keeps a receipt of it", () =>
    Effect.gen(function* () {
      const { key, page } = yield* Steps.connected({ DAI: "40" })
      yield* Steps.goesTo(page, "USDC", "Alpha")
      // The page hears nothing of the sweep until it is loaded again.
      yield* Effect.promise(() => page.route(/\/sweeps\/[^/]+/, (route) => route.abort()))
      yield* Steps.signs(page, 1)
      yield* reads(page, "1 token on its way")
      yield* Steps.focuses(page, "Your sweep")
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "1 token on its way")
      yield* Effect.promise(() => page.unroute(/\/sweeps\/[^/]+/))
      yield* Effect.promise(() => page.reload())
      yield* reads(page, /^1 of 1 delivered, [0-9.]+ USDC arrived$/)
      const saved = page.waitForEvent("download")
      yield* click(page, "Save receipt")
      const path = yield* Effect.promise(() => saved.then((download) => download.path()))
      const receipt = yield* Effect.promise(() => Bun.file(path).text())
      assert.match(receipt, /^40 DAI on Alpha: [0-9.]+ USDC arrived$/m)
      assert.match(receipt, /^ {2}0x[0-9a-f]{64}$/m)
      // Another browser of the owner finds it in the service's list.
      const elsewhere = yield* SweepSite.visitor()
      yield* Steps.usesKey(elsewhere.page, key)
      yield* reads(elsewhere.page, "Sweeps from elsewhere")
      yield* Steps.delivered(elsewhere.page, 1)
      yield* Effect.promise(() => page.reload())
      yield* reads(page, "Earlier sweeps")
      yield* click(page, "Clear")
      assert.strictEqual(yield* Effect.promise(() => page.getByText("Earlier sweeps").count()), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is told which token of a sweep failed, and why, and sweeps the rest", () =>
    Effect.gen(function* () {
      const { alpha, address, page } = yield* Steps.connected({ DAI: "45", USDT: "40" })
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Effect.promise(() => page.route(/\/sweeps\/[^/]+\/events/, (route) => route.abort()))
      yield* Effect.promise(() =>
        page.route(/\/sweeps\/[^/]+$/, async (route) => {
          const response = await route.fetch()
          const body: { intents: [unknown, object] } = await response.json()
          body.intents[1] = { ...body.intents[1], status: "failed", failureReason: "reverted" }
          await route.fulfill({ response, json: body })
        })
      )
      yield* Steps.signs(page, 2)
      yield* reads(page, /^1 of 2 delivered, [0-9.]+ USDC arrived, 1 failed$/)
      yield* reads(page, /^USDT on Alpha: The transaction reverted, most likely because the price moved too far/)
      yield* Steps.fund(alpha, address, { USDT: "40" })
      yield* click(page, "Refresh your tokens")
      yield* click(page, "Sweep the rest")
      yield* Steps.planned(page, 1)
      assert.isTrue(
        yield* Effect.promise(() => page.getByRole("checkbox", { name: "USDT on Alpha", exact: true }).isChecked())
      )
    }).pipe(Effect.scoped)
  )

  it.effect("takes the delegation back in one click", () =>
    Effect.gen(function* () {
      // Some of the native currency stays, to pay for the revocation.
      const { address, alpha, page } = yield* Steps.connected({ DAI: "40", ETH: "0.1" })
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.sweeps(page, 1)
      assert.match((yield* codeOf(alpha.dev.rpcUrl, address)) ?? "", /^0xef0100/)
      yield* click(page, "Revoke on Alpha")
      yield* reads(page, /Your account on Alpha is an ordinary account again/)
      assert.isUndefined(yield* codeOf(alpha.dev.rpcUrl, address))
    }).pipe(Effect.scoped)
  )

  it.effect("gets expired quotes renewed in place, and is asked only if they bring less", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person({ DAI: "40" })
      let times = 0
      yield* Effect.promise(() =>
        page.route("**/quotes", async (route) => {
          const response = await route.fetch()
          const body: { quotes: [{ quote: { expiresAtMs: number } }] } = await response.json()
          times += 1
          // The plan counts as expired, and is not yet renewed by itself.
          if (times === 1) body.quotes[0].quote.expiresAtMs = Date.now() + 4_500
          await route.fulfill({ response, json: body })
        })
      )
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.signsRenewed(page, 1)
      yield* Steps.delivered(page, 1)
      assert.isTrue(times >= 2)
      assert.isTrue((yield* balanceOf(alpha, "USDC", address)) > 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("is not offered an order that is not the one that was asked for", () =>
    Effect.gen(function* () {
      const { alpha, key, page } = yield* Steps.person({ DAI: "40" })
      yield* Effect.promise(() =>
        page.route("**/quotes", async (route) => {
          const response = await route.fetch()
          const body: { quotes: [{ order: { destination: string } }] } = await response.json()
          body.quotes[0].order.destination = alpha.info.guard
          await route.fulfill({ response, json: body })
        })
      )
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* reads(page, /An order is not what you asked for, so nothing was offered for signing/)
      assert.strictEqual(yield* Steps.buttons(page, /^Sweep \d/), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("sweeps inside another app, with the wallet and for the builder that the app names", () =>
    Effect.gen(function* () {
      const { builder } = yield* Services
      const { address, alpha, complaints, info, key, page } = yield* Steps.person({ DAI: "40" })
      const host = yield* serve(join(projectRoot, "test", "web", "host", "index.html"))
      const app = (delegate?: string) =>
        EmbeddingApp.addressOf(host, {
          orchestrator: info.orchestratorUrl,
          key,
          chainId: alpha.info.id,
          node: alpha.dev.rpcUrl,
          apiKey: builder.apiKey,
          ...(delegate === undefined ? {} : { delegate })
        })
      yield* Effect.promise(() => page.goto(app()))
      yield* reads(page, `Only the service says that ${alpha.info.delegate} is the delegate`)
      // Another delegate than the service's: what the app knows counts.
      yield* Effect.promise(() => page.goto(app(alpha.info.guard)))
      yield* reads(page, /An order is not what you asked for.*quote\.settlementAddress/)
      yield* Effect.promise(() => page.goto(app(alpha.info.delegate)))
      yield* Steps.planned(page, 1)
      yield* reads(page, "Fee of Another app")
      const least = yield* Steps.least(page, 6)
      yield* Steps.sweeps(page, 1)
      assert.isTrue((yield* balanceOf(alpha, "USDT", address)) >= least)
      assert.match(yield* Effect.promise(() => page.title()), /^arrived in 0x[0-9a-f]{64}$/)
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
