/** Webhooks of builders (Standard Webhooks): endpoints, their secrets, and the log of deliveries. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  DELIVERIES_LISTED,
  DisabledReason,
  MAX_URL_LENGTH,
  WebhookEventType,
  WebhookMessageType
} from "../../domain/Webhook.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { InvalidRequest } from "./Errors.ts"
import { WebhookDisabled, WebhookLimit, WebhookTestPending } from "./WebhookErrors.ts"
import { DetailedBody, SameSiteOnly, SessionOnly } from "./Middleware.ts"
import { cursor, Ok, page, PageSize, period, search } from "./AccountSchemas.ts"
import * as Docs from "./WebhookDocs.ts"
import { described } from "../../domain/Described.ts"
import * as LimitedArray from "../../domain/LimitedArray.ts"
import { DeliveryState, DeliveryView } from "./DeliveryView.ts"
import { plainText } from "../../domain/PlainText.ts"

const Url = described(
  Schema.String.check(
    Schema.isMaxLength(MAX_URL_LENGTH, { message: `expected a URL of at most ${MAX_URL_LENGTH} characters` })
  ),
  "HTTPS URL whose host resolves to public addresses only."
)

const Description = plainText({ minimum: 0, maximum: 200 })

const NOTE = "Note of the builder, at most 200 characters."
const EVENTS = "Event types that are sent. All if the list is empty."

const Events = Schema.Array(WebhookEventType).check(
  Schema.isUnique({ message: "expected each type once" }),
  Schema.isMaxLength(WebhookEventType.literals.length, { message: "expected each type once" })
)

const RequestedEvents = LimitedArray.lengthFirst(Events)

export const WebhookRequest = Schema.Struct({
  url: Url,
  description: described(Schema.optionalKey(Description), NOTE),
  events: described(Schema.optionalKey(RequestedEvents), EVENTS)
}).annotate({ identifier: "WebhookRequest" })

export const WebhookPatch = Schema.Struct({
  url: Schema.optionalKey(Url),
  description: described(Schema.optionalKey(Description), NOTE),
  events: described(Schema.optionalKey(RequestedEvents), EVENTS),
  enabled: described(Schema.optionalKey(Schema.Boolean), "False to pause the webhook, true to resume it.")
}).annotate({ identifier: "WebhookPatch", description: "Absent fields are not changed" })

export const WebhookView = Schema.Struct({
  id: described(Schema.String, "Identifier of the webhook."),
  url: described(Schema.String, "URL that receives the messages."),
  description: described(Schema.String, NOTE),
  events: described(Events, EVENTS),
  enabled: described(Schema.Boolean, "True if messages are sent."),
  disabledReason: described(
    Schema.optionalKey(DisabledReason),
    "`paused`: by the builder. `gone`: the endpoint answered 410. `failing`: every attempt failed for five days. Absent while enabled."
  ),
  disabledAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds when it was disabled. Absent while enabled."
  ),
  failingSinceMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds of the first failure since the last success. Absent if there is none."
  ),
  previousSecretUntilMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds until which the replaced secret signs as well. Absent if it does not."
  ),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the webhook was added.")
}).annotate({ identifier: "Webhook" })

export const WebhooksView = Schema.Struct({
  webhooks: described(Schema.Array(WebhookView), "Webhooks, oldest first.")
}).annotate({ identifier: "Webhooks" })

export const WebhookWithSecret = Schema.Struct({
  webhook: described(WebhookView, "The webhook."),
  secret: described(Schema.String, "Signing secret: `whsec_` and the key in base64. It is shown only once.")
}).annotate({ identifier: "WebhookWithSecret" })

export const DeliveriesPage = Schema.Struct({
  deliveries: described(Schema.Array(DeliveryView), "Deliveries, newest first."),
  nextCursor: cursor
}).annotate({ identifier: "WebhookDeliveriesPage" })

export const ReplayedView = Schema.Struct({
  queued: described(Schema.Int, "Number of failed deliveries that are sent again now."),
  more: described(Schema.Boolean, "True if there may be others: repeat the request.")
}).annotate({ identifier: "ReplayedDeliveries" })

/** Query parameters that select deliveries. */
const filter = {
  type: described(Schema.optionalKey(WebhookMessageType), "Only messages of this type."),
  ...period
}

const failures = [Unavailable, InternalError] as const
const params = { id: described(Schema.String, "Identifier of the webhook.") }
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
      error: [NotFound, WebhookDisabled, WebhookTestPending, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.test),
    HttpApiEndpoint.get("deliveries", "/me/webhooks/:id/deliveries", {
      params,
      query: {
        ...page,
        limit: described(
          Schema.optionalKey(PageSize),
          `Rows of the page, from 1 to 500. A page has at most ${DELIVERIES_LISTED} rows. Default: ${DELIVERIES_LISTED}.`
        ),
        state: described(Schema.optionalKey(DeliveryState), "Only deliveries in this state."),
        ...filter,
        ...search("Only deliveries of this message, or about the sweep with this id.")
      },
      success: DeliveriesPage,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.deliveries),
    HttpApiEndpoint.post("replayFailed", "/me/webhooks/:id/replay-failed", {
      params,
      query: filter,
      success: ReplayedView.pipe(HttpApiSchema.status(202)),
      error: [NotFound, WebhookDisabled, ...failures]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.replayFailed),
    HttpApiEndpoint.post("replay", "/me/webhooks/deliveries/:id/replay", {
      params: { id: described(Schema.String, "Identifier of the delivery.") },
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
