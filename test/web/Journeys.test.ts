/** Whole journeys of somebody who sweeps, where something ends in the middle: a tab, storage, or patience. */
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Frame, Page } from "playwright-core"
import { projectRoot } from "../../src/cli/Project.ts"
import { serve } from "../examples/PageServer.ts"
import { balanceOf, Services } from "../support/Services.ts"
import * as EmbeddingApp from "./EmbeddingApp.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const { click, reads } = Steps

const live = { excludeTestServices: true, timeout: "4 minutes" } as const

const ON_ALPHA = { DAI: "120", USDT: "90", WBTC: "0.01", WETH: "0.05", ETH: "0.06" }
const ON_BETA = { USDC: "80", DAI: "70", USDT: "60", WBTC: "0.008" }

/** Counts what a person presses in the page from its next load on. */
const countsPresses = (page: Page) =>
  Effect.promise(() =>
    page.addInitScript(() => {
      let presses = 0
      Object.assign(window, { presses: () => presses })
      addEventListener("pointerdown", () => void presses++, true)
    })
  )

const presses = (page: Page) => Effect.promise(() => page.evaluate<number>("window.presses()"))

/** Has the browser refuse to store anything, as it does with strict privacy and in frames of other sites. */
const refusesStorage = (page: Page) =>
  Effect.promise(() =>
    page.addInitScript(() => {
      for (const area of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, area, {
          get: () => {
            throw new DOMException("denied", "SecurityError")
          }
        })
      }
    })
  )

/** Opens a page of another site that shows `address` in a frame. Returns the frame. */
const framed = Effect.fnUntraced(function* (page: Page, address: string) {
  const site = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: () =>
          new Response(
            `<!doctype html><title>Site</title><iframe height="800" src="${address}" width="1000"></iframe>`,
            {
              headers: { "content-type": "text/html" }
            }
          )
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
  // Another name of this machine is another site.
  yield* Effect.promise(() => page.goto(`http://localhost:${site.port}/`))
  const inside = page.frames().find((frame: Frame) => frame.url().startsWith(new URL(address).origin))
  if (inside === undefined) throw new Error("the site shows no frame")
  return inside
})

layer(SweepSite.layer, live)("a journey of somebody who sweeps", (it) => {
  it.effect("with nine tokens on two chains and a delegated account takes six clicks at most, and one prompt", () =>
    Effect.gen(function* () {
      const { account, address, alpha, beta, complaints, page } = yield* Steps.person({ DAI: "20" })
      yield* Steps.fund(beta, address, { DAI: "20" })
      const wallet = yield* Wallet.install(page, account, { signsAuthorizations: true })
      yield* countsPresses(page)
      yield* Steps.opens(page)
      yield* click(page, "Test Wallet")
      yield* Steps.sweeps(page, 2)
      yield* Steps.fund(alpha, address, ON_ALPHA)
      yield* Steps.fund(beta, address, ON_BETA)
      wallet.signed.length = 0

      // The wallet is connected again by the page itself.
      yield* Effect.promise(() => page.reload())
      yield* Steps.takesAll(page)
      yield* Steps.sweeps(page, 9)
      const pressed = yield* presses(page)
      assert.isAtLeast(pressed, 1)
      assert.isAtMost(pressed, 6)
      assert.deepStrictEqual(wallet.signed, ["eth_signTypedData_v4"])
      assert.strictEqual(yield* balanceOf(beta, "WBTC", address), 0n)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("goes on after the tab was closed while the sweep was submitted, and is shown in the next tab", () =>
    Effect.gen(function* () {
      const { account, address, alpha, context, page } = yield* Steps.person({ DAI: "40", USDT: "30" })
      const options = { signsAuthorizations: true }
      const first = yield* Wallet.install(page, account, options)
      yield* Steps.opens(page)
      yield* click(page, "Test Wallet")
      yield* Steps.goesTo(page, "USDC", "Alpha")
      const submitted = Promise.withResolvers<void>()
      // The service accepts the sweep, and the page never hears of it.
      yield* Effect.promise(() =>
        page.route(
          (url) => url.pathname === "/sweeps",
          async (route) => {
            await route.fetch()
            submitted.resolve()
          }
        )
      )
      yield* Steps.signs(page, 2)
      yield* Effect.promise(() => submitted.promise)
      yield* Effect.promise(() => page.close())
      assert.lengthOf(first.signed, 2)

      const next = yield* Effect.promise(() => context.newPage())
      const second = yield* Wallet.install(next, account, options)
      yield* Steps.opens(next)
      yield* reads(next, "Your sweep")
      yield* Effect.promise(() =>
        next
          .getByText(/^1 of 1 delivered/)
          .nth(1)
          .waitFor()
      )
      assert.deepStrictEqual(second.signed, [])
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
      assert.strictEqual(yield* balanceOf(alpha, "USDT", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("ends with a delivery in a frame of another site, where the browser stores nothing", () =>
    Effect.gen(function* () {
      const { builder } = yield* Services
      const { address, alpha, complaints, info, key, page } = yield* Steps.person({ DAI: "40" })
      const host = yield* serve(join(projectRoot, "test", "web", "host", "index.html"))
      const app = EmbeddingApp.addressOf(host, {
        orchestrator: info.orchestratorUrl,
        key,
        chainId: alpha.info.id,
        node: alpha.dev.rpcUrl,
        apiKey: builder.apiKey,
        delegate: alpha.info.delegate
      })
      yield* refusesStorage(page)
      const frame = yield* framed(page, app)
      yield* Steps.planned(frame, 1)
      yield* Steps.sweeps(frame, 1)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )
})
