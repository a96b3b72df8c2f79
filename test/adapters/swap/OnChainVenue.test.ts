import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import type * as Curves from "../../../src/adapters/swap/Curves.ts"
import * as OnChainVenue from "../../../src/adapters/swap/OnChainVenue.ts"
import { FIRST, request, routeVia } from "./scriptedVenues.ts"

/** A market whose paths pay these outputs for the request. */
const marketOf = (outputs: ReadonlyArray<bigint>): Curves.Market<string> =>
  outputs.map((amountOut, index) => ({
    path: `path ${index}`,
    samples: [{ amountIn: request.amountIn, amountOut, gas: 1n }]
  }))

const outputs = (market: ReadonlyArray<bigint>) =>
  Option.map(
    OnChainVenue.bestOf(marketOf(market), request, ({ amountOut }) => routeVia(FIRST, amountOut)),
    ({ alternatives = [], amountOut }) => [amountOut, ...alternatives.map((other) => other.amountOut)]
  )

describe("the route of a market", () => {
  it("is that of the best path, with the next one behind it where the best leads by more than 3 %", () => {
    assert.deepStrictEqual(outputs([10_000n, 10_301n, 9_000n]), Option.some([10_301n, 10_000n]))
    assert.deepStrictEqual(outputs([10_300n, 10_000n]), Option.some([10_300n]))
    assert.deepStrictEqual(outputs([10_000n]), Option.some([10_000n]))
    assert.deepStrictEqual(outputs([]), Option.none())
  })
})
