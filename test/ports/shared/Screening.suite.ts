/** Contract of every {@link Screening}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"

export interface Fixture {
  readonly chainId: ChainId
  readonly clear: ReadonlyArray<Address.Address>
  readonly listed: Address.Address
}

export const suite = <R>(
  name: string,
  environment: Layer.Layer<Screening | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`Screening by ${name}`, (it) => {
    it.effect("lets clear addresses pass, one, many and repeated", () =>
      Effect.gen(function* () {
        const { chainId, clear } = yield* fixture
        const screening = yield* Screening
        for (const each of clear) yield* screening.clear(chainId, [each])
        yield* screening.clear(chainId, [...clear, ...clear])
      })
    )

    it.effect("blocks a listed address wherever it stands", () =>
      Effect.gen(function* () {
        const { chainId, clear, listed } = yield* fixture
        const screening = yield* Screening
        for (const addresses of [[listed], [listed, ...clear], [...clear, listed], [listed, listed]]) {
          const blocked = yield* Effect.flip(screening.clear(chainId, addresses))
          assert.strictEqual(blocked.cause, "listed")
        }
      })
    )

    it.effect("does not tell a client whom it blocked", () =>
      Effect.gen(function* () {
        const { chainId, listed } = yield* fixture
        const blocked = yield* Effect.flip((yield* Screening).clear(chainId, [listed]))
        assert.notInclude(JSON.stringify({ ...blocked, message: blocked.message }).toLowerCase(), listed.toLowerCase())
      })
    )

    it.effect("does not let one request's verdict reach another", () =>
      Effect.gen(function* () {
        const { chainId, clear, listed } = yield* fixture
        const screening = yield* Screening
        const [blocked, passed] = yield* Effect.all(
          [Effect.exit(screening.clear(chainId, [listed])), Effect.exit(screening.clear(chainId, clear))],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([blocked._tag, passed._tag], ["Failure", "Success"])
      })
    )
  })
