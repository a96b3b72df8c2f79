/** A guard that orders name and the chains file lacks was not read, so payouts stay refused. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Restores from "../../../src/adapters/sql/builder/Restores.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address } from "../../support/IntentFixtures.ts"
import { destination, offer, source, sweptLog } from "../../support/RelayFixtures.ts"
import { type Answers, minedAt, minute, reconcileNow, sceneOf } from "./scene.ts"

const FORMER = { delegate: address(0x41), guard: address(0x42), entry: address(0x43) }

/** A quote for the former contracts, with this deadline in UNIX milliseconds. */
const quoted = (index: bigint, deadlineMs: number, chainId: number = source.id) =>
  offer({
    id: `quote ${index}`,
    attributed: { builderId: "alpha", payoutMode: "ledger" },
    quote: { sourceChainId: chainId },
    order: {
      builder: source.builderVault,
      deadline: BigInt(deadlineMs / 1000),
      nonce: bound(FORMER.guard, index)
    }
  })

/** A sweep that the database has as quoted, and that settled at the former guard after the restored moment. */
const forgotten = quoted(7n, minute(12, 5))

const settled = minedAt("settled", minute(12, 2), sweptLog(forgotten, { guard: FORMER.guard }))

const run = (answers: Answers, intents: ReadonlyArray<ReturnType<typeof quoted>>) =>
  Effect.gen(function* () {
    yield* register
    const store = yield* Intents
    for (const intent of intents) yield* store.create(intent)
    yield* Restores.record(yield* PgClient.PgClient, minute(12))
    const { open, reconciled, sweeps } = yield* reconcileNow()
    const texts = open.filter(({ stopsPayouts }) => stopsPayouts).map(({ text }) => text)
    return { texts, reconciled, sweeps: sweeps.length }
  }).pipe(Effect.provide(Layer.fresh(sceneOf(minute(14), [settled], Effect.void, answers))))

describe("a restore from before the contracts of a chain were replaced", () => {
  it.effect("stays open while the chains file does not name the guard of an order that may have settled since", () =>
    Effect.gen(function* () {
      const { reconciled, sweeps, texts } = yield* run({}, [forgotten, quoted(8n, minute(12, 6))])
      assert.lengthOf(texts, 1)
      assert.include(texts[0], FORMER.guard.slice(-32))
      assert.include(texts[0], "earlierContracts")
      assert.deepStrictEqual([reconciled, sweeps], [false, 0])
    })
  )

  it.effect("ends with the settlements of the guard once it is named", () =>
    Effect.gen(function* () {
      const answers = { chain: { ...source, earlierContracts: [FORMER] } }
      assert.deepStrictEqual(yield* run(answers, [forgotten]), { texts: [], reconciled: true, sweeps: 1 })
    })
  )

  it.effect(
    "ends without a guard whose orders had all expired before the restored moment, or are of another chain",
    () =>
      Effect.gen(function* () {
        const others = [quoted(9n, minute(11)), quoted(10n, minute(12, 5), destination.id)]
        assert.deepStrictEqual(yield* run({}, others), { texts: [], reconciled: true, sweeps: 0 })
      })
  )
})
