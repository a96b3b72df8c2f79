/** Outside services that tell people about alerts, and one that notices when the service is silent. */
import { Context, type Effect, Schema } from "effect"
import type { AlertMessage } from "../../domain/AlertMessage.ts"

/** Names of destinations. They are part of stored records. */
export const DestinationName = Schema.Literals([
  "webhook",
  "slack",
  "pagerduty",
  "escalation_webhook",
  "escalation_slack",
  "escalation_pagerduty"
])
export type DestinationName = typeof DestinationName.Type

/** The destination did not accept the message. The detail has no URL, key or body. */
export class NotAccepted extends Schema.TaggedError<NotAccepted>()("NotAccepted", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface AlertDestination {
  readonly name: DestinationName
  /** True for a destination of the second rank. */
  readonly isEscalation: boolean
  /** Sends a message once, within a time limit. Repetitions with the same id are harmless. */
  readonly send: (message: AlertMessage) => Effect.Effect<void, NotAccepted>
}

/** The configured destinations. Default: none. */
export const AlertDestinations = Context.Reference<ReadonlyArray<AlertDestination>>("sweep/ports/AlertDestinations", {
  defaultValue: () => []
})

/** Tells a monitor that the service works. */
export type Heartbeat = Effect.Effect<void, NotAccepted>
