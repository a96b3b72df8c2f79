/** Resolves API keys to builders through the builder backend. */
import { Context, type Effect, type Option, Schema, type Redacted } from "effect"
import type { Attribution } from "../../domain/Builder.ts"

/** The builder backend did not answer, or its answer was unusable. */
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
    /** The builder that owns the key; none if the key is unknown or revoked. */
    readonly resolve: (apiKey: Redacted.Redacted) => Effect.Effect<Option.Option<Attribution>, AttributionUnavailable>
  }
>()("sweep/ports/BuilderAttribution") {}
