/** The delivery of webhooks as a process of its own: `bun webhookProcess.ts <database url> <lease in milliseconds>`. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Logger, Redacted } from "effect"
import * as WebhookTransportHttp from "../../../src/adapters/http/WebhookTransportHttp.ts"
import { BuilderSettings } from "../../../src/builder/shared/BuilderSettings.ts"
import { builderDefaults } from "../../../src/config/Builder.ts"
import { WebhookDelivery } from "../../../src/builder/webhook/WebhookDelivery.ts"
import * as Server from "./Server.ts"

const [databaseUrl = "", lease] = process.argv.slice(2)

const stores = Server.stores.pipe(Layer.provide(PgClient.layer({ url: Redacted.make(databaseUrl) })))

const delivery = WebhookDelivery.layer.pipe(
  Layer.provide(stores),
  Layer.provide(WebhookTransportHttp.layer({ allowPrivate: true })),
  Layer.provide(
    BuilderSettings.layer({
      ...builderDefaults,
      webhooks: { ...builderDefaults.webhooks, pollMillis: 50, leaseMillis: Number(lease) }
    })
  ),
  Layer.provide(Logger.layer([]))
)

await Effect.runPromise(
  Effect.promise(() => Bun.write(Bun.stdout, "running\n")).pipe(Effect.andThen(Effect.never), Effect.provide(delivery))
)
