/** The service's list of tokens against the facts that the page ships. */
import { assert, describe, it } from "vitest"
import { ASSETS } from "../../src/catalog/Assets.ts"
import type { Address } from "../../src/sdk/index.ts"
import { NATIVE } from "../../src/web/sweep/catalog.ts"
import { contradiction, namesake } from "../../src/web/sweep/knownToken.ts"

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const other = (digit: string): Address => `0x${digit.repeat(40)}`

const token = (address: Address, symbol: string, decimals: number, chainId = 8453) => ({
  chainId,
  address,
  symbol,
  decimals
})

describe("a token of the service's list", () => {
  it("is taken as the shipped catalogue has it, on every chain", () => {
    for (const tokens of Object.values(ASSETS)) {
      for (const { address, chainId, decimals, symbol } of Object.values(tokens)) {
        const listed = token(address as Address, symbol, decimals, chainId)
        assert.isUndefined(contradiction(listed), `${symbol} on ${chainId}`)
        assert.isUndefined(namesake(listed), `${symbol} on ${chainId}`)
      }
    }
    assert.isUndefined(contradiction(token(NATIVE, "ETH", 18)))
    assert.isUndefined(contradiction(token("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "USD₮0", 6, 42161)))
  })

  it("is refused with other decimals than it has", () => {
    const said = "The service says that USDC has 18 decimals. It has 6, so amounts would be wrong."
    assert.strictEqual(contradiction(token(USDC, "USDC", 18)), said)
    assert.strictEqual(contradiction(token(`0x${USDC.slice(2).toLowerCase()}`, "USDC", 18)), said)
    assert.strictEqual(
      contradiction(token("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC", 6, 56)),
      "The service says that USDC has 6 decimals. It has 18, so amounts would be wrong."
    )
    assert.match(contradiction(token(NATIVE, "ETH", 6)) ?? "", /It has 18/)
  })

  it("is refused under the symbol of another token", () => {
    assert.strictEqual(contradiction(token(USDC, "WETH", 6)), "The service calls 0x8335…2913 WETH. It is USDC.")
  })

  it("is a namesake if it has the symbol of a known token of its chain", () => {
    assert.strictEqual(
      namesake(token(other("a"), "USDC", 6)),
      `This is not the well-known USDC, which is ${USDC}. Check the address.`
    )
    assert.isUndefined(contradiction(token(other("a"), "USDC", 6)))
    assert.isUndefined(namesake(token(other("a"), "USDC", 6, 31337)), "a chain that the page does not know")
    assert.isUndefined(namesake(token(other("a"), "FISH", 18)))
  })
})
