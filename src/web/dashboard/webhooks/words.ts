/** What is said of webhooks and of what was sent to them. */
import type { WebhookEventType } from "../../../domain/Webhook.ts"
import type { Tone } from "../../ui/Badge.tsx"
import type { Delivery, Webhook } from "./queries.ts"

export const EVENTS: ReadonlyArray<readonly [type: WebhookEventType, meaning: string]> = [
  ["sweep.submitted", "its owner signed it, and the service took it"],
  ["sweep.settled_source", "it ran on the source chain"],
  ["sweep.delivered", "it arrived"],
  ["sweep.failed", "it will not happen"]
]

export const eventsText = ({ events }: Webhook): string => (events.length === 0 ? "All events" : events.join(", "))

export const stateOf = ({ disabledReason, enabled, failingSinceMs }: Webhook): readonly [label: string, tone: Tone] => {
  if (!enabled) return disabledReason === "paused" ? ["Paused", "neutral"] : ["Disabled", "bad"]
  return failingSinceMs === undefined ? ["Enabled", "good"] : ["Failing", "warn"]
}

/** Why nothing, or nothing any more, arrives; undefined while all is well. */
export const troubleOf = ({ disabledReason, enabled, failingSinceMs }: Webhook): string | undefined => {
  if (enabled) {
    return failingSinceMs === undefined
      ? undefined
      : "Nothing that was sent was accepted lately. Each message is tried again for about three days; after five days without a success the webhook is disabled."
  }
  switch (disabledReason) {
    case "gone":
      return "Your endpoint answered 410, which says that it wants no more. Nothing is sent or kept for it until you enable it."
    case "failing":
      return "Everything failed for five days. Nothing is sent or kept for it until you enable it."
    default:
      return "You paused it. What happens meanwhile is not kept for it; what was waiting goes on once you enable it."
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

/** `204 in 35 ms`, or why there was no answer. */
export const attemptText = ({ durationMs, error, statusCode }: Attempt): string =>
  statusCode === undefined ? `No answer: ${error ?? "unknown"}` : `${statusCode} in ${durationMs.toLocaleString()} ms`

export const isAccepted = ({ statusCode }: Attempt): boolean =>
  statusCode !== undefined && statusCode >= 200 && statusCode < 300
