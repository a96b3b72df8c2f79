/** Rehearsed sales of a token that takes a part of each transfer, and changes which. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { decodeFunctionData, erc20Abi, numberToHex } from "viem"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as SaleRehearsal from "../../../src/adapters/prices/SaleRehearsal.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { address, chain, client } from "../../support/FakeChain.ts"

const TOKEN = address(0xa1)
const ROUTER = address(0xa2)
const HOLDER = address(0xa3)
const AMOUNT = 1_000_000n

/** A node on which a part of a transfer arrives, in millionths, and a unit is sold for a wei. Nothing is held before. */
const scene = Effect.gen(function* () {
  const script = { arrivingPpm: 1_000_000n, heldUnits: 0n }
  const asked = { rehearsals: 0, offers: [] as Array<bigint> }
  const node = client({
    simulate: (steps) =>
      Effect.sync(() => {
        asked.rehearsals++
        let [held, gained] = [script.heldUnits, 0n]
        let sold = 0n
        return steps.map(({ data, to }) => {
          const answer = (value: bigint, success = true) => ({
            success,
            returnData: numberToHex(value, { size: 32 }),
            gasUsed: 0n
          })
          if (to === ROUTER) {
            const isSold = sold <= held
            if (isSold) [held, gained] = [held - sold, sold]
            return answer(0n, isSold)
          }
          const { args, functionName } = decodeFunctionData({ abi: erc20Abi, data })
          if (functionName === "balanceOf") return answer(to === TOKEN ? held : gained)
          if (functionName === "approve") sold = args[1]
          if (functionName === "transfer") held += (args[1] * script.arrivingPpm) / 1_000_000n
          return answer(1n)
        })
      })
  })
  const rehearse = yield* SaleRehearsal.make
  /** Nothing that counts buys less than a hundred units. */
  const sell = (holder: Address.Address = HOLDER) =>
    rehearse(node, { token: TOKEN, amount: AMOUNT, holder }, (amount) => {
      asked.offers.push(amount)
      return Effect.succeed(amount < 100n ? Option.none() : Option.some({ router: ROUTER, calldata: "0x" }))
    })
  return { script, asked, sell }
}).pipe(Effect.provide(RelayerKeys.layer([])))

describe("the sale of a fee", () => {
  it.effect("begins with what arrived the last time, and is made again for what arrives now", () =>
    Effect.gen(function* () {
      const { asked, script, sell } = yield* scene
      for (const [percent, rehearsals] of [
        [100n, 1],
        [90n, 2],
        [90n, 1],
        [95n, 2],
        [80n, 2],
        [100n, 2],
        [100n, 1]
      ] as const) {
        script.arrivingPpm = percent * 10_000n
        asked.rehearsals = 0
        const { sold, wei } = yield* sell()
        const arriving = (AMOUNT * percent) / 100n
        assert.deepStrictEqual([sold, wei, asked.rehearsals], [arriving, arriving, rehearsals])
      }
    })
  )

  it.effect("is that of the whole amount where nothing sells what arrived the last time", () =>
    Effect.gen(function* () {
      const { asked, script, sell } = yield* scene
      script.arrivingPpm = 50n
      assert.strictEqual((yield* sell()).wei, 0n)
      script.arrivingPpm = 1_000_000n
      asked.offers.length = 0
      assert.strictEqual((yield* sell()).wei, AMOUNT)
      assert.deepStrictEqual(asked.offers, [50n, AMOUNT])
    })
  )

  it.effect("tells a fee of which nothing arrives from one that nothing sells", () =>
    Effect.gen(function* () {
      const { script, sell } = yield* scene
      script.arrivingPpm = 50n
      assert.isFalse((yield* sell()).isUnpaid)
      script.arrivingPpm = 0n
      assert.isTrue((yield* sell()).isUnpaid)
    })
  )

  it.effect("tells nothing of transfers where the recipient has the fee, and has sold most of it", () =>
    Effect.gen(function* () {
      const { asked, script, sell } = yield* scene
      script.heldUnits = 1n
      assert.strictEqual((yield* sell(chain.feeRecipient)).wei, 0n)
      script.heldUnits = 0n
      asked.offers.length = 0
      assert.strictEqual((yield* sell()).wei, AMOUNT)
      assert.deepStrictEqual(asked.offers, [AMOUNT])
    })
  )
})
