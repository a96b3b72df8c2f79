import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { numberToHex } from "viem"
import * as AcrossRehearsal from "../../../src/adapters/bridge/AcrossRehearsal.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { NoRoute, type SwapRequest, SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import type { SimulatedCall, SimulatedStep } from "../../../src/ports/shared/Simulation.ts"
import { address, chain } from "../../support/FakeChain.ts"

const [HANDLER, RECIPIENT, TOKEN, ROUTER] = [address(0x4a), address(0x4b), address(0x4c), address(0x4d)]

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

interface Outcome {
  /** Amount that the router counts. Undefined if the swap reverts. */
  readonly counted?: bigint
  /** Balances of the recipient before and after it. */
  readonly balances: readonly [bigint, bigint]
  readonly hasMarket?: boolean
  /** True if the first step reverts. */
  readonly isRefused?: boolean
}

/** A rehearsal with that outcome: what it asked for and how it ended. */
const rehearsed = Effect.fnUntraced(function* (outcome: Outcome, tokenOut = TOKEN) {
  const requests: Array<SwapRequest> = []
  const steps: Array<SimulatedStep> = []
  const venue = SwapVenue.of({
    prepare: () => Effect.die("not asked"),
    route: (request) => {
      requests.push(request)
      return outcome.hasMarket === false
        ? Effect.fail(new NoRoute({ detail: "no pool" }))
        : Effect.succeed({
            provider: "venue",
            target: ROUTER,
            calldata: "0xabcd",
            amountOut: 1_000n,
            minAmountOut: 1n,
            gas: 1n,
            passing: 0
          })
    }
  })
  const simulate = (asked: ReadonlyArray<SimulatedStep>) => {
    steps.push(...asked)
    const call = (returnData: Hex): SimulatedCall => ({ success: true, returnData, gasUsed: 1n })
    const { balances, counted } = outcome
    // The array of one result, as the router encodes it.
    const result = [0x20n, 1n, 0x20n, 0x20n, counted ?? 0n].map((value) => word(value).slice(2)).join("")
    return Effect.succeed([
      { ...call("0x"), success: outcome.isRefused !== true },
      call(word(1n)),
      call(word(balances[0])),
      counted === undefined ? { ...call("0x"), success: false } : call(`0x${result}`),
      call(word(balances[1]))
    ])
  }
  const result = yield* Effect.result(
    AcrossRehearsal.rehearse(venue, { chain, simulate }, HANDLER, { recipient: RECIPIENT, tokenOut })
  )
  return { requests, steps, ended: result._tag === "Success" ? "offered" : result.failure.message }
})

describe("the rehearsal of a purchase on arrival", () => {
  it.effect("offers a token of which the recipient gets all that the router counts", () =>
    Effect.gen(function* () {
      const { ended, requests, steps } = yield* rehearsed({ counted: 1_000n, balances: [7n, 1_007n] })
      assert.strictEqual(ended, "offered")
      assert.deepInclude(requests[0], {
        tokenIn: chain.wrappedNative,
        tokenOut: TOKEN,
        sender: HANDLER,
        recipient: RECIPIENT
      })
      assert.deepStrictEqual(
        steps.map(({ from, to }) => [from, to]),
        [chain.wrappedNative, chain.wrappedNative, TOKEN, ROUTER, TOKEN].map((to) => [HANDLER, to])
      )
    })
  )

  it.effect.each([
    { name: "takes a fee", outcome: { counted: 1_000n, balances: [7n, 1_006n] }, said: /takes a fee/ },
    { name: "takes all", outcome: { counted: 1_000n, balances: [7n, 0n] }, said: /takes a fee/ },
    { name: "cannot be bought", outcome: { balances: [7n, 7n] }, said: /fails in a rehearsal/ },
    { name: "is worth nothing", outcome: { counted: 0n, balances: [7n, 7n] }, said: /fails in a rehearsal/ },
    { name: "has no market", outcome: { hasMarket: false, balances: [0n, 0n] }, said: /no pool/ }
  ] as const)("offers no token that $name", ({ outcome, said }) =>
    Effect.map(rehearsed(outcome), ({ ended }) => assert.match(ended, said))
  )

  it.effect("needs no request for wrapped native currency", () =>
    Effect.gen(function* () {
      const { ended, requests, steps } = yield* rehearsed({ balances: [0n, 0n] }, chain.wrappedNative)
      assert.deepStrictEqual([ended, requests, steps], ["offered", [], []])
    })
  )

  it.effect("sends a wei of native currency to the recipient, who may refuse it", () =>
    Effect.gen(function* () {
      const taken = yield* rehearsed({ balances: [0n, 0n] }, NATIVE)
      assert.deepStrictEqual([taken.ended, taken.requests], ["offered", []])
      assert.deepStrictEqual(taken.steps, [{ from: HANDLER, to: RECIPIENT, data: "0x", value: 1n }])
      const { ended } = yield* rehearsed({ balances: [0n, 0n], isRefused: true }, NATIVE)
      assert.strictEqual(ended, `no route: the recipient on ${chain.name} refuses native currency`)
    })
  )
})
