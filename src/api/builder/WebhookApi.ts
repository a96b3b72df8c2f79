/** Builders' own webhooks (Standard Webhooks): endpoints, their secrets, and the log of what was sent. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DisabledReason, MAX_URL_LENGTH, WebhookEventType, WebhookMessageType } from "../../domain/Webhook.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { InvalidRequest } from "./Errors.ts"
import { WebhookDisabled, WebhookLimit } from "./WebhookErrors.ts"
import { DetailedBody, SameSiteOnly, SessionOnly } from "./Middleware.ts"
import { Ok, page } from "./AccountSchemas.ts"
import * as Docs from "./WebhookDocs.ts"

const Url = Schema.String.check(
  Schema.isMaxLength(MAX_URL_LENGTH, { message: `expected a URL of at most ${MAX_URL_LENGTH} characters` })
).annotate({ description: "https; its host must have public addresses alone" })

const Description = Schema.String.check(
  Schema.isPattern(/^[^\p{Cc}\p{Zl}\p{Zp}]{0,200}$/u, { message: "expected at most 200 characters" })
)

const Events = Schema.Array(WebhookEventType)
  .check(
    Schema.isUnique({ message: "expected each type once" }),
    Schema.isMaxLength(WebhookEventType.literals.length, { message: "expected each type once" })
  )
  .annotate({ description: "what it is told; everything when empty" })

export const WebhookRequest = Schema.Struct({
  url: Url,
  description: Schema.optionalKey(Description),
  events: Schema.optionalKey(Events)
}).annotate({ identifier: "WebhookRequest" })

export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(Url),
  description: Schema.optionalKey(Description),
  events: Schema.optionalKey(Events),
  enabled: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "WebhookPatch", description: "What is absent stays as it is" })

export const WebhookView = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  description: Schema.String,
  events: Events,
  enabled: Schema.Boolean,
  disabledReason: Schema.optionalKey(DisabledReason).annotate({
    description:
      "`paused` by the builder, `gone`: the endpoint answered 410, `failing`: everything failed for five days; absent while it is enabled"
  }),
  disabledAtMs: Schema.optionalKey(Schema.Int),
  failingSinceMs: Schema.optionalKey(Schema.Int).annotate({
    description: "the first failure since the last success; absent while there is none"
  }),
  previousSecretUntilMs: Schema.optionalKey(Schema.Int).annotate({
    description: "until when the replaced secret signs as well; absent when it does not"
  }),
  createdAtMs: Schema.Int
}).annotate({ identifier: "Webhook" })

export const WebhooksView = Schema.Struct({ webhooks: Schema.Array(WebhookView) }).annotate({ identifier: "Webhooks" })

export const WebhookWithSecret = Schema.Struct({
  webhook: WebhookView,
  secret: Schema.String.annotate({ description: "shown once: `whsec_` and the base64 of the key" })
}).annotate({ identifier: "WebhookWithSecret" })

export const DeliveryView = Schema.Struct({
  id: Schema.String,
  webhookId: Schema.String,
  messageId: Schema.String.annotate({ description: "the `webhook-id` header" }),
  type: WebhookMessageType,
  payload: Schema.String.annotate({ description: "the body, as it is sent" }),
  state: Schema.Literals(["pending", "delivered", "failed"]),
  dueAtMs: Schema.optionalKey(Schema.Int).annotate({ description: "the next attempt; only while it is pending" }),
  createdAtMs: Schema.Int,
  attempts: Schema.Array(
    Schema.Struct({
      atMs: Schema.Int,
      durationMs: Schema.Int,
      statusCode: Schema.optionalKey(Schema.Int),
      error: Schema.optionalKey(Schema.String).annotate({ description: "why there was no answer" }),
      response: Schema.optionalKey(Schema.String).annotate({ description: "the beginning of the answer's body" })
    }).annotate({ identifier: "WebhookAttempt" })
  ).annotate({ description: "oldest first" })
}).annotate({ identifier: "WebhookDelivery" })

export const DeliveriesPage = Schema.Struct({
  deliveries: Schema.Array(DeliveryView),
  nextCursor: Schema.optionalKey(Schema.String).annotate({ description: "absent on the last page" })
}).annotate({ identifier: "WebhookDeliveriesPage" })

const failures = [Unavailable, InternalError] as const
const params = { id: Schema.String }
const accepted = DeliveryView.pipe(HttpApiSchema.status(202))

export const MyWebhooks = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("list", "/me/webhooks", { success: WebhooksView, error: failures }).annotateMerge(Docs.list),
    HttpApiEndpoint.post("create", "/me/webhooks", {
      payload: WebhookRequest,
      success: WebhookWithSecret.pipe(HttpApiSchema.status(201)),
      error: [WebhookLimit, InvalidRequest, ...failures]
    })
      .middleware(DetailedBody)
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.create),
    HttpApiEndpoint.patch("patch", "/me/webhooks/:id", {
      params,
      payload: WebhookPatch,
      success: WebhookView,
      error: [NotFound, InvalidRequest, ...failures]
    })
      .middleware(DetailedBody)
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.patch),
    HttpApiEndpoint.delete("remove", "/me/webhooks/:id", { params, success: Ok, error: [NotFound, ...failures] })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.remove),
    HttpApiEndpoint.post("rotateSecret", "/me/webhooks/:id/secret/rotate", {
      params,
      success: WebhookWithSecret,
      error: [NotFound, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.rotateSecret),
    HttpApiEndpoint.post("test", "/me/webhooks/:id/test", {
      params,
      success: accepted,
      error: [NotFound, WebhookDisabled, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.test),
    HttpApiEndpoint.get("deliveries", "/me/webhooks/:id/deliveries", {
      params,
      query: page,
      success: DeliveriesPage,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.deliveries),
    HttpApiEndpoint.post("replay", "/me/webhooks/deliveries/:id/replay", {
      params,
      success: accepted,
      error: [NotFound, WebhookDisabled, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.replay)
  )
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(
    OpenApi.annotations({ description: "A signed-in builder's webhooks, in the Standard Webhooks format." })
  )
