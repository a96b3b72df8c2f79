import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as All from "../../../src/adapters/screening/All.ts"
import { type Screening, ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains } from "../../support/OneChain.ts"
import { fixture, outcome, snapshotFile } from "./fixture.ts"

ScreeningSuite.suite(
  "oracle and snapshot together",
  Layer.unwrap(
    Effect.map(snapshotFile(FakeChain.address(0x99)), (path) =>
      All.layer({ lists: { file: { path }, maxAge: "100000 days" } })
    )
  ).pipe(Layer.provideMerge([BunServices.layer, FetchHttpClient.layer]), Layer.provideMerge(chains), Layer.orDie),
  fixture
)

describe("All", () => {
  const passing = { clear: () => Effect.void }
  const blocking = (reason: ScreeningBlocked["cause"]) => ({
    clear: () => Effect.fail(new ScreeningBlocked({ cause: reason }))
  })
  const verdict = (...sources: ReadonlyArray<Screening["Service"]>) =>
    outcome(All.all(sources).clear(1, [FakeChain.address(1)]))

  it.effect("clears when all do", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(passing, passing), "clear")
    })
  )

  it.effect("blocks when one does, and says listed rather than unavailable in any order", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(passing, blocking("listed")), "listed")
      assert.strictEqual(yield* verdict(blocking("unavailable"), passing), "unavailable")
      assert.strictEqual(yield* verdict(blocking("unavailable"), blocking("listed")), "listed")
      assert.strictEqual(yield* verdict(blocking("listed"), blocking("unavailable")), "listed")
    })
  )

  it.effect("blocks without any source", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict(), "unavailable")
    })
  )
})
