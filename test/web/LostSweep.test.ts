/** Somebody whose submission is not answered: the page says what is known of it, and lets them sweep again if it was lost. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { balanceOf } from "../support/Services.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"

const { click, reads } = Steps

const live = { excludeTestServices: true, timeout: "4 minutes" } as const

/** The quotes' lifetime of the site, and a minute. */
const CERTAIN_MILLIS = 661_000

const IS_SUBMISSION = (url: URL): boolean => url.pathname === "/sweeps"

/** Twice the longest life of a quote. */
const FORGOTTEN_MILLIS = 7_200_000

const FORGOTTEN = "The service no longer knows this sweep. Check your balance."

const CONTINUES = "You can close this page"
const LOST = /It was signed, but it never reached the service\. Your tokens did not move\./

const isShown = (page: Page, text: string | RegExp) =>
  Effect.promise(async () => (await page.getByText(text).count()) > 0)

const boxOf = (page: Page, name: string) => page.getByRole("checkbox", { name, exact: true, disabled: false })

/** True if the account's token can be ticked. Those that cannot be swept have no box. */
const canTick = (page: Page, name: string) => Effect.promise(async () => (await boxOf(page, name).count()) > 0)

/** Waits until the account's token can be ticked. */
const becomesFree = (page: Page, name: string) => Effect.promise(() => boxOf(page, name).waitFor())

/** Keeps submissions in the page. A request that a route holds would be sent when the page is closed. */
const sendsNothing = (page: Page) =>
  Effect.promise(() =>
    page.addInitScript(() => {
      const send = window.fetch.bind(window)
      const held = (input: RequestInfo | URL, init?: RequestInit) =>
        String(input).endsWith("/sweeps") && init?.method === "POST"
          ? new Promise<Response>(() => undefined)
          : send(input, init)
      Object.assign(window, { fetch: held })
    })
  )

/** Moves the page's clock on, and back to the service's once it has said what follows. */
const later = Effect.fnUntraced(function* (page: Page, text: string | RegExp) {
  yield* Effect.promise(() => page.clock.fastForward(CERTAIN_MILLIS))
  yield* reads(page, text)
  yield* Effect.promise(() => page.clock.setSystemTime(Date.now()))
})

layer(SweepSite.layer, live)("somebody whose submission is not answered", (it) => {
  it.effect(
    "is not told that the service has it, hears when it is certain that it was lost, and sweeps the tokens again",
    () =>
      Effect.gen(function* () {
        const { address, alpha, complaints, key, page } = yield* Steps.person({ DAI: "40", USDT: "30" })
        yield* Effect.promise(() => page.clock.install())
        yield* Effect.promise(() => page.route(IS_SUBMISSION, (route) => route.abort()))
        yield* Steps.usesKey(page, key)
        yield* Steps.goesTo(page, "USDC", "Alpha")
        yield* Steps.signs(page, 2)
        yield* reads(page, "Keep this page open until the service has it")
        // It is sent again until the quotes expire.
        yield* Effect.promise(() => page.clock.fastForward(CERTAIN_MILLIS))
        yield* reads(page, "It is not known that the service has it")
        assert.isFalse(yield* isShown(page, CONTINUES))
        assert.isFalse(yield* canTick(page, "DAI on Alpha"))
        // One sweep, although the service never gave it an id.
        yield* reads(page, /^0 of 2 delivered$/)

        yield* later(page, LOST)
        yield* reads(page, /^0 of 2 delivered, 2 failed/)
        yield* becomesFree(page, "DAI on Alpha")
        yield* Effect.promise(() => page.unroute(IS_SUBMISSION))
        yield* click(page, "Sweep the rest")
        yield* Steps.sweeps(page, 2)
        assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
        assert.strictEqual(yield* balanceOf(alpha, "USDT", address), 0n)
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.scoped)
  )

  it.effect("because they are offline signs nothing, hears so at once, and sends nothing once they are back", () =>
    Effect.gen(function* () {
      const { context, key, page } = yield* Steps.person({ DAI: "40" })
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.planned(page, 1)
      yield* Effect.promise(() => context.setOffline(true))
      yield* Steps.signs(page, 1)
      yield* reads(page, "The service cannot be reached. Check your connection and try again.")
      let sent = 0
      page.on("request", (request) => {
        if (request.method() === "POST" && IS_SUBMISSION(new URL(request.url()))) sent += 1
      })
      yield* Effect.promise(() => context.setOffline(false))
      yield* Effect.promise(() => page.waitForFunction(() => navigator.onLine))
      yield* Effect.sleep("500 millis")
      assert.strictEqual(sent, 0)
      assert.isFalse(yield* isShown(page, "It is not known that the service has it"))
      yield* Steps.sweeps(page, 1)
    }).pipe(Effect.scoped)
  )

  it.effect("because the tab was closed before hears the same in the next tab, also after the quotes are gone", () =>
    Effect.gen(function* () {
      const { address, alpha, context, key, page } = yield* Steps.person({ DAI: "40" })
      yield* sendsNothing(page)
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.signs(page, 1)
      yield* reads(page, "Keep this page open until the service has it")
      assert.isFalse(yield* isShown(page, CONTINUES))
      yield* Effect.promise(() => page.close())

      const next = yield* Effect.promise(() => context.newPage())
      yield* Effect.promise(() => next.clock.install())
      yield* Steps.usesKey(next, key)
      yield* reads(next, "It is not known that the service has it")
      assert.isFalse(yield* isShown(next, CONTINUES))
      // A day later, the service has forgotten the quotes.
      yield* Effect.promise(() =>
        next.route(
          (url) => url.pathname.startsWith("/intents/"),
          (route) => route.fulfill({ status: 404, json: { error: "not found" } })
        )
      )
      yield* later(next, LOST)
      yield* becomesFree(next, "DAI on Alpha")
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 40n * 10n ** 18n)
    }).pipe(Effect.scoped)
  )

  it.effect("because the service lost its database meanwhile hears how the sweep ended", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person({ DAI: "40" })
      let sent = 0
      yield* Effect.promise(() =>
        page.route(IS_SUBMISSION, async (route) => {
          sent += 1
          // The first one is stored, and no answer tells so.
          if (sent === 1) await route.fetch()
          await route.fulfill({
            status: 503,
            headers: { "retry-after": "1", "sweep-reason": "unavailable", "access-control-expose-headers": "*" },
            json: { error: "internal error" }
          })
        })
      )
      yield* Steps.usesKey(page, key)
      yield* Steps.sweeps(page, 1)
      assert.isAbove(sent, 1)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )

  it.effect("because the service has forgotten the sweep is told so in time, and can tick the token again", () =>
    Effect.gen(function* () {
      const { key, page } = yield* Steps.person({ DAI: "40" })
      yield* Effect.promise(() => page.clock.install())
      // The service accepts the sweep, and an older backup without it is restored.
      yield* Effect.promise(() =>
        page.route(IS_SUBMISSION, (route) => {
          const { quoteIds }: { readonly quoteIds: ReadonlyArray<string> } = route.request().postDataJSON()
          const intents = quoteIds.map((id) => ({ id, status: "submitted" }))
          return route.fulfill({ status: 202, json: { id: "00000000-0000-4000-8000-000000000000", intents } })
        })
      )
      yield* Steps.usesKey(page, key)
      yield* Steps.goesTo(page, "USDC", "Alpha")
      yield* Steps.signs(page, 1)
      yield* reads(page, "The service does not know this sweep.")
      yield* Effect.promise(() => page.getByText("1 that cannot be swept").click())
      yield* reads(page, "On its way in another sweep")
      assert.isFalse(yield* canTick(page, "DAI on Alpha"))
      assert.isFalse(yield* isShown(page, FORGOTTEN))

      yield* Effect.promise(() => page.clock.fastForward(FORGOTTEN_MILLIS))
      yield* click(page, "Look again")
      yield* reads(page, FORGOTTEN)
      yield* reads(page, /^0 of 1 delivered, 1 not known$/)
      yield* becomesFree(page, "DAI on Alpha")
    }).pipe(Effect.scoped)
  )

  it.effect("by the service itself, but by a network in between, hears how the sweep ended", () =>
    Effect.gen(function* () {
      const { address, alpha, key, page } = yield* Steps.person({ DAI: "40" })
      yield* Effect.promise(() =>
        page.route(IS_SUBMISSION, async (route) => {
          await route.fetch()
          await route.fulfill({ contentType: "text/html", body: "<p>Accept the terms of this network</p>" })
        })
      )
      yield* Steps.usesKey(page, key)
      yield* Steps.sweeps(page, 1)
      assert.strictEqual(yield* balanceOf(alpha, "DAI", address), 0n)
    }).pipe(Effect.scoped)
  )
})
