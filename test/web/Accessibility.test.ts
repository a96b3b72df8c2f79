/**
 * Every main page, light and dark, on a desk and on a phone: no finding of axe, nothing wider than the screen, nothing
 * loaded from elsewhere.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Ref } from "effect"
import type { Page } from "playwright-core"
import * as OrchestratorOperations from "../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { WebhookTransportState } from "../../src/adapters/memory/builder/WebhookTransport.ts"
import { BuilderSettings } from "../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../src/config/Builder.ts"
import { WebhookDelivery } from "../../src/builder/webhook/WebhookDelivery.ts"
import { parts } from "../ports/builder/OrchestratorOperations.suite.ts"
import * as Harness from "../server/builder/Harness.ts"
import { inspect, looks } from "./Accessibility.ts"
import * as Site from "./Site.ts"
import * as Steps from "./SweepSteps.ts"
import * as SweepSite from "./SweepSite.ts"
import * as Wallet from "./Wallet.ts"

const live = { excludeTestServices: true, timeout: "5 minutes" } as const

interface View {
  readonly name: string
  readonly path: string
  /** Seen once the page is there. */
  readonly heading: string
}

const DASHBOARD: ReadonlyArray<View> = [
  { name: "overview", path: "/app", heading: "Overview" },
  { name: "sweeps", path: "/app/sweeps", heading: "Sweeps" },
  { name: "activity", path: "/app/activity", heading: "Activity" },
  { name: "api-key", path: "/app/api-key", heading: "API keys" },
  { name: "quickstart", path: "/app/quickstart", heading: "Quickstart" },
  { name: "settings", path: "/app/settings", heading: "Settings" }
]

const LOOKS = looks(1280, 390)

const SWEEP_LOOKS = looks(1280, 360)

const visit = Effect.fnUntraced(function* (page: Page, views: ReadonlyArray<View>) {
  const findings = yield* Effect.forEach(
    views,
    Effect.fnUntraced(function* ({ heading, name, path }) {
      yield* Effect.promise(() => page.goto(path))
      yield* Effect.promise(() => page.getByRole("heading", { level: 1, name: heading }).waitFor())
      return yield* inspect(page, name, LOOKS)
    })
  )
  return findings.flat()
})

/** Two webhooks, one of them failing, with what was sent of a few sweeps. Answers with the failing one's id. */
const hearOfSweeps = Effect.fnUntraced(function* ({ cookie, id }: { readonly cookie: string; readonly id: string }) {
  const { runOnce } = yield* WebhookDelivery
  const transport = yield* WebhookTransportState
  const add = (body: unknown) => Harness.asBuilder(cookie)("POST /me/webhooks", { body })
  yield* add({ url: "https://hooks.example.com/sweeps/failures", events: ["sweep.failed"] })
  const webhook = yield* add({ url: "https://northwind.example.com/webhooks/sweeps", description: "production" })
  const atMs = (yield* Clock.currentTimeMillis) - 20_000
  yield* Site.reportSweep(id, { id: "heard", atMs, crossChain: true, statuses: ["submitted", "settled_source"] })
  yield* runOnce
  yield* Ref.update(transport, (state) => ({ ...state, answer: { statusCode: 503, response: '{"error":"busy"}' } }))
  yield* Site.reportSweep(id, { id: "heard", atMs, crossChain: true, statuses: ["delivered"] })
  yield* runOnce
  return Harness.text(webhook, "webhook", "id")
})

/** The app and its backend, which sends webhooks when told to. */
const services = WebhookDelivery.layerOnDemand.pipe(
  Layer.provide(BuilderSettings.layer(builderDefaults)),
  Layer.provideMerge(Site.layer({ operations: OrchestratorOperations.layer(parts) }))
)

/** A builder with a month of earnings and sweeps, and the pages that show them. */
const scene = Effect.gen(function* () {
  const builder = yield* Harness.signUp("Northwind Wallet")
  yield* Harness.asAdmin(`PATCH /admin/builders/${builder.id}`, {
    body: { builderBps: 30, maxBuilderBps: 100, payoutMode: "ledger" }
  })
  yield* Site.earnForAMonth(builder.id)
  yield* Site.sweepForAMonth(builder.id, 12)
  const webhook = yield* hearOfSweeps(builder)
  const dashboard: ReadonlyArray<View> = [
    ...DASHBOARD,
    { name: "sweep", path: "/app/sweeps/heard", heading: "Sweep" },
    { name: "webhooks", path: "/app/webhooks", heading: "Webhooks" }
  ]
  for (const name of ["Harbor Pay", "Kestrel Labs", "Tidewater"]) yield* Harness.signUp(name)
  const payout = yield* Harness.asAdmin("POST /admin/payouts", {
    body: { chainId: 42161, token: "0xd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1" }
  })
  const admin: ReadonlyArray<View> = [
    { name: "admin-builders", path: "/app/admin", heading: "Builders" },
    { name: "admin-builder", path: `/app/admin/builders/${builder.id}`, heading: "Northwind Wallet" },
    { name: "admin-payouts", path: "/app/admin/payouts", heading: "Payouts" },
    { name: "admin-payout", path: `/app/admin/payouts/${Harness.text(payout, "id")}`, heading: "Payout batch" },
    { name: "admin-money", path: "/app/admin/money", heading: "Money" },
    { name: "admin-revenue", path: "/app/admin/revenue", heading: "Revenue and treasury" },
    { name: "admin-fees", path: "/app/admin/fees", heading: "Collected fees" },
    { name: "admin-operations", path: "/app/admin/operations", heading: "Operations" },
    { name: "admin-alerts", path: "/app/admin/alerts", heading: "Alerts" },
    { name: "admin-audit", path: "/app/admin/audit", heading: "Audit log" }
  ]
  return { builder, webhook, dashboard, admin }
})

/** A visitor whose pages must not complain, nor load anything from elsewhere. */
const watched = Effect.gen(function* () {
  const { url } = yield* Site.Site
  const { complaints, page } = yield* Site.visitor()
  const foreign: Array<string> = []
  page.on("request", (request) => {
    const own = [url, Site.orchestratorUrl, "data:"]
    if (!own.some((prefix) => request.url().startsWith(prefix))) foreign.push(request.url())
  })
  yield* Site.priceUsdc(page)
  const isClean = Effect.sync(() => {
    assert.deepStrictEqual(complaints, [])
    assert.deepStrictEqual(foreign, [])
  })
  return { page, isClean }
})

const click = (page: Page, name: string) => Effect.promise(() => page.getByRole("button", { name }).click())

type Scene = Effect.Success<typeof scene>

/** A builder signs in and looks at every page. Returns the findings. */
const looksAsBuilder = Effect.fnUntraced(function* ({ builder, dashboard, webhook }: Scene) {
  const { isClean, page } = yield* watched
  const findings: Array<unknown> = []
  yield* Wallet.install(page, builder.account)
  yield* Effect.promise(() => page.goto("/app"))
  yield* Effect.promise(() => page.getByRole("button", { name: "Test Wallet" }).waitFor())
  findings.push(...(yield* inspect(page, "sign-in", LOOKS)))
  yield* click(page, "Test Wallet")
  yield* Effect.promise(() => page.getByRole("heading", { name: "Sign the message" }).waitFor())
  findings.push(...(yield* inspect(page, "sign-in-message", LOOKS)))
  yield* click(page, "Sign with Test Wallet")
  yield* Effect.promise(() => page.getByRole("heading", { name: "Overview" }).waitFor())
  findings.push(...(yield* visit(page, dashboard)))
  yield* Effect.promise(() => page.goto(`/app/webhooks/${webhook}`))
  yield* Effect.promise(() => page.getByRole("list", { name: "Deliveries" }).getByText("Retrying").click())
  findings.push(...(yield* inspect(page, "webhook", LOOKS)))
  yield* isClean
  return findings
}, Effect.scoped)

/** The operator opens the admin console and looks at every page. Returns the findings. */
const looksAsOperator = Effect.fnUntraced(function* ({ admin }: Scene) {
  const { isClean, page } = yield* watched
  const findings: Array<unknown> = []
  yield* Effect.promise(() => page.goto("/app/admin"))
  yield* Effect.promise(() => page.getByLabel("Admin token").waitFor())
  findings.push(...(yield* inspect(page, "admin-token", LOOKS)))
  yield* Effect.promise(() => page.getByLabel("Admin token").fill(Harness.ADMIN_TOKEN))
  yield* click(page, "Open the console")
  yield* Effect.promise(() => page.getByRole("heading", { name: "Builders", level: 1 }).waitFor())
  findings.push(...(yield* visit(page, admin)))
  yield* isClean
  return findings
}, Effect.scoped)

layer(services, live)("what people see", (it) => {
  it.effect(
    "is accessible and fits, in both themes and at both widths",
    () =>
      Effect.gen(function* () {
        const pages = yield* scene
        const findings = yield* Effect.all([looksAsBuilder(pages), looksAsOperator(pages)], { concurrency: 2 })
        assert.deepStrictEqual(findings.flat(), [])
      }),
    600_000
  )
})

/** Sweeps the tokens of an owner over two chains, and looks at every step. */
const sweepsAndLooks = Effect.gen(function* () {
  const { alpha, beta, complaints, info, key, page } = yield* Steps.person({
    DAI: "125.5",
    USDT: "1840.25",
    WETH: "0.31",
    FOT: "12",
    ETH: "0.05"
  })
  const allowed = [info.dashboardUrl, info.orchestratorUrl, alpha.dev.rpcUrl, beta.dev.rpcUrl, "data:"]
  const foreign: Array<string> = []
  page.on("request", (request) => {
    if (!allowed.some((url) => request.url().startsWith(url))) foreign.push(request.url())
  })
  const findings: Array<unknown> = []
  const looksAt = (name: string) =>
    Effect.map(inspect(page, `sweep-${name}`, SWEEP_LOOKS), (found) => void findings.push(...found))
  yield* Steps.opens(page)
  yield* Steps.reads(page, "Connect your wallet")
  yield* looksAt("connect")
  yield* Steps.usesKey(page, key)
  // The looks end on a phone, where the plan is a bar.
  yield* Effect.promise(() => page.setViewportSize({ width: 1280, height: 900 }))
  yield* click(page, "that cannot be swept")
  yield* Steps.takesAll(page)
  yield* Steps.goesTo(page, "USDC", "Beta")
  yield* Steps.reads(page, /asks 2 times/)
  yield* Steps.unfolds(page, /^Each of the/)
  yield* Steps.unfolds(page, "DAI on Alpha")
  yield* Steps.unfolds(page, "Exactly what is signed")
  yield* Steps.click(page, "Change the amount of DAI on Alpha")
  yield* looksAt("plan")
  yield* Steps.opensPlan(page)
  yield* looksAt("open-plan")
  yield* Steps.click(page, /^Sweep \d+ tokens$/)
  yield* Steps.reads(page, /^(\d+) of \1 delivered/)
  yield* Steps.reads(page, "Runs the sweep delegate")
  yield* looksAt("delivered")
  return { complaints, findings, foreign }
})

layer(SweepSite.layer, live)("what people who sweep see", (it) => {
  it.effect(
    "is accessible and fits down to 360 pixels, in both themes",
    () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* Effect.scoped(sweepsAndLooks), { complaints: [], findings: [], foreign: [] })
      }),
    600_000
  )
})
