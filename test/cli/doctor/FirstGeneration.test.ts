/** `sweep doctor` on a chain that was upgraded, with the real guard of the first generation. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { deployFirst } from "../../support/FirstGeneration.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { OneChain } from "../../support/OneChain.ts"
import { migratedDatabase } from "../../support/Postgres.ts"
import { StubServer } from "../../support/StubServer.ts"
import { operator } from "../doctorScene.ts"
import { sweepHere } from "../inProcess.ts"

const environment = Layer.mergeAll(OneChain.layer, migratedDatabase, StubServer.layer).pipe(
  Layer.provideMerge(BunServices.layer)
)

layer(environment, { excludeTestServices: true })("sweep doctor after an upgrade", (it) => {
  it.effect("fails while the first generation's guard lists targets, and says how to remove them", () =>
    Effect.gen(function* () {
      const dev = yield* OneChain
      const first = yield* deployFirst(dev)
      const { report, settings } = yield* operator({ contracts: dev.chain.contracts, priorGuard: first.guard })
      const listed = Effect.map(report(), ({ findings, ok }) => ({
        ok,
        advice: findings.flatMap(({ advice, code }) => (code === "first_generation_listed" ? [advice] : []))
      }))
      const before = yield* listed
      assert.isFalse(before.ok)
      assert.lengthOf(before.advice, 3)
      for (const advice of before.advice) {
        const [, command = assert.fail(advice)] = /`\.\/sweep (targets remove [^`]+)`/.exec(advice) ?? []
        const env = { CHAINS_FILE: settings.CHAINS_FILE, GUARD_OWNER_KEY: dev.deployer.privateKey }
        const removed = yield* withLiveClock(sweepHere(command.split(" "), env))
        assert.strictEqual(removed.code, 0, removed.err)
      }
      assert.deepStrictEqual((yield* listed).advice, [])
    })
  )
})
