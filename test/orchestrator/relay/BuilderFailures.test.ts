/** The alert about a builder whose sweeps fail, which is of no chain. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { designator } from "../../../src/domain/Delegation.ts"
import * as Budgets from "../../../src/orchestrator/relay/Budgets.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { ChainLosses } from "../../../src/orchestrator/shared/ChainLosses.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { destination, source } from "../../support/RelayFixtures.ts"
import { layerWith, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const BUDGET = 3

/** Sweeps of one builder on the source chain, of which as many failed as its budget has. */
const failing = Effect.gen(function* () {
  const the = yield* scene
  const submit = (id: string, owner: number) =>
    Effect.andThen(
      the.chain.setCode(address(owner), designator(source.contracts.delegate)),
      the.submit({
        id,
        owner,
        attributed: { builderId: "bld", payoutMode: "ledger" },
        order: { nonce: BigInt(owner), deadline: 1_800_000_000n }
      })
    )
  for (let owner = 1; owner <= BUDGET; owner++) yield* submit(`f${owner}`, owner)
  yield* relay
  for (const { attempts, nonce } of yield* the.unfinished) {
    const hash = attempts.at(-1)?.hash ?? "0x"
    yield* the.mineLane({ hash, status: "reverted", logs: [], gasUsed: 0n, dataFee: 10n ** 15n }, nonce)
  }
  yield* the.bury(2)
  yield* tick
  const next = yield* submit("next", 10)
  const judge = yield* Budgets.make.pipe(Effect.provide([ChainLosses.layer, StandingAlerts.layer]))
  const { get } = yield* Chains
  const { runOnce } = yield* Relayer
  return {
    /** Judges a sweep of the builder on a chain, and then looks for work there. */
    pass: (chainId: number) =>
      Effect.andThen(
        Effect.flatMap(get(chainId), (client) => judge(client, [next])),
        runOnce(chainId)
      ),
    runOnce,
    since: Effect.map(the.alerts.list, (all) =>
      all.flatMap(({ kind, sinceMs }) => (kind === "builder_failing" ? [sinceMs] : []))
    )
  }
})

const layer = layerWith({
  failureBudget: { ...orchestratorDefaults.relayer.failureBudget, builder: BUDGET }
})

describe("the alert about a failing builder", () => {
  it.effect("stands while the builder's sweeps are judged on a chain without losses", () =>
    Effect.gen(function* () {
      const { pass, since } = yield* failing
      yield* pass(source.id)
      const raised = yield* since
      assert.lengthOf(raised, 1)
      for (let minute = 0; minute < 5; minute++) {
        yield* TestClock.adjust("1 minute")
        yield* pass(destination.id)
        assert.deepStrictEqual(yield* since, raised)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends an hour after the failures, without another sweep and on whatever chain", () =>
    Effect.gen(function* () {
      const { pass, runOnce, since } = yield* failing
      yield* pass(source.id)
      yield* TestClock.adjust("59 minutes")
      yield* runOnce(destination.id)
      assert.lengthOf(yield* since, 1)
      yield* TestClock.adjust("1 minute")
      yield* runOnce(destination.id)
      assert.lengthOf(yield* since, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is reviewed again although the clock was set back", () =>
    Effect.gen(function* () {
      const { pass, runOnce, since } = yield* failing
      yield* pass(source.id)
      assert.lengthOf(yield* since, 1)
      const now = yield* Clock.currentTimeMillis
      yield* TestClock.setTime(now + 10 * 3_600_000)
      yield* runOnce(destination.id)
      assert.lengthOf(yield* since, 0)
      yield* TestClock.setTime(now)
      yield* pass(source.id)
      assert.lengthOf(yield* since, 1)
      yield* TestClock.adjust("1 hour")
      yield* runOnce(destination.id)
      assert.lengthOf(yield* since, 0)
    }).pipe(Effect.provide(layer))
  )
})
