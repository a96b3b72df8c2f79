/** The console for somebody whose token was accepted before: it opens at once, and closes when the service refuses the token. */
import { layer } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Harness from "../server/builder/Harness.ts"
import * as Site from "./Site.ts"

layer(Site.layer(), { excludeTestServices: true })("a token that was kept", (it) => {
  it.effect("has its page ask at once, and leads to the door when it is refused", () =>
    Effect.gen(function* () {
      const { page } = yield* Site.visitor()
      const answer = yield* Deferred.make<void>()
      yield* Effect.promise(async () => {
        await page.addInitScript((token) => sessionStorage.setItem("sweep-admin-token", token), Harness.ADMIN_TOKEN)
        await page.route("**/admin/**", async (route) => {
          const { pathname } = new URL(route.request().url())
          if (pathname.startsWith("/app/")) return route.continue()
          await Effect.runPromise(Deferred.await(answer))
          return route.fulfill({ status: 401, json: { error: "unauthorized" } })
        })
        // Nothing is answered before the console asks for what only an open one shows.
        const health = page.waitForRequest("**/admin/operations/health", { timeout: 30_000 })
        await page.goto("/app/admin")
        await health
      })
      yield* Deferred.succeed(answer, undefined)
      yield* Effect.promise(() => page.getByRole("heading", { name: "Admin console", exact: true }).waitFor())
    }).pipe(Effect.scoped)
  )
})
