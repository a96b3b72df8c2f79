import { assert, describe, it } from "@effect/vitest"
import { chainList } from "../../src/domain/Catalog.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import { address, chain } from "../support/FakeChain.ts"

const complete: Chain = {
  ...chain,
  swapRouter: address(0xb2),
  spokePool: address(0xb3),
  spokePoolPeriphery: address(0xb4)
}

const features = (served: Chain) => {
  const [described] = chainList([served]).chains
  return described?.features
}

describe("what a chain can do", () => {
  it("is a swap before the bridge only where all that it takes is there", () => {
    assert.isTrue(features(complete)?.swapBeforeBridge)
    for (const missing of ["swapRouter", "quoter", "spokePool", "spokePoolPeriphery"] as const) {
      const { [missing]: _, ...rest } = complete
      assert.isFalse(features(rest)?.swapBeforeBridge, missing)
    }
    assert.isFalse(features({ ...complete, supportsSetCode: false })?.swapBeforeBridge, "no sweep starts there")
  })
})
