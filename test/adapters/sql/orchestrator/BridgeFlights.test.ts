import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as BridgeFlights from "../../../../src/adapters/sql/orchestrator/BridgeFlights.ts"
import * as Intents from "../../../../src/adapters/sql/orchestrator/Intents.ts"
import * as Migrated from "../../../../src/adapters/sql/orchestrator/Migrated.ts"
import { BridgeFlights as BridgeFlightsPort } from "../../../../src/ports/orchestrator/BridgeFlights.ts"
import { Intents as IntentsPort } from "../../../../src/ports/orchestrator/Intents.ts"
import { LIMIT, suite } from "../../../ports/orchestrator/BridgeFlights.suite.ts"
import { newIntent } from "../../../support/IntentFixtures.ts"
import { migratedDatabase } from "../../../support/Postgres.ts"

const stores = Layer.mergeAll(Intents.layer, BridgeFlights.layer(LIMIT)).pipe(
  Layer.provideMerge(Migrated.layer),
  Layer.provideMerge(migratedDatabase)
)

suite("Postgres", stores)

it.effect("a release does not end a flight that a process of the release before has reserved", () =>
  Effect.gen(function* () {
    const flights = yield* BridgeFlightsPort
    const sql = yield* PgClient.PgClient
    yield* (yield* IntentsPort).create(newIntent({ id: "a" }))
    // That release names no holders.
    yield* sql`
      INSERT INTO orchestrator.bridge_flights (intent_id, bridge, value, reserved_at)
      VALUES ('a', 'relay', 300, to_timestamp(0))`
    assert.isTrue(yield* flights.reserve([{ id: "a", bridge: "relay", value: 300n }], "submission"))
    yield* flights.releaseQuoted(["a"], "submission")
    assert.strictEqual(yield* flights.room("relay"), LIMIT - 300n)
  }).pipe(Effect.provide(stores))
)
