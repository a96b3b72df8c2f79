/** The alert about a token that cannot be sold ends when nothing of it is to be sold any more. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type * as Address from "../../../src/domain/Address.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { JUNK, LST, USDC } from "../../support/TreasuryScene.ts"
import { chain, WHOLE } from "../../support/TreasuryScript.ts"

/** Tokens of the alerts that stand after a process with these settings has reviewed them. */
const standing = Effect.fnUntraced(function* (options: Scene.Options, token: Address.Address, chainId = chain.id) {
  const { alerts, start } = yield* Scene.make(options)
  yield* alerts.raise({
    key: `treasury_unsellable:${chainId}:${token}`,
    severity: "warning",
    kind: "treasury_unsellable",
    message: "",
    details: { chainId, token }
  })
  yield* start
  yield* TestClock.adjust("31 seconds")
  return (yield* alerts.list).flatMap(({ details, kind }) => (kind === "treasury_unsellable" ? [details["token"]] : []))
})

describe("the alert about a token that cannot be sold", () => {
  it.effect("stands while the service sells the token, and ends when the settings say otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* standing({}, LST), [LST])
      assert.deepStrictEqual(yield* standing({}, JUNK), [], "not listed")
      assert.deepStrictEqual(yield* standing({}, LST, chain.id + 1), [], "another chain")
      assert.deepStrictEqual(yield* standing({}, USDC), [], "the asset")
      assert.deepStrictEqual(yield* standing({ treasury: { assets: [] } }, LST), [], "no asset")
      assert.deepStrictEqual(yield* standing({ key: "none" }, LST), [], "no key")
      assert.deepStrictEqual(yield* standing({ key: "other" }, LST), [], "another key")
    })
  )

  for (const [what, rest] of [
    ["all of it", 0n],
    ["all but a little of it", WHOLE]
  ] as const) {
    it.effect(`ends after somebody else has sold ${what}`, () =>
      Effect.gen(function* () {
        const scene = yield* Scene.make({ treasury: { intervalMillis: 60_000 } })
        scene.script.quoteFails = "no_route"
        yield* scene.collect("a", LST, 100n * WHOLE)
        yield* scene.start
        yield* TestClock.adjust("4 hours")
        const kinds = Effect.map(scene.alerts.list, (alerts) => alerts.map(({ kind }) => kind))
        assert.deepStrictEqual(yield* kinds, ["treasury_unsellable"])
        yield* TestClock.adjust("5 hours")
        assert.deepStrictEqual(yield* kinds, ["treasury_unsellable"])
        scene.script.balances.set(LST, rest)
        yield* TestClock.adjust("10 hours")
        assert.deepStrictEqual(yield* kinds, [])
      })
    )
  }
})
