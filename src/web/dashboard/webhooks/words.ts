/** Texts about webhooks and deliveries, and the limit of their number. */
import type { WebhookEventType, WebhookMessageType } from "../../../domain/Webhook.ts"
import type { Tone } from "../../ui/Badge.tsx"
import type { Delivery, Webhook } from "./queries.ts"

export const EVENTS: ReadonlyArray<readonly [type: WebhookEventType, meaning: string]> = [
  ["sweep.submitted", "its owner signed it, and the service took it"],
  ["sweep.settled_source", "it ran on the source chain"],
  ["sweep.delivered", "it arrived"],
  ["sweep.failed", "it will not happen"]
]

export const MESSAGE_TYPES: ReadonlyArray<WebhookMessageType> = [...EVENTS.map(([type]) => type), "webhook.test"]

/** Maximum number of webhooks of one builder, as the service has it. */
export const MAX_ENDPOINTS = 10

export const eventsText = ({ events }: Webhook): string => (events.length === 0 ? "All events" : events.join(", "))

export const stateOf = ({ disabledReason, enabled, failingSinceMs }: Webhook): readonly [label: string, tone: Tone] => {
  if (!enabled) return disabledReason === "paused" ? ["Paused", "neutral"] : ["Disabled", "bad"]
  return failingSinceMs === undefined ? ["Enabled", "good"] : ["Failing", "warn"]
}

/** The reason why deliveries fail or have stopped. Undefined if the webhook is healthy. */
export const troubleOf = ({ disabledReason, enabled, failingSinceMs }: Webhook): string | undefined => {
  if (enabled) {
    return failingSinceMs === undefined
      ? undefined
      : "No recent delivery succeeded. Each message is retried for about three days. After five days without a success, the webhook is disabled."
  }
  switch (disabledReason) {
    case "gone":
      return "Your endpoint answered 410, which means that it accepts no more messages. Nothing is sent or kept for it until you enable it."
    case "failing":
      return "All deliveries failed for five days. Nothing is sent or kept for it until you enable it."
    default:
      return "You paused it. New events are not kept for it. Pending deliveries continue when you enable it."
  }
}

export const deliveryStateOf = ({ attempts, state }: Delivery): readonly [label: string, tone: Tone] => {
  switch (state) {
    case "delivered":
      return ["Delivered", "good"]
    case "failed":
      return ["Given up", "bad"]
    case "pending":
      return attempts.length === 0 ? ["Waiting", "accent"] : ["Retrying", "warn"]
  }
}

type Attempt = Delivery["attempts"][number]

/** `204 in 35 ms`, or the reason why there was no response. */
export const attemptText = ({ durationMs, error, statusCode }: Attempt): string =>
  statusCode === undefined ? `No answer: ${error ?? "unknown"}` : `${statusCode} in ${durationMs.toLocaleString()} ms`

export const isAccepted = ({ statusCode }: Attempt): boolean =>
  statusCode !== undefined && statusCode >= 200 && statusCode < 300
