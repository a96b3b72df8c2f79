/** A browser wallet that never answers: the page lets somebody choose another one. */
import { layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { scene } from "./HoldingsScene.ts"
import * as Site from "./Site.ts"
import { click, opens, reads } from "./SweepSteps.ts"

const live = { excludeTestServices: true } as const

const RDNS = "com.example.silent"

/** Opens the page with one more wallet, which answers nothing. */
const withSilentWallet = (page: Page) =>
  Effect.promise(() =>
    page.addInitScript((rdns) => {
      const info = { uuid: "silent", name: "Silent Wallet", icon: "data:image/svg+xml,%3Csvg/%3E", rdns }
      const detail = { info, provider: { request: () => new Promise(() => undefined) } }
      const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }))
      addEventListener("eip6963:requestProvider", announce)
    }, RDNS)
  ).pipe(Effect.andThen(opens(page)))

layer(Site.layer(), live)("a wallet that never answers", (it) => {
  it.effect("does not keep somebody from another one", () =>
    Effect.gen(function* () {
      const { page } = yield* scene({})
      yield* withSilentWallet(page)
      yield* click(page, /^Silent Wallet/)
      yield* reads(page, "Waiting for the wallet …")
      yield* click(page, /^Test Wallet/)
      yield* reads(page, "DAI")
    }).pipe(Effect.scoped)
  )

  it.effect("and was connected before does not keep somebody from another one", () =>
    Effect.gen(function* () {
      const { page } = yield* scene({})
      yield* Effect.promise(() => page.evaluate((rdns) => localStorage.setItem("sweep-owner-wallet", rdns), RDNS))
      yield* withSilentWallet(page)
      yield* click(page, /^Test Wallet/)
      yield* reads(page, "DAI")
    }).pipe(Effect.scoped)
  )
})
