/** Chains without an asset in common. */
import { assert, describe, it } from "@effect/vitest"
import { isolated } from "../../src/domain/Assets.ts"
import { address } from "../support/FakeChain.ts"

const chain = (name: string, assets: ReadonlyArray<string> | undefined, isBridged = true) => ({
  name,
  ...(isBridged ? { spokePool: address(1) } : {}),
  ...(assets === undefined
    ? {}
    : { assets: Object.fromEntries(assets.map((asset, index) => [asset, address(2 + index)])) })
})

const found = (...chains: ReadonlyArray<ReturnType<typeof chain>>) => isolated(chains).map(({ name }) => name)

describe("a chain is isolated", () => {
  it("if it names no asset of another bridged chain", () => {
    const [a, b] = [chain("a", ["USDC", "WETH"]), chain("b", ["WETH"])]
    assert.deepStrictEqual(found(a, b), [])
    assert.deepStrictEqual(found(a, b, chain("c", undefined)), ["c"])
    assert.deepStrictEqual(found(a, b, chain("c", ["EURC"])), ["c"])
    assert.deepStrictEqual(found(chain("a", undefined), chain("b", undefined)), ["a", "b"])
  })

  it("only if there is a bridge to another chain", () => {
    assert.deepStrictEqual(found(chain("a", undefined)), [])
    assert.deepStrictEqual(found(chain("a", undefined), chain("b", ["WETH"], false)), [])
  })
})
