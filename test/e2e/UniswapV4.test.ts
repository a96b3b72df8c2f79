/** A sweep by Uniswap v4 through the whole service, after its router was deployed and listed. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Array, Context, Effect, Layer, Logger, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as SwapTargets from "../../src/adapters/evm/contracts/SwapTargets.ts"
import * as OrchestratorApp from "../../src/apps/OrchestratorApp.ts"
import { orchestratorDefaults as defaults } from "../../src/config/Orchestrator.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import * as DevExchanges from "../../src/devnet/Exchanges.ts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import { run, Script } from "../../src/devnet/Script.ts"
import { units } from "../../src/devnet/Tokens.ts"
import * as UniswapV4 from "../../src/devnet/UniswapV4.ts"
import { readVenueCall } from "../../src/sdk/venues.ts"
import { address } from "../support/FakeChain.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { OneChain } from "../support/OneChain.ts"
import { TestServer } from "../support/Postgres.ts"
import { unlimited } from "../support/RateLimits.ts"
import { balanceOf, freshOwner, type Place } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import { asUser } from "../adapters/evm/contracts/asUser.ts"

const HOST = "127.0.0.1"

class Scene extends Context.Service<
  Scene,
  { readonly client: SweepClient.SweepClient; readonly place: Place; readonly v4: UniswapV4.UniswapV4 }
>()("sweep/test/UniswapV4") {}

/** Deploys Uniswap v4 with a pool of BLK and USDC that takes a thirtieth of the fee that Uniswap v3 takes. */
const deployed = Effect.fnUntraced(function* (one: OneChain["Service"]) {
  const script = new Script(address(0xd4))
  yield* one.node.ask("endow", (node) => node.setBalance({ address: script.sender, value: 10n ** 20n }))
  const v4 = UniswapV4.deploy(script, yield* UniswapV4.load, one.tokens)
  const sides = [
    { token: one.tokens.BLK, amount: units("BLK", 5_000_000n) },
    { token: one.tokens.USDC, amount: units("USDC", 10_000_000n) }
  ] as const
  yield* one.fund(script.sender, { token: "BLK", amount: sides[0].amount })
  yield* one.fund(script.sender, { token: "USDC", amount: sides[1].amount })
  DevExchanges.approve(script, [one.tokens.BLK, one.tokens.USDC], v4.liquidity)
  UniswapV4.openPool(script, v4, { fee: 100, tickSpacing: 1 }, sides)
  yield* run(one.node, script)
  return v4
})

const scene = Effect.gen(function* () {
  const one = yield* OneChain
  const server = yield* TestServer
  const v4 = yield* deployed(one)
  const { poolManager, quoter, router } = v4
  yield* asUser(one, one.deployer).send(one.chain.contracts.guard, SwapTargets.encodeSet(router, "router", true))
  yield* one.node.ask("let the timelock pass", async (node) => {
    await node.increaseTime({ seconds: 61 })
    await node.mine({ blocks: 1 })
  })
  const venue = { name: "uniswap-v4", family: "uniswap-v4", router, quoter, poolManager } as const
  const chain = { ...one.chain, venues: [venue] }
  const port = yield* Ports.free
  yield* Layer.build(
    OrchestratorApp.layer({
      chains: [{ chain, rpcUrls: [one.rpcUrl] }],
      databaseUrl: Redacted.make(yield* server.createMigrated),
      databasePoolSize: 10,
      relayerKeys: Array.map(Accounts.relayers(), ({ privateKey }) => ({
        kind: "raw",
        key: Redacted.make(privateKey)
      })),
      settings: {
        ...defaults,
        relayer: { ...defaults.relayer, pollMillis: 100 },
        watcher: { ...defaults.watcher, pollMillis: 100 }
      },
      server: { rateLimits: unlimited },
      host: HOST,
      port,
      acrossFees: { fixedBps: 10 },
      prices: "onchain",
      builderBackend: undefined
    })
  )
  const dev = { ...one, chain }
  const place = { dev, info: DevNetwork.describe(dev) }
  return { client: SweepClient.make(`http://${HOST}:${port}`), place, v4 }
})

const sceneLayer = Layer.effect(Scene, withLiveClock(scene)).pipe(
  Layer.provideMerge(OneChain.layer),
  Layer.provide([
    TestServer.layer,
    BunServices.layer,
    SecureRandom.layerWebCrypto,
    FetchHttpClient.layer,
    Logger.layer([])
  ]),
  Layer.orDie
)

layer(sceneLayer, { excludeTestServices: true, timeout: "2 minutes" })("a sweep by Uniswap v4", (it) => {
  it.effect("is quoted where it pays most, and delivers the estimate", () =>
    Effect.gen(function* () {
      const { client, place, v4 } = yield* Scene
      const recipient = address(0x7f)
      const owner = yield* freshOwner(place, "BLK", "1000")
      const quote = yield* Effect.promise(() =>
        client.quote({
          owner: owner.address,
          chain: place.info,
          tokenIn: "BLK",
          amountIn: "1000",
          tokenOut: "USDC",
          destination: recipient
        })
      )
      assert.strictEqual(quote.status, 200, quote.text)
      assert.strictEqual(quote.string("quote.provider"), "uniswap-v4")
      assert.strictEqual(quote.string("order.swapTarget"), v4.router)
      // The client of the owner reads the terms that the order has.
      const calldata = quote.string("order.swapCalldata") as `0x${string}`
      assert.deepInclude(readVenueCall(v4.router, calldata), {
        tokenIn: place.dev.tokens.BLK,
        tokenOut: place.dev.tokens.USDC,
        recipient,
        amountIn: BigInt(quote.string("order.amountIn")) - BigInt(quote.string("order.feeAmount"))
      })
      const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
      yield* Effect.promise(() => client.submitAccepted(signed))
      const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
      assert.strictEqual(ended.string("status"), "delivered", ended.text)
      const estimate = BigInt(quote.string("quote.estimatedAmountOut"))
      const received = yield* balanceOf(place, "USDC", recipient)
      // Between two amounts that were read, outputs are interpolated.
      assert.isTrue(received >= estimate && received - estimate < estimate / 100_000n, `${received} for ${estimate}`)
      assert.strictEqual(yield* balanceOf(place, "BLK", owner.address), 0n)
      for (const token of ["BLK", "USDC"] as const) {
        assert.strictEqual(yield* balanceOf(place, token, v4.router), 0n)
      }
    })
  )
})
