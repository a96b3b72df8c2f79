/** An entry of the chains file becomes a chain. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as ChainSettings from "../../../../src/adapters/evm/chains/ChainSettings.ts"
import * as Deployment from "../../../../src/adapters/evm/contracts/Deployment.ts"
import { KNOWN_CHAINS } from "../../../../src/catalog/KnownChains.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { Chain } from "../../../../src/domain/Chain.ts"
import { address } from "../../../support/FakeChain.ts"

const RPC = "https://node.example/v1/SECRET"

const entry = (id: number) => ({ id, rpcUrls: [RPC], feeRecipient: address(0xf1), guardOwner: address(0x99) })

const decode = (value: unknown) =>
  Schema.decodeUnknownEffect(ChainSettings.ChainSettings)(ChainSettings.withKnownFacts(value))

const ids = Object.keys(KNOWN_CHAINS).map(Number)

describe("known facts", () => {
  it.effect.each(ids)("make chain %i of its id, endpoints, fee recipient and guard's owner alone", (id) =>
    Effect.gen(function* () {
      const settings = yield* decode(entry(id))
      const chain = ChainSettings.chainOf(settings, "Service")
      // Decodes as the domain's own description of a chain: nothing is missing or malformed.
      yield* Schema.decodeUnknownEffect(Schema.toType(Chain))(chain)
      assert.isTrue(chain.tokens.every((token) => token.chainId === id))
      assert.isTrue(chain.stables.every((stable) => chain.tokens.some((token) => token.address === stable)))
      assert.strictEqual(chain.permit2, Address.of("0x000000000022D473030F116dDEE9F6B43aC78BA3"))
      assert.strictEqual(chain.multicall3, Address.of("0xcA11bde05977b3631167028862bE2a173976CA11"))
    })
  )

  it("have different names", () => {
    const names = ids.map((id) => KNOWN_CHAINS[id]?.name)
    assert.deepStrictEqual([...new Set(names)], names)
  })

  it.effect("give way to what the operator says", () =>
    Effect.gen(function* () {
      const settings = yield* decode({
        ...entry(8453),
        name: "my base",
        confirmations: 42,
        swapRouter: address(0x51),
        permit2: address(0x52),
        sanctionsOracle: address(0x53)
      })
      assert.strictEqual(settings.name, "my base")
      assert.strictEqual(settings.confirmations, 42)
      assert.strictEqual(settings.swapRouter, address(0x51))
      assert.strictEqual(settings.permit2, address(0x52))
      assert.strictEqual(settings.sanctionsOracle, address(0x53))
      assert.strictEqual(settings.wrappedNative, Address.of(KNOWN_CHAINS[8453]?.wrappedNative ?? ""))
    })
  )

  it.effect("keep their assets beside those that the operator states", () =>
    Effect.gen(function* () {
      const known = KNOWN_CHAINS[8453]?.assets ?? {}
      const settings = yield* decode({ ...entry(8453), assets: { EURC: address(0x61), DAI: address(0x62) } })
      assert.deepStrictEqual<unknown>(settings.assets, { ...known, EURC: address(0x61), DAI: address(0x62) })
      assert.deepStrictEqual(ChainSettings.ownAssets(settings), ["DAI", "EURC"])
      assert.deepStrictEqual(ChainSettings.ownAssets(yield* decode(entry(8453))), [])
      for (const assets of ["USDC", { "a name": address(1) }, { USDC: "0x12" }, { USDC: address(0) }]) {
        yield* Effect.flip(decode({ ...entry(8453), assets }))
      }
    })
  )

  it.effect("are none for other chains, whose entries say it all", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(decode(entry(5)))
      assert.include(message, "name")
      const { rpcUrls: _urls, ...known } = { ...KNOWN_CHAINS[1], rpcUrls: undefined }
      assert.strictEqual((yield* decode({ ...entry(5), ...known, name: "five" })).name, "five")
    })
  )
})

describe("the chain of an entry", () => {
  it.effect("tells nobody the endpoints, nor who owns the guard", () =>
    Effect.gen(function* () {
      const own = { broadcastUrls: [RPC], privateUrls: [RPC], publicAfterSeconds: 12 }
      const chain = ChainSettings.chainOf(yield* decode({ ...entry(8453), ...own }), "Service")
      const told = JSON.stringify(yield* Schema.encodeEffect(Chain)(chain)) + Object.keys(chain).join()
      assert.notInclude(told, "SECRET")
      assert.notInclude(told, address(0x99))
      assert.notInclude(told, "rpcUrls")
      assert.notInclude(told, "publicAfterSeconds")
    })
  )

  it.effect("has its contracts where the deployment puts them, unless the entry says where they are", () =>
    Effect.gen(function* () {
      const settings = yield* decode(entry(8453))
      const {
        delegate,
        entry: batch,
        guard
      } = Deployment.plan(ChainSettings.deploymentOf(settings, "Service")).contracts
      assert.deepStrictEqual(ChainSettings.chainOf(settings, "Service").contracts, {
        delegate: delegate.address,
        guard: guard.address,
        entry: batch.address
      })
      assert.notStrictEqual(ChainSettings.chainOf(settings, "Renamed").contracts.delegate, delegate.address)

      const contracts = { delegate: address(1), guard: address(2), entry: address(3) }
      const placed = ChainSettings.chainOf({ ...settings, contracts }, "Service")
      assert.deepStrictEqual(placed.contracts, contracts)
      assert.deepStrictEqual(placed.earlierContracts, [])

      const earlierContracts = [contracts]
      for (const fixed of [
        { earlierContracts },
        { contracts: { ...contracts, entry: address(4) }, earlierContracts }
      ]) {
        const chain = ChainSettings.chainOf({ ...settings, ...fixed }, "Service")
        assert.deepStrictEqual(chain.earlierContracts, earlierContracts)
      }
    })
  )

  it.effect("has the first generation's contracts only if the entry names their guard", () =>
    Effect.gen(function* () {
      const settings = yield* decode(entry(8453))
      const built = ChainSettings.chainOf(settings, "Service")
      assert.deepStrictEqual(built.earlierContracts, [])
      assert.isUndefined(built.priorGuard)

      const [first] = Deployment.earlierPlans(ChainSettings.deploymentOf(settings, "Service"))
      const { delegate, entry: batch, guard } = first?.contracts ?? assert.fail("no first generation")
      const named = ChainSettings.chainOf({ ...settings, priorGuard: guard.address }, "Service")
      assert.deepStrictEqual(named.earlierContracts, [
        { delegate: delegate.address, guard: guard.address, entry: batch.address }
      ])
      assert.strictEqual(named.priorGuard, guard.address)

      // It may be deployed with other arguments than those of today.
      const elsewhere = ChainSettings.chainOf(
        { ...settings, feeRecipient: address(0xf7), priorGuard: guard.address },
        "Service"
      )
      assert.deepStrictEqual(elsewhere.earlierContracts, named.earlierContracts)
    })
  )

  it.effect("reads its former pools, which its contracts never list", () =>
    Effect.gen(function* () {
      const formerSpokePools = [address(0x5d), address(0x5e)]
      const before = yield* decode(entry(8453))
      const settings = yield* decode({ ...entry(8453), formerSpokePools })
      const chain = ChainSettings.chainOf(settings, "Service")
      assert.deepStrictEqual(chain, { ...ChainSettings.chainOf(before, "Service"), formerSpokePools })
      const { bridges, routers } = ChainSettings.deploymentOf(settings, "Service")
      assert.isTrue(formerSpokePools.every((pool) => ![...bridges, ...routers].includes(pool)))
      for (const wrong of ["0x12", [address(0)], ["0x12"]]) {
        yield* Effect.flip(decode({ ...entry(8453), formerSpokePools: wrong }))
      }
    })
  )

  it.effect("reads its former vaults, which new quotes never name", () =>
    Effect.gen(function* () {
      const formerVaults = [address(0x5d), address(0x5e)]
      const before = ChainSettings.chainOf(yield* decode(entry(8453)), "Service")
      const settings = yield* decode({ ...entry(8453), formerVaults })
      assert.deepStrictEqual(ChainSettings.chainOf(settings, "Service"), { ...before, formerVaults })
      for (const wrong of ["0x12", [address(0)], ["0x12"]]) {
        yield* Effect.flip(decode({ ...entry(8453), formerVaults: wrong }))
      }
    })
  )

  it.effect("pays builders of the ledger by way of the vault, or of the fee recipient where there is none", () =>
    Effect.gen(function* () {
      const settings = yield* decode(entry(8453))
      assert.strictEqual(ChainSettings.chainOf(settings, "Service").builderVault, address(0xf1))
      const vaulted = yield* decode({ ...entry(8453), builderVault: address(0xf2) })
      assert.strictEqual(ChainSettings.chainOf(vaulted, "Service").builderVault, address(0xf2))
    })
  )
})

describe("a deployment", () => {
  it.effect(
    "allows exactly the router, the SpokePool and its periphery of the entry, after two days unless it says otherwise",
    () =>
      Effect.gen(function* () {
        const settings = yield* decode(entry(8453))
        const deployment = ChainSettings.deploymentOf(settings, "Service")
        assert.deepStrictEqual<ReadonlyArray<unknown>>(deployment.routers, [settings.swapRouter])
        assert.deepStrictEqual<ReadonlyArray<unknown>>(deployment.bridges, [
          settings.spokePool,
          settings.spokePoolPeriphery
        ])
        assert.strictEqual(deployment.timelockSeconds, 172_800)
        assert.strictEqual(deployment.guardOwner, address(0x99))
        const { spokePool: _pool, spokePoolPeriphery: _periphery, ...without } = settings
        const bare = ChainSettings.deploymentOf(without, "Service")
        assert.deepStrictEqual<ReadonlyArray<unknown>>(bare.routers, [settings.swapRouter])
        assert.deepStrictEqual(bare.bridges, [])
        // Every entry that decodes can be deployed.
        yield* Schema.decodeUnknownEffect(Deployment.Deployment)(deployment)
        yield* Effect.flip(decode({ ...entry(8453), timelockSeconds: -1 }))
      })
  )
})
