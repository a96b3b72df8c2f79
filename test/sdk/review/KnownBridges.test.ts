/** The built-in facts about the bridge agree with the service's chains and with Across's own list. */
import deployed from "@across-protocol/contracts/dist/broadcast/deployed-addresses.json" with { type: "json" }
import { assert, describe, it } from "vitest"
import { KNOWN_CHAINS } from "../../../src/catalog/KnownChains.ts"
import { KNOWN_BRIDGES, KNOWN_ROUTERS } from "../../../src/sdk/index.ts"

describe("the known bridges", () => {
  it("are those of the service's public chains and of Across's list", () => {
    const ofService = Object.entries(KNOWN_CHAINS).map(
      ([id, { assets, spokePool, spokePoolPeriphery: periphery, wrappedNative }]) => [
        id,
        { spokePool, periphery, wrappedNative, tokens: assets }
      ]
    )
    const ofClient = Object.entries(KNOWN_BRIDGES).map(([id, { periphery, spokePool, tokens, wrappedNative }]) => [
      id,
      { periphery, spokePool, tokens, wrappedNative }
    ])
    assert.deepStrictEqual<unknown>(Object.fromEntries(ofClient), Object.fromEntries(ofService))
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

  it("count each asset in the decimals of the service's token list", () => {
    for (const [id, { decimals, tokens }] of Object.entries(KNOWN_BRIDGES)) {
      for (const [name, address] of Object.entries(tokens)) {
        const listed = KNOWN_CHAINS[Number(id)]?.tokens.find((token) => token.address === address)
        assert.strictEqual(decimals[name], listed?.decimals, `${name} on ${id}`)
      }
    }
  })
})
