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
import * as Site from "./Site.ts"
import { click, reads } from "./SweepSteps.ts"

const live = { excludeTestServices: true } as const

const tokenAt = (index: number) => ({
  ...token(8453, `T${index}`, `Token ${index}`, 0x11),
  address: Address.of(`0x${(index + 1).toString(16).padStart(40, "0")}`)
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

  it.effect("keep both ticks that are taken back before a frame is painted, also in an app that draws later", () =>
    Effect.gen(function* () {
      const some = Array.from({ length: 30 }, (_, index) => tokenAt(index))
      const { page } = yield* scene({ holdings: holding(some.map((each) => held(each, "5"))) })
      // React, which draws after several timers.
      const host = yield* serve(join(projectRoot, "test", "web", "host", "index.html"))
      const key = generatePrivateKey().slice(2)
      const asked = new URLSearchParams({
        orchestrator: Site.orchestratorUrl,
        key,
        chain: "8453",
        node: "http://127.0.0.1:9"
      })
      yield* Effect.promise(() => page.goto(`${host}?${asked}`))
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
