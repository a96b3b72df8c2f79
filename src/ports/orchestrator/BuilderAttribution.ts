/** Who gets the markup: the builder backend's answer to an API key. */
import { Context, type Effect, type Option, Schema, type Redacted } from "effect"
import type { Attribution } from "../../domain/Builder.ts"

export class AttributionUnavailable extends Schema.TaggedError<AttributionUnavailable>()("AttributionUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the builder backend is unavailable: ${this.detail}`
  }
}

export class BuilderAttribution extends Context.Service<
  BuilderAttribution,
  {
    /** The builder that the key belongs to; none when the key is unknown or revoked. */
    readonly resolve: (apiKey: Redacted.Redacted) => Effect.Effect<Option.Option<Attribution>, AttributionUnavailable>
  }
>()("sweep/ports/BuilderAttribution") {}
