/** The client reads the catalog that the contract writes. */
import { assert, describe, it } from "vitest"
import { Schema } from "effect"
import * as Catalog from "../../../src/domain/Catalog.ts"
import { PricesView } from "../../../src/domain/Portfolio.ts"
import * as Sdk from "../../../src/sdk/index.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { json, stub } from "../StubFetch.ts"

const served = FakeChain.address(0xd2)

const chains = [
  {
    ...FakeChain.chain,
    explorerUrl: "https://explorer.test",
    swapRouter: served,
    quoter: served,
    spokePool: served,
    spokePoolPeriphery: served
  },
  { ...FakeChain.chain, id: FakeChain.chain.id + 1, name: "other", supportsSetCode: false }
]

describe("the catalog", () => {
  it("is read whole", async () => {
    const list = Catalog.chainList(chains)
    const tokens = Catalog.tokenList(chains, "2026-01-01T00:00:00.000Z")
    const { asked, fetch } = stub([
      () => json(200, Schema.encodeSync(Catalog.ChainList)(list)),
      () => json(200, Schema.encodeSync(Catalog.TokenList)(tokens))
    ])
    const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })
    assert.deepStrictEqual(await client.chains(), list.chains)
    const read = await client.tokens()
    assert.deepStrictEqual(
      read.map(({ address, chainId, decimals, symbol }) => ({ address, chainId, decimals, symbol })),
      tokens.tokens.map(({ address, chainId, decimals, symbol }) => ({ address, chainId, decimals, symbol }))
    )
    assert.deepStrictEqual(
      asked.map(({ url }) => url),
      ["https://sweep.test/chains", "https://sweep.test/tokens"]
    )
  })

  it("is read from an older service, which cannot swap before the bridge", async () => {
    const list = Schema.encodeSync(Catalog.ChainList)(Catalog.chainList(chains))
    assert.isTrue(list.chains[0]?.features.swapBeforeBridge)
    const older = list.chains.map(({ features: { swapBeforeBridge: _new, ...features }, ...chain }) => ({
      ...chain,
      features
    }))
    const { fetch } = stub([() => json(200, { chains: older })])
    const [first] = await Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch }).chains()
    assert.isFalse(first?.features.swapBeforeBridge)
    assert.isTrue(first?.features.swap)
  })

  it("has the prices of listed tokens, and refuses what is none", async () => {
    const { address } = FakeChain
    const price = { chainId: FakeChain.chain.id, address: address(0xd1), priceUsd: "1.000001" }
    const old = { ...price, doubtful: true }
    const view = {
      prices: [price, old].map((each) => ({ ...each, ageSeconds: 3, sources: ["chainlink"] })),
      updatedAtMs: 5
    }
    const { asked, fetch } = stub([
      () => json(200, Schema.encodeSync(PricesView)(view)),
      () => json(200, { prices: [{ chainId: 1 }] })
    ])
    const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })
    assert.deepStrictEqual(await client.prices(), [price, old])
    assert.instanceOf(await client.prices().catch((failure: unknown) => failure), Sdk.MalformedAnswerError)
    assert.strictEqual(asked[0]?.url, "https://sweep.test/prices")
  })

  it("is refused when it is not of the contract", async () => {
    const { fetch } = stub([() => json(200, { chains: [{ id: "1" }] })])
    const client = Sdk.createSweepClient({ orchestratorUrl: "https://sweep.test", fetch })
    const error = await client.chains().catch((failure: unknown) => failure)
    assert.instanceOf(error, Sdk.MalformedAnswerError)
  })
})
