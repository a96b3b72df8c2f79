/** Scripts that a deployment removed while the page was open: the page says so and offers to reload. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Harness from "../server/builder/Harness.ts"
import { scene } from "./HoldingsScene.ts"
import * as Site from "./Site.ts"
import { click, reads } from "./SweepSteps.ts"

const live = { excludeTestServices: true } as const

/** Answers requests for scripts that contain the text with 404, as a server does after a deployment. */
const removes = (page: Page, text: string) =>
  Effect.promise(() =>
    page.route("**/*.js", async (route) => {
      const response = await route.fetch()
      return (await response.text()).includes(text) ? route.fulfill({ status: 404 }) : route.fulfill({ response })
    })
  )

layer(Site.layer(), live)("a part of the page that is gone from the server", (it) => {
  it.effect("leaves a notice on the sweep page, and the page after a reload", () =>
    Effect.gen(function* () {
      const { page } = yield* scene({})
      yield* removes(page, "Refresh your tokens")
      yield* Effect.promise(() => page.reload())
      yield* click(page, "Test Wallet")
      yield* reads(page, "A part of this page could not be loaded")
      yield* Effect.promise(() => page.unrouteAll())
      assert.isTrue(yield* Effect.promise(() => page.getByRole("button", { name: "Reload the page" }).isVisible()))
    }).pipe(Effect.scoped)
  )

  it.effect("leaves a notice on the dashboard, and the page after a reload", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp()
      const { page } = yield* Site.visitorOf(cookie)
      yield* removes(page, "Rotate key")
      yield* Effect.promise(() => page.goto("/app/api-key"))
      yield* reads(page, "A part of this page could not be loaded")
      yield* Effect.promise(() => page.unrouteAll())
      yield* click(page, "Reload the page")
      yield* reads(page, "Rotate key")
    }).pipe(Effect.scoped)
  )
})
