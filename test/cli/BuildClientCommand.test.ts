/** `./sweep build-client` replaces a build of the client, and nothing else. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem, Path } from "effect"
import * as Deployment from "../../src/adapters/evm/contracts/Deployment.ts"
import { shippedBy } from "../../src/cli/BuildClientCommand.ts"
import { projectRoot } from "../../src/cli/Project.ts"
import * as readers from "../../src/sdk/venues.ts"
import { address } from "../support/FakeChain.ts"
import { sweep } from "./sweep.ts"

layer(BunServices.layer, { excludeTestServices: true })("sweep build-client", (it) => {
  it.effect("refuses a directory with other files, and leaves them", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* fs.makeTempDirectoryScoped()
      const file = path.join(directory, "notes.txt")
      yield* fs.writeFileString(file, "mine")
      for (const target of [directory, projectRoot]) {
        const { code, err } = yield* sweep(["build-client", target])
        assert.strictEqual(code, 1)
        assert.match(err, /is not empty and holds no build of the client/)
      }
      assert.strictEqual(yield* fs.readFileString(file), "mine")
    })
  )

  it.effect("computes the delegates of a chains file, or takes those that the file fixes", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
      const local = {
        name: "local",
        nativeSymbol: "ETH",
        rpcUrls: ["http://127.0.0.1:1"],
        feeRecipient: address(0xf1),
        guardOwner: address(0x99),
        wrappedNative: address(0xe1),
        stables: [],
        swapRouter: address(0x5a),
        sanctionsOracle: address(0xc4),
        confirmations: 1,
        blockTimeMillis: 1_000,
        tokens: []
      }
      const contracts = { delegate: address(0xd1), guard: address(0xd2), entry: address(0xd3) }
      yield* fs.writeFileString(
        file,
        JSON.stringify([
          { ...local, id: 31_337 },
          { ...local, id: 31_338, name: "other", contracts }
        ])
      )
      const { delegate } = Deployment.plan({
        chainId: 31_337,
        guardOwner: local.guardOwner,
        timelockSeconds: 172_800,
        feeRecipient: local.feeRecipient,
        wrappedNative: local.wrappedNative,
        domainName: "Service",
        routers: [local.swapRouter],
        bridges: []
      }).contracts
      assert.deepStrictEqual((yield* shippedBy(file)).delegates, {
        31_337: delegate.address,
        31_338: contracts.delegate
      })
    })
  )

  it.effect("takes the routers of a chains file with their readers, and the domain name", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const file = path.join(yield* fs.makeTempDirectoryScoped(), "chains.json")
      const chain = {
        nativeSymbol: "ETH",
        rpcUrls: ["http://127.0.0.1:1"],
        feeRecipient: address(0xf1),
        guardOwner: address(0x99),
        wrappedNative: address(0xe1),
        stables: [],
        sanctionsOracle: address(0xc4),
        confirmations: 1,
        blockTimeMillis: 1_000,
        tokens: []
      }
      const quoter = address(0x9)
      const factory = address(0xfa)
      const venues = [
        { name: "pairs", family: "uniswap-v2", router: address(0x51) },
        { name: "other-v3", family: "uniswap-v3", router: address(0x52), quoter },
        { name: "first-v3", family: "uniswap-v3", router: address(0x53), quoter, hasDeadlineInSwap: true },
        { name: "basic", family: "solidly", router: address(0x54), factory },
        { name: "ticks", family: "slipstream", router: address(0x55), quoter },
        { name: "pools", family: "uniswap-v4", router: address(0x56), quoter, poolManager: address(0x40) }
      ]
      yield* fs.writeFileString(
        file,
        JSON.stringify([
          { ...chain, id: 31_337, name: "local", swapRouter: address(0x5a), quoter, venues },
          { ...chain, id: 31_338, name: "other" }
        ])
      )
      const { domainName, routers } = yield* shippedBy(file).pipe(
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ EIP712_DOMAIN_NAME: "Dust" })))
      )
      assert.strictEqual(domainName, "Dust")
      assert.deepStrictEqual(routers, {
        31_337: {
          [address(0x5a)]: "readSwapRouter02",
          [address(0x51)]: "readUniswapV2Call",
          [address(0x52)]: "readSwapRouter02",
          [address(0x53)]: "readUniswapV3Call",
          [address(0x54)]: "readSolidlyCall",
          [address(0x55)]: "readSlipstreamCall",
          [address(0x56)]: "readUniswapV4Call"
        }
      })
      // Each of them is a reader of the client.
      for (const reader of Object.values(routers[31_337] ?? {})) assert.property(readers, reader)
    })
  )

  it.effect("builds nothing for a chains file that it cannot read", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* fs.makeTempDirectoryScoped()
      const target = path.join(directory, "client")
      const missing = path.join(directory, "chains.json")
      const { code, err } = yield* sweep(["build-client", target, "--chains", missing])
      assert.strictEqual(code, 1)
      assert.include(err, missing)
      assert.isFalse(yield* fs.exists(target))
    })
  )
})
