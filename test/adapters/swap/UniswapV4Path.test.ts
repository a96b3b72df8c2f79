/** Places of pools of Uniswap v4, beside viem's encoding. */
import { assert, describe, it } from "@effect/vitest"
import { encodeAbiParameters, keccak256, parseAbiParameters } from "viem"
import * as Path from "../../../src/adapters/swap/UniswapV4Path.ts"
import * as Address from "../../../src/domain/Address.ts"
import * as Venue from "../../../src/domain/Venue.ts"
import { address } from "../../support/FakeChain.ts"

const POOL = parseAbiParameters("address, address, uint24, int24, address")
const SLOT = parseAbiParameters("bytes32, uint256")

describe("the price's slot of a pool", () => {
  it("is that of the PoolManager's storage", () => {
    const kinds = [...Venue.V4_POOL_KINDS, { fee: 0xff_ff_ff, tickSpacing: 32_767 }]
    for (const { fee, tickSpacing } of kinds) {
      for (const hooks of [Address.zero, address(0xab)]) {
        const pool = { currency0: Address.zero, currency1: address(0xfe), fee, tickSpacing, hooks }
        const id = keccak256(encodeAbiParameters(POOL, [pool.currency0, pool.currency1, fee, tickSpacing, hooks]))
        assert.strictEqual(Path.priceSlot(pool), keccak256(encodeAbiParameters(SLOT, [id, 6n])))
      }
    }
  })
})

describe("paths", () => {
  it("order the currencies of a pool by their value, whatever case their digits have", () => {
    const [low, high] = [
      Address.of("0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa"),
      Address.of("0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB")
    ]
    const facts = { wrappedNative: address(0x01), pools: [] }
    for (const [tokenIn, tokenOut] of [
      [low, high],
      [high, low]
    ] as const) {
      for (const [hop] of Path.candidates({ tokenIn, tokenOut }, [], facts)) {
        assert.deepStrictEqual([hop.pool.currency0, hop.pool.currency1], [low, high])
        assert.deepStrictEqual([hop.from, hop.to], [tokenIn, tokenOut])
      }
    }
  })
})
