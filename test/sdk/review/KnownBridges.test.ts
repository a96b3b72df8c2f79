/** The built-in facts about the bridge agree with the service's chains and with Across's own list. */
import deployed from "@across-protocol/contracts/dist/broadcast/deployed-addresses.json" with { type: "json" }
import { assert, describe, it } from "vitest"
import { KNOWN_CHAINS } from "../../../src/adapters/evm/chains/KnownChains.ts"
import { KNOWN_BRIDGES, KNOWN_ROUTERS } from "../../../src/sdk/index.ts"

describe("the known bridges", () => {
  it("are those of the service's public chains and of Across's list", () => {
    const ofService = Object.entries(KNOWN_CHAINS).map(
      ([id, { spokePool, spokePoolPeriphery: periphery, tokens, wrappedNative }]) => [
        id,
        {
          spokePool,
          periphery,
          wrappedNative,
          tokens: Object.fromEntries(tokens.map((token) => [token.symbol, token.address]))
        }
      ]
    )
    assert.deepStrictEqual<unknown>(KNOWN_BRIDGES, Object.fromEntries(ofService))
    const chains: Readonly<Record<string, { readonly contracts: Readonly<Record<string, { address: string }>> }>> =
      deployed.chains
    for (const [id, { spokePool }] of Object.entries(KNOWN_BRIDGES)) {
      assert.strictEqual(chains[id]?.contracts["SpokePool"]?.address, spokePool)
    }
  })

  it("come with the routers of the service's public chains", () => {
    const routers = Object.entries(KNOWN_CHAINS).map(([id, { swapRouter }]) => [id, swapRouter])
    assert.deepStrictEqual(KNOWN_ROUTERS, Object.fromEntries(routers))
  })

  it("name an asset alike on all chains, with equal decimals", () => {
    const listed = Object.values(KNOWN_CHAINS).flatMap(({ tokens }) => tokens)
    for (const { decimals, symbol } of listed) {
      assert.strictEqual(decimals, listed.find((token) => token.symbol === symbol)?.decimals)
    }
  })
})
