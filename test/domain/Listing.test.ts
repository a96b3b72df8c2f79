/** Sweeps that run code which nobody vouches for. */
import { assert, describe, it } from "@effect/vitest"
import * as Address from "../../src/domain/Address.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import { designator } from "../../src/domain/Delegation.ts"
import { classesOf, scopeOf } from "../../src/domain/ExposureClasses.ts"
import { isStranger, paysOthers, runsUnlisted } from "../../src/domain/Listing.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { address, chain } from "../support/FakeChain.ts"

const OWNER = address(0x0a)
const DESTINATION = address(0xde)

const order = {
  owner: OWNER,
  destination: DESTINATION,
  destChainId: BigInt(chain.id),
  tokenIn: address(0xb1),
  tokenOut: NATIVE,
  swapCalldata: "0x"
} as const

const route = { source: chain, destination: chain }

describe("a sweep pays another account than its owner's", () => {
  it("if native currency arrives on the source chain, and there alone", () => {
    assert.isTrue(paysOthers(chain, order))
    assert.isFalse(paysOthers(chain, { ...order, destination: OWNER }))
    assert.isFalse(paysOthers(chain, { ...order, tokenOut: address(0xd1) }))
    assert.isFalse(paysOthers(chain, { ...order, tokenOut: chain.wrappedNative }))
    assert.isFalse(paysOthers(chain, { ...order, destChainId: 2n }))
  })
})

describe("an account that is paid", () => {
  const earlier = { ...chain.contracts, delegate: address(0x71) }
  const upgraded: Chain = { ...chain, earlierContracts: [earlier] }

  it("is no stranger without code, or with a delegate of the chain", () => {
    assert.isFalse(isStranger(upgraded, DESTINATION, "0x"))
    assert.isFalse(isStranger(upgraded, DESTINATION, designator(chain.contracts.delegate)))
    assert.isFalse(isStranger(upgraded, DESTINATION, designator(earlier.delegate)))
  })

  it("is one with code of its own, or with any other delegate", () => {
    assert.isTrue(isStranger(upgraded, DESTINATION, "0x00"))
    assert.isTrue(isStranger(chain, DESTINATION, designator(earlier.delegate)))
    // A delegate that is paid itself is no delegated account.
    assert.isTrue(isStranger(chain, chain.contracts.delegate, "0x6000"))
  })

  it("is one if it is a precompile or may become one, which has no code", () => {
    const reserved = [0n, 1n, 9n, 0x100n, 0xffffn].map((n) => Address.of(`0x${n.toString(16).padStart(40, "0")}`))
    for (const each of reserved) assert.isTrue(isStranger(chain, each, "0x"), each)
    assert.isFalse(isStranger(chain, Address.of(`0x${"10000".padStart(40, "0")}`), "0x"))
  })
})

describe("a sweep that runs code of strangers", () => {
  it("is unlisted, whatever its tokens", () => {
    assert.isFalse(runsUnlisted(chain, { order }))
    assert.strictEqual(scopeOf({ order }, route), "listed")
    assert.isTrue(runsUnlisted(chain, { order, runsOthersCode: true }))
    assert.strictEqual(scopeOf({ order, runsOthersCode: true }, route), "unlisted")
  })

  it("has the class of the account that it pays, and none of the listed tokens' pool", () => {
    const word = (token: string) => token.slice(2).toLowerCase().padStart(64, "0")
    const words = [order.tokenIn, chain.wrappedNative].map(word)
    const swapCalldata = `0x04e45aaf${words.join("")}${"bb8".padStart(64, "0")}` as const
    const sweep = { order: { ...order, swapCalldata }, network: "203.0.113.0/24" }
    assert.deepStrictEqual(classesOf({ ...sweep, runsOthersCode: true }, route), [
      "unlisted:all:31337:",
      `unlisted:token_out:31337:${DESTINATION}`,
      `unlisted:owner:31337:${OWNER}`,
      "unlisted:network:31337:203.0.113.0/24"
    ])
    assert.deepStrictEqual(classesOf(sweep, route), [
      "listed:all:31337:",
      `listed:owner:31337:${OWNER}`,
      "listed:network:31337:203.0.113.0/24"
    ])
  })
})
