/** Why a webhook is not added, and why nothing is sent to it. */
import { Schema } from "effect"

export class WebhookLimit extends Schema.Error<WebhookLimit>("WebhookLimit")(
  { error: Schema.tag("webhook_limit") },
  { httpApiStatus: 409, description: "The builder has as many webhooks as it may have" }
) {
  readonly _tag = "WebhookLimit"
}

export class WebhookDisabled extends Schema.Error<WebhookDisabled>("WebhookDisabled")(
  { error: Schema.tag("webhook_disabled") },
  { httpApiStatus: 409, description: "The webhook is disabled: nothing is sent to it" }
) {
  readonly _tag = "WebhookDisabled"
}
