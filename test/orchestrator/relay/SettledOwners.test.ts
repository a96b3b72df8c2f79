/** Owners who swept before are read once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Stored from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as SettledOwners from "../../../src/orchestrator/relay/SettledOwners.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/IntentFixtures.ts"

it.effect("an owner with a settled sweep is not read again, and one without is", () =>
  Effect.gen(function* () {
    const stored = yield* Intents
    const asked: Array<readonly [number, ReadonlyArray<string>]> = []
    const settledOf = yield* Effect.provideService(SettledOwners.make, Intents, {
      ...stored,
      settledOf: (chainId, owners) =>
        Effect.sync(() => {
          asked.push([chainId, owners])
          return new Set(chainId === 1 ? owners.filter((owner) => owner === address(1)) : [])
        })
    })
    const owners = new Set([address(1), address(2)])
    for (let times = 0; times < 2; times++) assert.deepStrictEqual([...(yield* settledOf(1, owners))], [address(1)])
    assert.deepStrictEqual([...(yield* settledOf(1, new Set([address(1)])))], [address(1)])
    assert.deepStrictEqual(asked, [
      [1, [address(1), address(2)]],
      [1, [address(2)]]
    ])
    // One chain says nothing of another.
    assert.strictEqual((yield* settledOf(2, owners)).size, 0)
  }).pipe(Effect.provide(Stored.layer))
)
