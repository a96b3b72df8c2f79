import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../src/domain/Address.ts"
import { burns } from "../../src/domain/Destination.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { chain as template } from "../support/FakeChain.ts"
import { address } from "./Arbitraries.ts"

const LISTED = address(0xb1_0001n)
const EARLIER = { delegate: address(0x41_0001n), guard: address(0x42_0001n), entry: address(0x43_0001n) }
const chain = {
  ...template,
  contracts: { delegate: address(0x51_0001n), guard: address(0x52_0001n), entry: address(0x53_0001n) },
  earlierContracts: [EARLIER],
  tokens: [{ chainId: template.id, address: LISTED, symbol: "LST", name: "Listed", decimals: 18 }],
  swapRouter: address(0x5a_0001n),
  spokePool: address(0x5b_0001n),
  formerSpokePools: [address(0x5b_0002n)],
  spokePoolPeriphery: address(0x5c_0001n),
  wrappedNative: address(0x5d_0001n),
  stables: [address(0x5e_0001n)],
  permit2: address(0x61_0001n),
  multicall3: address(0x62_0001n),
  sanctionsOracle: address(0x63_0001n),
  quoter: address(0x64_0001n)
}
const SWEPT = address(0xaa_0001n)

describe("a destination", () => {
  it("is an ordinary account", () => {
    assert.isFalse(burns(chain, address(0xabcdefn), [SWEPT]))
    assert.isFalse(burns(chain, address(0x1_0000n), [SWEPT]))
  })

  it("burns the output at a precompiled contract, a token or a contract of the service", () => {
    const burning = [
      Address.zero,
      address(1n),
      address(0x11n),
      address(0xffn),
      address(0x100n),
      address(0xffffn),
      NATIVE,
      SWEPT,
      LISTED,
      chain.wrappedNative,
      ...chain.stables,
      chain.permit2,
      chain.multicall3,
      chain.sanctionsOracle,
      chain.quoter,
      ...Object.values(chain.contracts),
      ...Object.values(EARLIER),
      chain.swapRouter,
      chain.spokePool,
      ...chain.formerSpokePools,
      chain.spokePoolPeriphery
    ]
    for (const destination of burning) assert.isTrue(burns(chain, destination, [SWEPT]), destination)
  })
})
