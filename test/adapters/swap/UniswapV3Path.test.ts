import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Path from "../../../src/adapters/swap/UniswapV3Path.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { size } from "../../../src/domain/Hex.ts"
import { address } from "../../support/FakeChain.ts"

const Byte = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))

describe("UniswapV3Path", () => {
  it.effect.prop(
    "tries every tier once, and never a hop that is an end",
    [Byte, Byte, Schema.Array(Byte)],
    ([a, b, hops]) =>
      Effect.sync(() => {
        const [tokenIn, tokenOut] = [address(a), address(b)]
        const paths = Path.candidates(tokenIn, tokenOut, hops.map(address))
        const middles = new Set(hops.filter((hop) => hop !== a && hop !== b))
        assert.strictEqual(paths.length, 4 + 16 * middles.size)
        assert.strictEqual(new Set(paths.map((path) => JSON.stringify(path))).size, paths.length)
        for (const path of paths) {
          if (path._tag === "Via") {
            assert.notStrictEqual(path.token, tokenIn)
            assert.notStrictEqual(path.token, tokenOut)
          }
        }
      })
  )

  it("takes the pools of each pair that it is told of, in the order of the path", () => {
    const [tokenIn, hop, tokenOut] = [address(1), address(2), address(3)]
    const feesOf = (first: Address.Address, second: Address.Address) =>
      first === tokenIn && second === hop ? [100, 500] : first === hop && second === tokenOut ? [3_000] : []
    assert.deepStrictEqual(Path.candidates(tokenIn, tokenOut, [hop, address(4)], feesOf), [
      { _tag: "Via", token: hop, fees: [100, 3_000] },
      { _tag: "Via", token: hop, fees: [500, 3_000] }
    ])
  })

  it("packs a path as the periphery does", () => {
    const encoded = Path.encode(
      address(0x11),
      { _tag: "Via", token: address(0x22), fees: [500, 10_000] },
      address(0x33)
    )
    assert.strictEqual(size(encoded), 66)
    assert.strictEqual(encoded, `0x${"11".repeat(20)}0001f4${"22".repeat(20)}002710${"33".repeat(20)}`)
  })
})
