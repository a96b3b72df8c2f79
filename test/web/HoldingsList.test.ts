/** The list of tokens on the sweep page: long, hostile, and without storage. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { generatePrivateKey } from "viem/accounts"
import { projectRoot } from "../../src/cli/Project.ts"
import * as Address from "../../src/domain/Address.ts"
import { serve } from "../examples/PageServer.ts"
import { overflow, violations } from "./Accessibility.ts"
import { daiOnBase, held, holding, scene, token } from "./HoldingsScene.ts"
import * as EmbeddingApp from "./EmbeddingApp.ts"
import * as Site from "./Site.ts"
import { click, reads } from "./SweepSteps.ts"

const live = { excludeTestServices: true } as const

const tokenAt = (index: number) => ({
  ...token(8453, `T${index}`, `Token ${index}`, 0x11),
  address: Address.of(`0x${(index + 1).toString(16).padStart(40, "0")}`)
})

/** The app that embeds the sweep. It draws with React, which draws after several timers. */
const embedded = Effect.gen(function* () {
  const host = yield* serve(join(projectRoot, "test", "web", "host", "index.html"))
  return EmbeddingApp.addressOf(host, {
    orchestrator: Site.orchestratorUrl,
    key: generatePrivateKey(),
    chainId: 8453
  })
})

layer(Site.layer(), live)("the list of tokens on the sweep page", (it) => {
  it.effect("of 500 tokens are drawn near the window alone, are searched, and hold hostile names on their line", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 500 }, (_, index) => tokenAt(index))
      const hostile = { ...token(8453, "W".repeat(300), `\u202Eevil${"\u0301".repeat(200)}`, 0xfe) }
      const { complaints, page } = yield* scene({
        holdings: holding([held(hostile, "49"), ...many.map((each) => held(each, "5")), held(daiOnBase, "90")])
      })
      yield* Effect.promise(() => page.setViewportSize({ width: 390, height: 800 }))
      yield* click(page, "Test Wallet")
      yield* reads(page, `${"W".repeat(13)}…`)
      // Neither dust nor ticked, and the page says why.
      const dai = page.getByRole("checkbox", { name: "DAI on Base" })
      assert.isFalse(yield* Effect.promise(() => dai.isChecked()))
      yield* reads(page, /Worth \$50 or more/)
      const rows = page.getByRole("list", { name: "Your tokens" }).getByRole("listitem")
      assert.isBelow(yield* Effect.promise(() => rows.count()), 60)
      assert.strictEqual(yield* Effect.promise(() => page.getByText("T499", { exact: true }).count()), 0)
      assert.isAtMost(yield* overflow(page), 0)
      yield* Effect.promise(() => page.getByRole("searchbox").fill("T499"))
      yield* reads(page, "T499")
      assert.strictEqual(yield* Effect.promise(() => rows.count()), 1)
      assert.deepStrictEqual(yield* violations(page), [])
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("keep ticks, amounts and the focus with their tokens while others are scrolled by", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 200 }, (_, index) => tokenAt(index))
      const { page } = yield* scene({ holdings: holding(many.map((each) => held(each, "5"))) })
      yield* click(page, "Test Wallet")
      yield* reads(page, /200 selected/)
      const rows = page.getByRole("list", { name: "Your tokens" }).getByRole("listitem")
      const box = (symbol: string) => page.getByRole("checkbox", { name: `${symbol} on Base` })
      const drawn = (symbol: string) => Effect.promise(() => box(symbol).waitFor())
      const isGone = (symbol: string) => Effect.promise(() => box(symbol).waitFor({ state: "detached" }))
      const scrolls = (pixels: number) => Effect.promise(() => page.mouse.wheel(0, pixels))
      yield* drawn("T3")
      yield* Effect.promise(() => box("T3").click())
      yield* reads(page, /199 selected/)
      yield* click(page, "Change the amount of T4 on Base")
      yield* Effect.promise(() => page.getByLabel("Amount of T4 to sweep").fill("0.5"))
      yield* Effect.promise(() => page.getByRole("searchbox").click())
      yield* Effect.promise(() => page.getByRole("heading", { name: "Your tokens", exact: true }).hover())
      yield* scrolls(4_000)
      yield* isGone("T3")
      yield* drawn("T58")
      const states = yield* Effect.promise(() =>
        rows
          .getByRole("checkbox")
          .evaluateAll((boxes) => boxes.map((each) => each instanceof HTMLInputElement && each.checked))
      )
      assert.isTrue(states.every(Boolean))
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel(/^Amount of/).count()), 0)
      yield* scrolls(-4_000)
      yield* drawn("T3")
      assert.isFalse(yield* Effect.promise(() => box("T3").isChecked()))
      assert.strictEqual(yield* Effect.promise(() => page.getByLabel("Amount of T4 to sweep").inputValue()), "0.5")
      // The focus stays with its token, in the window or not.
      const focused = Effect.promise(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
      yield* scrolls(4_000)
      yield* drawn("T58")
      yield* Effect.promise(() => box("T58").focus())
      yield* scrolls(-500)
      yield* drawn("T46")
      assert.strictEqual(yield* focused, "T58 on Base")
      yield* scrolls(-3_500)
      yield* drawn("T3")
      assert.strictEqual(yield* focused, "T58 on Base")
    }).pipe(Effect.scoped)
  )

  it.effect("keep both ticks that are taken back before a frame is painted, also in an app that draws later", () =>
    Effect.gen(function* () {
      const some = Array.from({ length: 30 }, (_, index) => tokenAt(index))
      const { page } = yield* scene({ holdings: holding(some.map((each) => held(each, "5"))) })
      const app = yield* embedded
      yield* Effect.promise(() => page.goto(app))
      yield* reads(page, /30 selected/)
      yield* Effect.promise(() =>
        page
          .getByRole("list", { name: "Your tokens" })
          .getByRole("checkbox")
          .evaluateAll((boxes) => {
            for (const box of boxes.slice(0, 2)) if (box instanceof HTMLElement) box.click()
          })
      )
      yield* reads(page, /28 selected/)
    }).pipe(Effect.scoped)
  )

  it.effect("are drawn as the embedding app scrolls the element that holds them", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 200 }, (_, index) => tokenAt(index))
      // No dust, so that nothing is ticked: answers about a plan would have the rows found again without a scroll.
      const { page } = yield* scene({ holdings: holding(many.map((each) => held(each, "90"))) })
      const app = yield* embedded
      yield* Effect.promise(() => page.goto(app))
      yield* Effect.promise(() => page.addStyleTag({ content: "#root { height: 600px; overflow: auto }" }))
      const box = (symbol: string) => page.getByRole("checkbox", { name: `${symbol} on Base` })
      yield* Effect.promise(() => box("T3").waitFor())
      yield* Effect.promise(() => page.locator("#root").evaluate((root) => root.scrollBy(0, 4_000)))
      yield* Effect.promise(() => box("T58").waitFor())
      yield* Effect.promise(() => box("T3").waitFor({ state: "detached" }))
      yield* Effect.promise(() => page.locator("#root").evaluate((root) => root.scrollBy(0, -4_000)))
      yield* Effect.promise(() => box("T3").waitFor())
    }).pipe(Effect.scoped)
  )

  it.effect("are shown although the browser refuses to store anything", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* scene({})
      yield* Effect.promise(() =>
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
      yield* Effect.promise(() => page.reload())
      yield* click(page, "Test Wallet")
      yield* reads(page, "DAI")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )
})
