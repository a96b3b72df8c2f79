/** The sweep page in a real browser where a sweep cannot go ahead: it says why, and offers nothing to sign. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const { click, reads } = Steps

layer(SweepSite.layer, { excludeTestServices: true })("somebody who cannot sweep yet", (it) => {
  it.effect("cannot sign a quote that has expired, and gets a new one", () =>
    Effect.gen(function* () {
      const { page } = yield* Steps.connected({ DAI: "50" })
      yield* Effect.promise(() =>
        page.route(
          "**/quote",
          async (route) => {
            const response = await route.fetch()
            const body: { quote: { expiresAtMs: number } } = await response.json()
            body.quote.expiresAtMs = Date.now() + 1_500
            await route.fulfill({ response, json: body })
          },
          { times: 1 }
        )
      )
      yield* click(page, "Review 1 sweep")
      yield* reads(page, "This quote has expired")
      assert.strictEqual(yield* Steps.buttons(page, "Sign and sweep"), 0)
      yield* click(page, "Get a new quote")
      yield* Steps.sweeps(page, "DAI on Alpha")
    }).pipe(Effect.scoped)
  )

  it.effect("is told of one token's trouble and goes on with the next", () =>
    Effect.gen(function* () {
      const { address, alpha, page } = yield* Steps.connected({ DAI: "60", USDT: "50" })
      yield* Effect.promise(() =>
        page.route("**/quote", (route) => route.fulfill({ status: 422, json: { error: "internal error" } }), {
          times: 1
        })
      )
      yield* click(page, "Review 2 sweeps")
      yield* reads(page, /There is no quote for this right now/)
      yield* click(page, "Skip this token")
      yield* reads(page, "Nothing was signed, the token stays where it is.")
      yield* Steps.sweeps(page, "USDT on Alpha")
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 60n * 10n ** 18n)
    }).pipe(Effect.scoped)
  )

  it.effect("is not offered an order that is not the one that was asked for", () =>
    Effect.gen(function* () {
      const { alpha, page } = yield* Steps.connected({ DAI: "50" })
      yield* Effect.promise(() =>
        page.route("**/quote", async (route) => {
          const response = await route.fetch()
          const text = await response.text()
          const body: { order: { destination: string } } = JSON.parse(text)
          body.order.destination = alpha.info.guard
          await route.fulfill({ response, json: body })
        })
      )
      yield* click(page, "Review 1 sweep")
      yield* reads(page, /The order is not what you asked for, so it was not offered for signing/)
      assert.strictEqual(yield* Steps.buttons(page, "Sign and sweep"), 0)
    }).pipe(Effect.scoped)
  )

  it.effect("with a wallet that cannot authorize is told so, and which can", () =>
    Effect.gen(function* () {
      const { account, page } = yield* Steps.person({ DAI: "50" })
      yield* Wallet.install(page, account)
      yield* Steps.opens(page)
      yield* click(page, "Test Wallet")
      yield* reads(page, "Test Wallet cannot sign a sweep")
      yield* Effect.promise(() => page.getByText("Why, and which wallets can").click())
      yield* reads(page, /Privy, Turnkey, Dynamic/)
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Review 1 sweep" }).isDisabled()))
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
