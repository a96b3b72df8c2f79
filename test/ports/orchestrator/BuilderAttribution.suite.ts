/** Contract of every {@link BuilderAttribution}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Option, type Redacted } from "effect"
import type { Attribution } from "../../../src/domain/Builder.ts"
import { BuilderAttribution } from "../../../src/ports/orchestrator/BuilderAttribution.ts"

export interface Fixture {
  readonly known: ReadonlyArray<{ readonly apiKey: Redacted.Redacted; readonly attribution: Attribution }>
  readonly unknown: Redacted.Redacted
}

export const suite = <R>(
  name: string,
  environment: Layer.Layer<BuilderAttribution | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`BuilderAttribution by ${name}`, (it) => {
    it.effect("finds each key's builder, and nobody for an unknown key", () =>
      Effect.gen(function* () {
        const { known, unknown } = yield* fixture
        const service = yield* BuilderAttribution
        for (const _again of [1, 2]) {
          for (const { apiKey, attribution } of known) {
            assert.deepStrictEqual(yield* service.resolve(apiKey), Option.some(attribution))
          }
          assert.deepStrictEqual(yield* service.resolve(unknown), Option.none())
        }
      })
    )

    it.effect("keeps concurrent callers apart", () =>
      Effect.gen(function* () {
        const { known } = yield* fixture
        const service = yield* BuilderAttribution
        const found = yield* Effect.forEach([...known, ...known], ({ apiKey }) => service.resolve(apiKey), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(
          found,
          [...known, ...known].map(({ attribution }) => Option.some(attribution))
        )
      })
    )
  })
