/** The failure of every request to an outside service. */
import { Schema } from "effect"

/**
 * The provider was not asked, did not answer, or its answer was unusable. Retry later. The detail may be logged: it has no body, key or
 * URL.
 */
export class ProviderUnavailable extends Schema.TaggedError<ProviderUnavailable>()("ProviderUnavailable", {
  provider: Schema.String,
  detail: Schema.String,
  /** `waiting`: no request was sent, because of a pause, a budget or failures before. `failed`: a request was sent and failed. */
  reason: Schema.Literals(["waiting", "failed"]),
  /**
   * Cause of a failure beside the provider. `subject`: what was asked about, as with a timeout. `size`: the
   * answer is too large, which says nothing of the provider. Default: the provider alone.
   */
  blame: Schema.optionalKey(Schema.Literals(["subject", "size"])),
  /** True if no answer came in time, or if the key was refused. Default: false. */
  isOutage: Schema.optionalKey(Schema.Boolean),
  /** Milliseconds until a request can succeed, if known. From a reader of answers: pauses the provider for this time. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {
  override get message(): string {
    return `${this.provider} is unavailable: ${this.detail}`
  }
}
