/** Errors of webhooks. */
import { Schema } from "effect"
import { code } from "../shared/Errors.ts"

export class WebhookLimit extends Schema.Error<WebhookLimit>("WebhookLimit")(
  { error: code("webhook_limit") },
  { httpApiStatus: 409, description: "The builder has the maximum number of webhooks" }
) {
  readonly _tag = "WebhookLimit"
}

export class WebhookDisabled extends Schema.Error<WebhookDisabled>("WebhookDisabled")(
  { error: code("webhook_disabled") },
  { httpApiStatus: 409, description: "The webhook is disabled. Enable it first" }
) {
  readonly _tag = "WebhookDisabled"
}

export class WebhookTestPending extends Schema.Error<WebhookTestPending>("WebhookTestPending")(
  { error: code("webhook_test_pending") },
  {
    httpApiStatus: 409,
    description: "A test message of the webhook is pending. Wait for its outcome, or send it again"
  }
) {
  readonly _tag = "WebhookTestPending"
}
