/** Tokens that take a fee from transfers, and prices that move, through the whole service on one chain with a Uniswap v2. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Array, Context, Effect, Layer, Logger, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { encodeDeployData, encodeFunctionData, type Hex, parseAbi } from "viem"
import * as ConfiguredKey from "../../src/adapters/signers/ConfiguredKey.ts"
import * as SwapTargets from "../../src/adapters/evm/contracts/SwapTargets.ts"
import * as OrchestratorApp from "../../src/apps/OrchestratorApp.ts"
import { orchestratorDefaults as defaults } from "../../src/config/Orchestrator.ts"
import * as Accounts from "../../src/devnet/Accounts.ts"
import { devFeeToken } from "../../src/devnet/artifacts.generated.ts"
import * as DevExchanges from "../../src/devnet/Exchanges.ts"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"
import * as Ports from "../../src/devnet/Ports.ts"
import { run, Script } from "../../src/devnet/Script.ts"
import { units } from "../../src/devnet/Tokens.ts"
import { openPool } from "../../src/devnet/Uniswap.ts"
import { lessBps } from "../../src/domain/Amount.ts"
import { address } from "../support/FakeChain.ts"
import { Exchanges } from "../support/Exchanges.ts"
import { withLiveClock } from "../support/LiveClock.ts"
import { OneChain } from "../support/OneChain.ts"
import { TestServer } from "../support/Postgres.ts"
import { unlimited } from "../support/RateLimits.ts"
import { balanceOf, freshOwner, type Owner, type Place } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import { asUser } from "../adapters/evm/contracts/asUser.ts"

/** Fees of the token's code, in basis points. */
const FEES = [0, 100, 900] as const

const routerAbi = parseAbi([
  "function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96)) returns (uint256)"
])

class Scene extends Context.Service<
  Scene,
  {
    readonly client: SweepClient.SweepClient
    readonly place: Place
    /** Changes the fee of FOT. */
    readonly takes: (bps: (typeof FEES)[number]) => Effect.Effect<void>
  }
>()("sweep/test/TransferFees") {}

/** The token's code for each fee, which is a constant of the code. */
const codesOf = Effect.fnUntraced(function* (one: OneChain["Service"]) {
  const script = new Script(address(0xd3))
  yield* one.node.ask("endow", (node) => node.setBalance({ address: script.sender, value: 10n ** 20n }))
  const deployed = FEES.map((bps) =>
    script.deploy(
      `FOT with ${bps}`,
      encodeDeployData({
        abi: devFeeToken.abi,
        bytecode: devFeeToken.creationCode,
        args: ["Fee On Transfer Token", "FOT", BigInt(bps)]
      })
    )
  )
  yield* run(one.node, script)
  return yield* Effect.forEach(deployed, (at) => one.node.ask("read code", (node) => node.getCode({ address: at })))
})

/** Opens a pool of Uniswap v3 while the token takes nothing: it sets the price on the chain, and cannot be sold to afterwards. */
const openV3 = Effect.fnUntraced(function* (one: OneChain["Service"]) {
  const script = new Script(address(0xd2))
  yield* one.node.ask("endow", (node) => node.setBalance({ address: script.sender, value: 10n ** 20n }))
  const symbols = ["FOT", "USDC"] as const
  const side = (token: (typeof symbols)[number]) => ({ token: one.tokens[token], amount: units(token, 100_000n) })
  yield* Effect.forEach(symbols, (token) => one.fund(script.sender, { token, amount: units(token, 100_000n) }))
  const { positionManager } = one.uniswap
  DevExchanges.approve(script, [one.tokens.FOT, one.tokens.USDC], positionManager)
  openPool(script, positionManager, { label: "FOT/USDC", fee: 3_000, sides: [side("FOT"), side("USDC")] })
  yield* run(one.node, script)
})

const scene = Effect.gen(function* () {
  const one = yield* OneChain
  const { v2 } = yield* Exchanges
  const server = yield* TestServer
  const codes = yield* codesOf(one)
  const takes: Scene["Service"]["takes"] = (bps) =>
    Effect.orDie(
      one.node.ask("change the fee", async (node) => {
        await node.setCode({ address: one.tokens.FOT, bytecode: codes[FEES.indexOf(bps)] ?? "0x" })
        await node.mine({ blocks: 1 })
      })
    )
  yield* takes(0)
  yield* openV3(one)
  yield* takes(100)
  yield* asUser(one, one.deployer).send(one.chain.contracts.guard, SwapTargets.encodeSet(v2.router, "router", true))
  yield* one.node.ask("let the timelock pass", async (node) => {
    await node.increaseTime({ seconds: 61 })
    await node.mine({ blocks: 1 })
  })
  const chain = { ...one.chain, venues: [{ name: "sushi-v2", family: "uniswap-v2" as const, router: v2.router }] }
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
      keys: ConfiguredKey.IN_PROCESS,
      settings: {
        ...defaults,
        relayer: { ...defaults.relayer, pollMillis: 100 },
        watcher: { ...defaults.watcher, pollMillis: 100 }
      },
      server: { rateLimits: unlimited },
      host: "127.0.0.1",
      port,
      acrossFees: { fixedBps: 10 },
      prices: "onchain",
      builderBackend: undefined
    })
  )
  const dev = { ...one, chain }
  return {
    client: SweepClient.make(`http://127.0.0.1:${port}`),
    place: { dev, info: DevNetwork.describe(dev) },
    takes
  } satisfies Scene["Service"]
})

const sceneLayer = Layer.effect(Scene, withLiveClock(scene)).pipe(
  Layer.provideMerge(Exchanges.layer),
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

const RECIPIENT: Hex = address(0x7e)

const quoted = Effect.fnUntraced(function* (owner: Owner, tokenIn: string, amountIn: string, tokenOut: string) {
  const { client, place } = yield* Scene
  const request = { owner: owner.address, chain: place.info, tokenIn, amountIn, tokenOut, destination: RECIPIENT }
  return yield* Effect.promise(() => client.quote(request))
})

/** Quotes all that a new owner holds. */
const offered = Effect.fnUntraced(function* (
  tokenIn: Parameters<Place["dev"]["fund"]>[1]["token"],
  amountIn: string,
  tokenOut: string
) {
  const { place } = yield* Scene
  const owner = yield* freshOwner(place, tokenIn, amountIn)
  const quote = yield* quoted(owner, tokenIn, amountIn, tokenOut)
  assert.strictEqual(quote.status, 200, quote.text)
  const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
  return { owner, quote, signed }
})

type Offered = Effect.Success<ReturnType<typeof offered>>

const amountOf = ({ quote }: Pick<Offered, "quote">, field: string) => BigInt(quote.string(field))

const submitted = Effect.fnUntraced(function* ({ signed }: Offered) {
  const { client } = yield* Scene
  yield* Effect.promise(() => client.submitAccepted(signed))
})

const ended = Effect.fnUntraced(function* ({ signed }: Offered) {
  const { client } = yield* Scene
  return yield* Effect.promise(() => client.ended(signed.quoteId))
})

const delivered = Effect.fnUntraced(function* (offer: Offered) {
  yield* submitted(offer)
  const intent = yield* ended(offer)
  assert.strictEqual(intent.string("status"), "delivered", intent.text)
})

/** Sells BLK until its price has fallen by about this many basis points. Its pool has 300 million dollars on each side. */
const pressBlk = Effect.fnUntraced(function* (bps: bigint) {
  const {
    place: { dev }
  } = yield* Scene
  const [user] = Accounts.users()
  if (user === undefined) return assert.fail("the local network has users")
  const seller = asUser(dev, user)
  // The price of a pool over the full range falls with the square of what is sold.
  const amountIn = (units("BLK", 150_000_000n) * bps) / 20_000n
  yield* dev.fund(user.address, { token: "BLK", amount: amountIn })
  yield* seller.approve(dev.tokens.BLK, dev.uniswap.swapRouter)
  const params = {
    tokenIn: dev.tokens.BLK,
    tokenOut: dev.tokens.USDC,
    fee: 3_000,
    recipient: user.address,
    amountIn,
    amountOutMinimum: 0n,
    sqrtPriceLimitX96: 0n
  }
  const { status } = yield* seller.send(
    dev.uniswap.swapRouter,
    encodeFunctionData({ abi: routerAbi, functionName: "exactInputSingle", args: [params] })
  )
  assert.strictEqual(status, "success")
})

layer(sceneLayer, { excludeTestServices: true, timeout: "2 minutes" })("sweeps by what arrives", (it) => {
  it.effect("sell a token that takes a fee, by Uniswap v2", () =>
    Effect.gen(function* () {
      const { place } = yield* Scene
      const collected = yield* balanceOf(place, "FOT", place.info.feeRecipient)
      const offer = yield* offered("FOT", "500", "USDC")
      assert.strictEqual(offer.quote.string("quote.provider"), "sushi-v2")
      const taken = Number(offer.quote.at("quote.transferFeeBps"))
      assert.isTrue(taken >= 98 && taken <= 100, `${taken} basis points`)
      const [estimate, minimum] = [amountOf(offer, "quote.estimatedAmountOut"), amountOf(offer, "quote.minAmountOut")]
      assert.strictEqual(minimum, lessBps(estimate, Number(offer.quote.at("quote.slippageBps"))))
      assert.strictEqual(minimum, amountOf(offer, "order.minAmountOut"))
      yield* delivered(offer)
      assert.strictEqual(yield* balanceOf(place, "USDC", RECIPIENT), estimate)
      const fee = amountOf(offer, "order.feeAmount")
      assert.strictEqual((yield* balanceOf(place, "FOT", place.info.feeRecipient)) - collected, fee - fee / 100n)
      assert.strictEqual(yield* balanceOf(place, "FOT", offer.owner.address), 0n)
    })
  )

  it.effect("buy a token that takes a fee, and promise what arrives", () =>
    Effect.gen(function* () {
      const { place } = yield* Scene
      const offer = yield* offered("USDC", "500", "FOT")
      const taken = Number(offer.quote.at("quote.transferFeeBps"))
      assert.isTrue(taken >= 98 && taken <= 101, `${taken} basis points`)
      yield* delivered(offer)
      assert.strictEqual(yield* balanceOf(place, "FOT", RECIPIENT), amountOf(offer, "quote.estimatedAmountOut"))
    })
  )

  it.effect("do not transfer a token alone, and sell one that takes nearly the limit", () =>
    Effect.gen(function* () {
      const { place, takes } = yield* Scene
      const owner = yield* freshOwner(place, "FOT", "100")
      const same = yield* quoted(owner, "FOT", "100", "FOT")
      assert.deepStrictEqual([same.status, same.headers.get("sweep-reason")], [422, "same_token"])
      yield* takes(900)
      const high = yield* quoted(owner, "FOT", "100", "USDC")
      yield* takes(100)
      assert.strictEqual(high.status, 200, high.text)
      assert.isTrue(Number(high.at("quote.transferFeeBps")) > 880)
    })
  )

  it.effect(
    "wait for a fee that was raised after the quote, and for a price beyond the tolerance, without a loss",
    () =>
      Effect.gen(function* () {
        const { place, takes } = yield* Scene
        const taxed = yield* offered("FOT", "500", "USDC")
        const near = yield* offered("BLK", "1000", "USDC")
        yield* pressBlk(10n)
        yield* delivered(near)
        const far = yield* offered("BLK", "1000", "USDC")
        const tolerance = BigInt(Number(far.quote.at("quote.slippageBps")))
        assert.isTrue(tolerance >= 20n && tolerance <= 60n, `${tolerance} basis points`)
        yield* pressBlk(tolerance + 20n)
        yield* takes(900)
        yield* submitted(taxed)
        yield* submitted(far)
        // Claimed with them, or later.
        yield* delivered(yield* offered("WBTC", "0.01", "USDC"))
        yield* Effect.orDie(
          place.dev.node.ask("let the deadlines pass", async (node) => {
            await node.increaseTime({ seconds: 1_000 })
            await node.mine({ blocks: 2 })
          })
        )
        for (const [offer, token] of [
          [taxed, "FOT"],
          [far, "BLK"]
        ] as const) {
          const intent = yield* ended(offer)
          assert.notInclude(intent.text, "txHash")
          assert.deepStrictEqual(
            [intent.string("status"), intent.string("failureReason")],
            ["failed", "simulation_failed"]
          )
          assert.strictEqual(yield* balanceOf(place, token, offer.owner.address), amountOf(offer, "order.amountIn"))
        }
      })
  )
})
