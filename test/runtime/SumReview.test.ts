import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../src/adapters/memory/shared/Alerts.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import { KeptSums, type SumDifference } from "../../src/ports/shared/KeptSums.ts"
import * as SumReview from "../../src/runtime/SumReview.ts"

const ledger: SumDifference = { sums: "ledger", key: "alpha 0xa 1", kept: "7", counted: "5", wrong: 2 }

it.effect("kept sums that differ from their rows are alerted each hour, until they agree", () =>
  Effect.gen(function* () {
    let differences: Option.Option<ReadonlyArray<SumDifference>> = Option.some([ledger])
    let looks = 0
    const context = yield* Layer.build(
      SumReview.layer.pipe(
        Layer.provide(
          Layer.succeed(KeptSums, {
            names: ["ledger", "revenue"],
            differences: Effect.sync(() => {
              looks += 1
              return differences
            })
          })
        ),
        Layer.provideMerge(AlertsInMemory.layer)
      )
    )
    const standing = Effect.provide(
      Effect.flatMap(Alerts, ({ list }) => list),
      context
    )

    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(looks, 0)
    yield* TestClock.adjust("1 second")
    const [alert, ...others] = yield* standing
    assert.lengthOf(others, 0)
    assert.strictEqual(alert?.kind, "kept_sums_differ")
    assert.deepStrictEqual(alert?.details, {
      sums: "ledger",
      key: "alpha 0xa 1",
      kept: "7",
      counted: "5",
      wrong: 2
    })
    for (const part of ["ledger", "kept as 7", "add up to 5"]) assert.include(alert?.message, part)

    // Another process compares, so nothing is known.
    differences = Option.none()
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(yield* standing, 1)

    differences = Option.some([])
    yield* TestClock.adjust("1 hour")
    assert.lengthOf(yield* standing, 0)
    assert.strictEqual(looks, 3)
  })
)
