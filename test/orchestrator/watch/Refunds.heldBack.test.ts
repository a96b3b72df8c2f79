import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as WatchRefunds from "../../../src/orchestrator/watch/Refunds.ts"
import { BridgeRefunds, type PaidRefunds } from "../../../src/ports/orchestrator/BridgeRefunds.ts"
import { Refunds } from "../../../src/ports/orchestrator/Refunds.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layer } from "../../support/RelayScene.ts"

const [HELD, FREE] = [address(0xa1), address(0xa2)]

describe("the search for refunds", () => {
  it.effect("goes on for all accounts but the one with a payment that cannot be read", () =>
    Effect.gen(function* () {
      const refunds = yield* Refunds
      const asked: Array<bigint> = []
      let answer: PaidRefunds = { lines: [], nextBlock: 900n, heldBack: new Map([[HELD, 300n]]) }
      const bridge = BridgeRefunds.of({
        firstBlock: () => Effect.succeed(100n),
        paid: (_chainId, _accounts, fromBlock) => {
          asked.push(fromBlock)
          return Effect.succeed(answer)
        }
      })
      const look = yield* Effect.provideService(WatchRefunds.make, BridgeRefunds, bridge)
      const client = yield* (yield* Chains).get(source.id)
      for (const account of [HELD, FREE]) {
        yield* refunds.expect({
          id: account,
          chainId: source.id,
          account,
          token: address(0xd1),
          amount: 9n,
          notBefore: 0
        })
      }
      const starts = Effect.gen(function* () {
        yield* TestClock.adjust("10 minutes")
        const due = yield* refunds.due(source.id, 10, -1)
        return Object.fromEntries(due.map(({ account, searchFrom }) => [account, searchFrom]))
      })
      yield* look(client)
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 900n })
      // A search never goes back to blocks before its own.
      answer = { lines: [], nextBlock: 700n, heldBack: new Map([[HELD, 200n]]) }
      yield* look(client)
      assert.deepStrictEqual(yield* starts, { [HELD]: 300n, [FREE]: 900n })
      answer = { lines: [], nextBlock: 950n }
      yield* look(client)
      assert.deepStrictEqual(yield* starts, { [HELD]: 950n, [FREE]: 950n })
      assert.deepStrictEqual(asked, [100n, 300n, 300n])
    }).pipe(Effect.provide(layer))
  )
})
