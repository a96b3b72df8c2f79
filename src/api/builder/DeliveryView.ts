/** A delivery of a webhook. Separate from the webhooks to keep the pages small that show deliveries of a sweep. */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { WebhookMessageType } from "../../domain/Webhook.ts"

export const DeliveryState = Schema.Literals(["pending", "delivered", "failed"])

export const DeliveryView = Schema.Struct({
  id: described(Schema.String, "Identifier of the delivery."),
  webhookId: described(Schema.String, "Webhook that receives the message."),
  messageId: described(Schema.String, "Value of the `webhook-id` header."),
  type: described(WebhookMessageType, "Type of the message."),
  payload: described(Schema.String, "Body of the message as it is sent."),
  state: described(DeliveryState, "State of the delivery."),
  dueAtMs: described(
    Schema.optionalKey(Schema.Int),
    "UNIX time in milliseconds of the next attempt. Present while the delivery is pending."
  ),
  createdAtMs: described(Schema.Int, "UNIX time in milliseconds when the message was queued."),
  attempts: described(
    Schema.Array(
      Schema.Struct({
        atMs: described(Schema.Int, "UNIX time in milliseconds of the attempt."),
        durationMs: described(Schema.Int, "Duration of the attempt in milliseconds."),
        statusCode: described(
          Schema.optionalKey(Schema.Int),
          "Status code of the response. Absent without a response."
        ),
        error: described(Schema.optionalKey(Schema.String), "Reason why there was no response."),
        response: described(Schema.optionalKey(Schema.String), "First bytes of the response body.")
      }).annotate({ identifier: "WebhookAttempt" })
    ),
    "The newest 20 attempts, oldest first."
  )
}).annotate({ identifier: "WebhookDelivery" })
