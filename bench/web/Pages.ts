/** Every main page, with what its visitor's browser has before it is opened. */
import { Effect, Layer, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { Page } from "playwright-core"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as OrchestratorOperations from "../../src/adapters/memory/builder/OrchestratorOperations.ts"
import * as Postgres from "../../src/devnet/Postgres.ts"
import { parts } from "../../test/ports/builder/OrchestratorOperations.suite.ts"
import * as Harness from "../../test/server/builder/Harness.ts"
import * as EmbeddingApp from "../../test/web/EmbeddingApp.ts"
import * as Site from "../../test/web/Site.ts"
import * as Wallet from "../../test/web/Wallet.ts"
import * as HostPage from "./HostPage.ts"
import * as Orchestrator from "./Orchestrator.ts"

export interface WebPage {
  readonly name: string
  readonly url: string
  /** Text of the heading that the page has once its data are shown. */
  readonly heading: string
  /** Most bytes that the page may load, compressed. Default: any number. */
  readonly mostBytes?: number
  /** Prepares the visitor's browser. */
  readonly prepare: (page: Page) => Effect.Effect<unknown>
}

const KILO = 1_000

/** Bytes of the sweep page, compressed. */
export const SWEEP_BYTES = 120 * KILO

/** The services without their logs, and a browser: on a database of their own. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const server = yield* Postgres.start({ durable: false })
    const url = yield* server.createDatabase("bench")
    const orchestratorUrl = yield* Orchestrator.start
    const database = PgClient.layer({ url: Redacted.make(url), maxConnections: 5 }).pipe(
      Layer.provide(Reactivity.layer)
    )
    return Site.layerOn(database, {
      settings: { orchestratorUrl },
      operations: OrchestratorOperations.layer(parts)
    })
  })
)

const asNobody = () => Effect.void

/** Somebody who signed in on an earlier visit. */
const asBuilder = (url: string, cookie: string) => {
  const [name = "", value = ""] = cookie.split("=")
  return (page: Page) =>
    Effect.promise(async () => {
      await page.context().addCookies([{ name, value, url, httpOnly: true, secure: true }])
      await page.addInitScript(() => localStorage.setItem("sweep-wallet", "com.example.wallet"))
    })
}

const asOperator = (page: Page) =>
  Effect.promise(() =>
    page.addInitScript((token) => sessionStorage.setItem("sweep-admin-token", token), Harness.ADMIN_TOKEN)
  )

/** Somebody whose wallet is known to the page from an earlier visit, or not. */
export const asOwner = (isKnown: boolean, account = privateKeyToAccount(generatePrivateKey())) =>
  Effect.fnUntraced(function* (page: Page) {
    yield* Wallet.install(page, account, { signsAuthorizations: true })
    if (!isKnown) return
    yield* Effect.promise(() =>
      page.addInitScript(() => localStorage.setItem("sweep-owner-wallet", "com.example.wallet"))
    )
  })

/** A builder with a month of earnings and sweeps, and the pages of the site. */
export const make = Effect.gen(function* () {
  const { url } = yield* Site.Site
  const builder = yield* Harness.signUp("Northwind Wallet")
  yield* Site.earnForAMonth(builder.id)
  const sweeps = yield* Site.sweepForAMonth(builder.id)
  const host = yield* HostPage.start
  const orchestratorUrl = Harness.text(yield* Harness.ask("GET /deployment"), "orchestratorUrl")
  const page = (prepare: WebPage["prepare"]) => (name: string, path: string, heading: string) => ({
    name,
    url: `${url}${path}`,
    heading,
    prepare
  })
  const [open, dashboard, console] = [page(asNobody), page(asBuilder(url, builder.cookie)), page(asOperator)]
  const pages: ReadonlyArray<WebPage> = [
    { ...open("sweep page", "/app/sweep", "Connect your wallet"), mostBytes: SWEEP_BYTES, prepare: asOwner(false) },
    { ...open("sweep page, connected", "/app/sweep", "Your tokens"), mostBytes: SWEEP_BYTES, prepare: asOwner(true) },
    {
      name: "widget in another app",
      url: EmbeddingApp.addressOf(host, { orchestrator: orchestratorUrl, key: generatePrivateKey(), chainId: 8453 }),
      heading: "Your tokens",
      prepare: asNobody
    },
    open("dashboard, sign-in", "/app/sign-in", "Sign in"),
    dashboard("dashboard, overview", "/app", "Overview"),
    dashboard("dashboard, sweeps", "/app/sweeps", "Sweeps"),
    dashboard("dashboard, a sweep", `/app/sweeps/${sweeps[0] ?? ""}`, "Sweep"),
    dashboard("dashboard, activity", "/app/activity", "Activity"),
    dashboard("dashboard, webhooks", "/app/webhooks", "Webhooks"),
    dashboard("dashboard, quickstart", "/app/quickstart", "Quickstart"),
    dashboard("dashboard, API keys", "/app/api-key", "API keys"),
    open("console, token", "/app/admin", "Admin console"),
    console("console, builders", "/app/admin", "Builders"),
    console("console, money", "/app/admin/money", "Money"),
    console("console, operations", "/app/admin/operations", "Operations"),
    console("console, controls", "/app/admin/controls", "Controls"),
    console("console, alerts", "/app/admin/alerts", "Alerts"),
    console("console, a sweep's story", "/app/admin/sweeps/rests", "Sweep"),
    open("documentation", "/docs", "Documentation"),
    open("documentation, a tutorial", "/docs/tutorial/first-sweep", "First sweep")
  ]
  return pages
})
