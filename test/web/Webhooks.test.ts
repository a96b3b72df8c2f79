/** A builder's way through its webhooks, in a real browser, with a receiver that hears what the service sends. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { Webhook } from "standardwebhooks"
import * as WebhookTransportHttp from "../../src/adapters/http/WebhookTransportHttp.ts"
import { BuilderSettings } from "../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../src/config/Builder.ts"
import { WebhookDelivery } from "../../src/builder/webhook/WebhookDelivery.ts"
import * as Harness from "../server/builder/Harness.ts"
import { overflow, violations } from "./Accessibility.ts"
import * as Site from "./Site.ts"

const live = { excludeTestServices: true } as const

const webhooks = WebhookTransportHttp.layer({ allowPrivate: true })

/** The app and its backend, and the delivery on the same stores. */
const services = WebhookDelivery.layer.pipe(
  Layer.provide(webhooks),
  Layer.provide(
    BuilderSettings.layer({ ...builderDefaults, webhooks: { ...builderDefaults.webhooks, pollMillis: 50 } })
  ),
  Layer.provideMerge(Site.layer({ webhooks }))
)

interface Heard {
  readonly headers: Record<string, string>
  readonly body: string
}

/** A server that answers as it is told, and keeps what it hears. */
const receiver = Effect.acquireRelease(
  Effect.sync(() => {
    const state = { heard: [] as Array<Heard>, status: 204 }
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        state.heard.push({ headers: Object.fromEntries(request.headers), body: await request.text() })
        return new Response(state.status === 204 ? null : "busy, <b>later</b>", { status: state.status })
      }
    })
    return { state, server }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
).pipe(Effect.map(({ server, state }) => Object.assign(state, { url: `http://127.0.0.1:${server.port}/hook` })))

const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name })

const click = (page: Page, name: string | RegExp) => Effect.promise(() => button(page, name).click())

const sees = (page: Page, heading: string) =>
  Effect.promise(() => page.getByRole("heading", { name: heading, exact: true }).waitFor())

const reads = (page: Page, text: string | RegExp) => Effect.promise(() => page.getByText(text).first().waitFor())

const fill = (page: Page, label: string, value: string) =>
  Effect.promise(() => page.getByLabel(label, { exact: true }).fill(value))

/** Takes the secret that is shown this once. */
const takeSecret = Effect.fnUntraced(function* (page: Page) {
  const secret = yield* Effect.promise(() => page.getByTestId("secret").innerText())
  yield* Effect.promise(() => page.getByLabel("The secret is stored in a safe place").check())
  yield* click(page, "Done")
  return secret
})

const isFine = Effect.fnUntraced(function* (page: Page) {
  assert.deepStrictEqual(yield* violations(page), [])
  assert.isAtMost(yield* overflow(page), 0)
})

const typeOf = ({ body, headers }: Heard, secret: string) => {
  const message = new Webhook(secret).verify(body, headers)
  return typeof message === "object" && message !== null && "type" in message ? message.type : undefined
}

layer(services, live)("a builder", (it) => {
  it.effect("adds a webhook, tests it, sees what came of it, and sends it again", () =>
    Effect.gen(function* () {
      const server = yield* receiver
      const { cookie } = yield* Harness.signUp("Harbor Pay")
      const { complaints, page } = yield* Site.visitorOf(cookie)
      yield* Effect.promise(() => page.goto("/app"))
      yield* Effect.promise(() => page.getByRole("link", { name: "Webhooks" }).click())
      yield* reads(page, "No webhooks yet")
      yield* isFine(page)
      yield* click(page, "Add your first webhook")
      yield* fill(page, "URL", "ftp://127.0.0.1/hook")
      yield* click(page, "Add the webhook")
      yield* reads(page, "expected an https URL")
      yield* fill(page, "URL", server.url)
      yield* fill(page, "Description", "production")
      yield* isFine(page)
      yield* click(page, "Add the webhook")
      yield* sees(page, "The webhook's secret")
      const secret = yield* takeSecret(page)
      yield* reads(page, "No deliveries yet")
      assert.notInclude(yield* Effect.promise(() => page.content()), secret)

      server.status = 503
      yield* click(page, "Send a test event")
      yield* reads(page, "Retrying")
      const log = page.getByRole("list", { name: "Deliveries" })
      yield* Effect.promise(() => log.getByText("webhook.test", { exact: true }).click())
      yield* reads(page, "busy, <b>later</b>")
      yield* reads(page, /Next attempt:/)
      yield* reads(page, "Failing")
      yield* isFine(page)
      server.status = 204
      yield* click(page, /^Send again: webhook\.test/)
      yield* Effect.promise(() => log.getByText("Delivered", { exact: true }).waitFor())
      // The schedule may have tried it once more meanwhile.
      yield* reads(page, /· [23] attempts/)
      assert.isAtLeast(server.heard.length, 2)
      for (const heard of server.heard) assert.strictEqual(typeOf(heard, secret), "webhook.test")
      assert.lengthOf(
        new Set(server.heard.map(({ headers }) => headers["webhook-id"])),
        1,
        "each time the same message"
      )
      yield* reads(page, "Enabled")

      // 410 ends the delivery at once, and disables the webhook. All that failed is sent again together.
      server.status = 410
      yield* click(page, "Send a test event")
      yield* Effect.promise(() => log.getByText("Given up", { exact: true }).waitFor())
      yield* Effect.promise(() => page.getByLabel("State of the deliveries").selectOption({ label: "Failed" }))
      yield* Effect.promise(() => log.getByText("Delivered", { exact: true }).waitFor({ state: "detached" }))
      server.status = 204
      yield* click(page, "Enable")
      yield* reads(page, "The webhook is enabled.")
      yield* click(page, "Send all failed again")
      yield* isFine(page)
      yield* Effect.promise(() =>
        page.getByRole("dialog").getByRole("button", { name: "Send again", exact: true }).click()
      )
      yield* reads(page, "1 message is sent again.")
      yield* reads(page, "No delivery matches")
      yield* isFine(page)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("changes a webhook, pauses it, replaces its secret, and deletes it", () =>
    Effect.gen(function* () {
      const server = yield* receiver
      const { cookie, id: builderId } = yield* Harness.signUp("Kestrel Labs")
      const created = yield* Harness.asBuilder(cookie)("POST /me/webhooks", { body: { url: server.url } })
      const secret = Harness.text(created, "secret")
      const { page } = yield* Site.visitorOf(cookie, { viewport: { width: 360, height: 740 }, colorScheme: "dark" })
      yield* Effect.promise(() => page.goto("/app/webhooks"))
      yield* Effect.promise(() => page.getByRole("link", { name: server.url }).click())
      yield* sees(page, "Endpoint")
      yield* reads(page, "All events")

      yield* click(page, "Change")
      yield* Effect.promise(() => page.getByLabel("Only these").check())
      yield* click(page, "Save")
      yield* reads(page, "Choose at least one event.")
      yield* Effect.promise(() => page.getByLabel(/^sweep\.failed/).check())
      yield* isFine(page)
      yield* click(page, "Save")
      yield* reads(page, "The webhook is saved.")
      const atMs = yield* Clock.currentTimeMillis
      yield* Site.reportSweep(builderId, { id: "one", atMs, statuses: ["submitted", "failed"] })

      yield* click(page, "Replace")
      yield* click(page, "Keep the current secret")
      yield* click(page, "Replace")
      yield* click(page, "Replace the secret")
      yield* sees(page, "The new secret")
      const fresh = yield* takeSecret(page)
      yield* reads(page, /The replaced secret signs as well until/)
      yield* click(page, "Send a test event")
      yield* Effect.promise(() =>
        page.getByRole("list", { name: "Deliveries" }).getByText("webhook.test", { exact: true }).waitFor()
      )
      yield* Effect.promise(() => page.waitForFunction(() => !document.body.innerText.includes("Waiting")))
      const tested = server.heard.at(-1)
      if (tested === undefined) return assert.fail("nothing was heard")
      for (const each of [secret, fresh]) assert.strictEqual(typeOf(tested, each), "webhook.test")
      assert.deepStrictEqual(
        server.heard.map((heard) => typeOf(heard, secret)),
        ["sweep.failed", "webhook.test"]
      )

      yield* click(page, "Pause")
      yield* reads(page, "The webhook is paused.")
      // The message comes first, and the page's own state right after it.
      yield* Effect.promise(() => page.locator("button:disabled", { hasText: "Send a test event" }).waitFor())
      yield* isFine(page)
      yield* click(page, "Enable")
      yield* reads(page, "The webhook is enabled.")

      yield* click(page, "Delete")
      yield* click(page, "Delete the webhook")
      yield* reads(page, "No webhooks yet")
      yield* Effect.promise(() => page.goBack())
      yield* reads(page, "There is no such webhook")
    }).pipe(Effect.scoped)
  )

  it.effect("saves only what it changed on the page", () =>
    Effect.gen(function* () {
      const { cookie } = yield* Harness.signUp("Two tabs")
      const as = Harness.asBuilder(cookie)
      const body = { url: "http://127.0.0.1:9/old", description: "old", events: ["sweep.failed", "sweep.submitted"] }
      const path = `/me/webhooks/${Harness.text(yield* as("POST /me/webhooks", { body }), "webhook", "id")}`
      const { page } = yield* Site.visitorOf(cookie)
      yield* Effect.promise(() => page.goto(path.replace("/me", "/app")))
      yield* click(page, "Change")
      yield* Effect.promise(() => page.getByLabel("Description").waitFor())
      yield* as(`PATCH ${path}`, { body: { url: "http://127.0.0.1:9/new", events: [] } })
      yield* fill(page, "Description", "new")
      yield* click(page, "Save")
      yield* reads(page, "The webhook is saved.")
      const kept = yield* as("GET /me/webhooks")
      assert.deepStrictEqual(
        ["url", "description", "events"].map((name) => Harness.field(kept, "webhooks", 0, name)),
        ["http://127.0.0.1:9/new", "new", []]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("filters deliveries by event, day and sweep, and goes from one to its sweep and back", () =>
    Effect.gen(function* () {
      const server = yield* receiver
      server.status = 410
      const { cookie, id: builderId } = yield* Harness.signUp("Ferry")
      const as = Harness.asBuilder(cookie)
      const created = yield* as("POST /me/webhooks", { body: { url: server.url } })
      const hook = Harness.text(created, "webhook", "id")
      const atMs = yield* Clock.currentTimeMillis
      yield* Site.reportSweep(builderId, { id: "ferry-1", atMs, statuses: ["submitted"] })
      const { page } = yield* Site.visitorOf(cookie, { viewport: { width: 390, height: 800 } })
      yield* Effect.promise(() => page.goto(`/app/webhooks/${hook}`))
      const log = page.getByRole("list", { name: "Deliveries", exact: true })
      yield* Effect.promise(() => log.getByText("Given up", { exact: true }).waitFor())
      server.status = 204
      yield* click(page, "Enable")
      yield* reads(page, "The webhook is enabled.")
      yield* Site.reportSweep(builderId, { id: "ferry-2", atMs, statuses: ["submitted", "failed"] })
      const entries = (count: number) =>
        Effect.promise(() =>
          page.waitForFunction(
            (expected) => document.querySelectorAll('ul[aria-label="Deliveries"] > li').length === expected,
            count
          )
        )
      yield* Effect.promise(() => page.getByLabel("Event", { exact: true }).selectOption("sweep.submitted"))
      yield* entries(2)
      yield* Effect.promise(() => page.getByLabel("State of the deliveries").selectOption("failed"))
      yield* entries(1)
      yield* reads(page, "Send the failed of these again")
      yield* fill(page, "To (UTC)", "2020-01-01")
      yield* reads(page, "No delivery matches")
      yield* isFine(page)
      // The filters are part of the address.
      assert.match(page.url(), /\?(?=.*type=sweep\.submitted)(?=.*status=failed)(?=.*to=)/)
      yield* click(page, "Clear filters")
      yield* entries(3)
      yield* fill(page, "Search", "ferry-2")
      yield* click(page, "Search")
      yield* entries(2)
      yield* Effect.promise(() => log.getByText("sweep.failed", { exact: true }).click())
      yield* Effect.promise(() => log.getByRole("link", { name: "Open the sweep" }).last().click())
      yield* sees(page, "Webhook deliveries")
      yield* reads(page, "A failed sweep earns nothing.")
      yield* isFine(page)
      const own = page.getByRole("list", { name: "Deliveries of this sweep" })
      yield* Effect.promise(() => own.getByRole("link", { name: "sweep.failed" }).click())
      yield* entries(1)
    }).pipe(Effect.scoped)
  )
})
