/** Credits of owners are read once while nobody loses. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Stored from "../../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Address from "../../../src/domain/Address.ts"
import { EMPTY, type Sums } from "../../../src/domain/Exposure.ts"
import { ChainLosses } from "../../../src/orchestrator/shared/ChainLosses.ts"
import * as OwnerCredits from "../../../src/orchestrator/relay/OwnerCredits.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { address } from "../../support/FakeChain.ts"
import { source, TOKEN } from "../../support/RelayFixtures.ts"

const HOUR = 3_600_000

const [owner, other] = [address(1), address(2)]

it.effect("a credit that suffices is not read again for an hour, unless sweeps have lost", () =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    let listed: Sums = EMPTY
    let unlisted: Sums = EMPTY
    let settled = 10n
    const stored = yield* Exposures
    const exposures = Exposures.of({
      ...stored,
      paid: (chainId, owners) =>
        Effect.sync(() => {
          asked.push(...owners.map((each) => `${chainId}:${each}`))
          const rows = [
            { owner, token: TOKEN, settled, failed: 2n },
            // A fee in an unlisted token is no credit, and its failure counts.
            { owner, token: address(0x77), settled: 100n, failed: 1n }
          ]
          return rows.filter((row) => owners.includes(row.owner))
        })
    })
    const losses = ChainLosses.of({
      of: () => Effect.sync(() => ({ listed, unlisted, first: { any: EMPTY, unfunded: EMPTY } })),
      changed: () => undefined
    })
    const creditsOf = yield* Effect.provide(
      OwnerCredits.make,
      Layer.mergeAll(Layer.succeed(Exposures, exposures), Layer.succeed(ChainLosses, losses))
    )
    const ask = (wei: bigint) =>
      Effect.map(creditsOf(source, new Map([[owner, wei]])), (credits) => [credits.get(owner), asked.splice(0).length])

    assert.deepStrictEqual(yield* ask(4n), [4n, 1])
    assert.deepStrictEqual(yield* ask(4n), [4n, 0])
    settled = 20n
    assert.deepStrictEqual(yield* ask(5n), [14n, 1])
    assert.deepStrictEqual(yield* ask(14n), [14n, 0])
    listed = { ...EMPTY, day: { lost: 1n, earned: 0n } }
    settled = 6n
    assert.deepStrictEqual(yield* ask(5n), [0n, 1])
    listed = EMPTY
    unlisted = { ...EMPTY, day: { lost: 1n, earned: 0n } }
    assert.deepStrictEqual(yield* ask(0n), [0n, 1])
    unlisted = EMPTY
    assert.deepStrictEqual(yield* ask(0n), [0n, 0])
    yield* TestClock.adjust(HOUR)
    assert.deepStrictEqual(yield* ask(0n), [0n, 1])
    assert.deepStrictEqual([...(yield* creditsOf(source, new Map([[other, 1n]])))], [[other, 0n]])
    assert.strictEqual((yield* creditsOf(source, new Map())).size, 0)
  }).pipe(Effect.provide(Stored.layer))
)

it.effect("a credit that is remembered counts also in a claim that reads as many others as are remembered", () =>
  Effect.gen(function* () {
    const exposures = Exposures.of({
      ...(yield* Exposures),
      paid: (_, owners) =>
        Effect.succeed(owners.includes(owner) ? [{ owner, token: TOKEN, settled: 10n, failed: 0n }] : [])
    })
    const losses = ChainLosses.of({
      of: () => Effect.succeed({ listed: EMPTY, unlisted: EMPTY, first: { any: EMPTY, unfunded: EMPTY } }),
      changed: () => undefined
    })
    const creditsOf = yield* Effect.provide(
      OwnerCredits.make,
      Layer.mergeAll(Layer.succeed(Exposures, exposures), Layer.succeed(ChainLosses, losses))
    )
    assert.strictEqual((yield* creditsOf(source, new Map([[owner, 1n]]))).get(owner), 10n)
    // An address without letters is its own checksum.
    const others = Array.from({ length: 50_000 }, (_, index) =>
      Address.stored(`0x${String(index + 1).padStart(40, "0")}`)
    )
    const credits = yield* creditsOf(source, new Map([owner, ...others].map((each) => [each, 1n])))
    assert.strictEqual(credits.get(owner), 10n)
    assert.strictEqual(credits.size, 50_001)
  }).pipe(Effect.provide(Stored.layer))
)
