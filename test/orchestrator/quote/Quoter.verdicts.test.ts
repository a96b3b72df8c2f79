/** Verdicts on the tokens of a quote. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type * as Address from "../../../src/domain/Address.ts"
import { TokenDeclined } from "../../../src/ports/orchestrator/TokenRisk.ts"
import { TokenVerdicts } from "../../../src/ports/orchestrator/TokenVerdicts.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

const UNLISTED = FakeChain.address(0x9f)

const declining = (declined: Address.Address) =>
  Effect.provideService(TokenVerdicts, {
    ruleOf: () => undefined,
    judge: ({ token }) =>
      token === declined
        ? Effect.fail(new TokenDeclined({ token, reason: "risky", detail: "trial:sell_fails" }))
        : Effect.succeed((tier) => tier)
  })

describe("a quote", () => {
  it.effect.each([
    ["the token to sweep", Quoting.TOKEN],
    ["the token to receive", Quoting.STABLE]
  ] as const)("is refused if %s is declined", ([, token]) =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const failure = yield* Effect.flip(scene.quote())
      assert.strictEqual(failure._tag === "QuoteFailed" && failure.reason, "token_declined")
      assert.deepStrictEqual(scene.asked.created, [])
    }).pipe(declining(token))
  )

  it.effect.each([
    ["to sweep", { tokenIn: UNLISTED, tokenOut: Quoting.STABLE }, UNLISTED],
    ["to receive", { tokenIn: Quoting.TOKEN, tokenOut: UNLISTED }, UNLISTED]
  ] as const)("asks no service about an invented token %s", ([, tokens, invented]) => {
    const judged: Array<Address.Address> = []
    return Effect.gen(function* () {
      const scene = yield* Quoting.make()
      yield* Effect.exit(scene.quote({ ...Quoting.request, ...tokens }))
      assert.notInclude(judged, invented)
    }).pipe(
      Effect.provideService(TokenVerdicts, {
        ruleOf: () => undefined,
        judge: ({ token }) =>
          Effect.sync(() => {
            judged.push(token)
            return (tier) => tier
          })
      })
    )
  })

  it.effect("has the tier of the verdict", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      assert.strictEqual((yield* scene.quote()).quote.appliedTier, "tier3")
    }).pipe(
      Effect.provideService(TokenVerdicts, { ruleOf: () => undefined, judge: () => Effect.succeed(() => "tier3") })
    )
  )
})
