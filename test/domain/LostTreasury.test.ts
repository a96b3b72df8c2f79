import { assert, describe, it } from "@effect/vitest"
import { numberToHex } from "viem"
import type { Hash } from "../../src/domain/Hex.ts"
import { IntentStatus } from "../../src/domain/Intent.ts"
import type { SettledSweep } from "../../src/domain/LostSweeps.ts"
import { missing } from "../../src/domain/LostTreasury.ts"
import * as Arbitraries from "./Arbitraries.ts"

const [TOKEN, OTHER] = [Arbitraries.address(4n), Arbitraries.address(5n)]

const hash = (number: number): Hash => numberToHex(number, { size: 32 })

const sweep = (changes: Partial<SettledSweep> = {}): SettledSweep => ({
  sweepId: `${hash(1)}_3`,
  chainId: 1,
  feeToken: TOKEN,
  amountIn: 100n,
  feeAmount: 7n,
  builderFee: 5n,
  txHash: hash(1),
  settledAtMs: 1_000,
  orderHash: hash(2),
  recipient: Arbitraries.address(1n),
  ...changes
})

describe("the sums that the treasury's books lack", () => {
  it("are the fees of sweeps and the amounts of sales, by chain and token", () => {
    const sweeps = [
      sweep(),
      sweep({ feeAmount: 8n }),
      sweep({ isOwnSale: true, amountIn: 50n, feeAmount: 2n }),
      sweep({ feeToken: OTHER }),
      sweep({ chainId: 2, feeAmount: 9n })
    ]
    assert.deepStrictEqual(missing(sweeps, new Map()), [
      { chainId: 1, token: TOKEN, collected: 15n, sold: 48n },
      { chainId: 1, token: OTHER, collected: 7n, sold: 0n },
      { chainId: 2, token: TOKEN, collected: 9n, sold: 0n }
    ])
  })

  it("leave out sweeps whose intents the database has, since these book them", () => {
    const intents = new Map([[hash(2), "submitted" as const]])
    assert.deepStrictEqual(missing([sweep(), sweep({ orderHash: hash(3), feeAmount: 1n })], intents), [
      { chainId: 1, token: TOKEN, collected: 1n, sold: 0n }
    ])
    assert.deepStrictEqual(missing([sweep({ feeAmount: 0n, orderHash: hash(3) })], intents), [])
  })

  it("have sweeps whose intents are still quoted, since nothing follows these", () => {
    const totals = (status: IntentStatus) => missing([sweep()], new Map([[hash(2), status]])).length
    assert.deepStrictEqual(IntentStatus.literals.map(totals), [1, 0, 0, 0, 0])
  })
})
