/** The copy of the operator's file that is kept for the next start, while its disk does not answer. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as KeptLists from "../../../src/adapters/screening/KeptLists.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { snapshotFile } from "./fixture.ts"

const environment = Layer.mergeAll(BunServices.layer, FetchHttpClient.layer, Logger.layer([]))

/** Lists with a file, whose copies go to a disk that never answers. */
const scene = Effect.gen(function* () {
  const attempts = { count: 0 }
  const path = yield* snapshotFile(FakeChain.address(1))
  const { lists } = yield* Effect.updateService(
    KeptLists.make({ keepIn: `${path}.kept`, file: { path, reloadEvery: "1 day" } }),
    FileSystem.FileSystem,
    (files) => ({
      ...files,
      makeTempFileScoped: () =>
        Effect.suspend(() => {
          attempts.count += 1
          return Effect.never
        })
    })
  )
  return { age: lists.age, attempts }
})

describe("KeptLists that keep the operator's file", () => {
  it.effect("tell its age without a wait for the disk of the copy", () =>
    Effect.gen(function* () {
      const { age, attempts } = yield* scene
      for (let asked = 0; asked < 20; asked += 1) {
        assert.deepStrictEqual(yield* age, Option.some({ checkedAt: 0 }))
      }
      assert.strictEqual(attempts.count, 0)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("write the copy every five minutes until one is written, however often they are asked for its age", () =>
    Effect.gen(function* () {
      const { age, attempts } = yield* scene
      yield* age
      for (let minute = 0; minute < 60; minute += 1) {
        yield* TestClock.adjust("1 minute")
        yield* age
      }
      assert.isAtLeast(attempts.count, 11)
      assert.isAtMost(attempts.count, 12)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})
