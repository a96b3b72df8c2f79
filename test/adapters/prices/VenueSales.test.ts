/** Worth of fees in tokens that only other exchanges than Uniswap v3 trade, on their real contracts. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi } from "viem"
import { MULTICALL3 } from "../../../src/devnet/Essentials.ts"
import { mint } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address } from "../../support/FakeChain.ts"
import { BLOCK_SECONDS, byMulticall3, CHAIN, HOLDER, type OfNodes, placed, Scene, WHOLE, worth } from "./venueScene.ts"

const exchangeAbi = parseAbi([
  "function factory() view returns (address)",
  "function getPair(address,address) view returns (address)",
  "function removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)",
  "function swapExactTokensForTokens(uint256,uint256,address[],address,uint256)"
])

/** The exchange, a token and the money of its pool. */
const pool = Effect.fnUntraced(function* (symbol: string) {
  const { plan } = yield* Scene
  const { address: token } = yield* placed(symbol)
  const exchange = plan.site.exchanges.find(({ shape }) => shape.name === "pancakeswap-v2")
  return { token, money: plan.money.USDC, exchange: exchange ?? (yield* Effect.die("no exchange")) }
})

/** Adds these dollars to each side of the token's pool. */
const fill = Effect.fnUntraced(function* (symbol: string, usd: bigint) {
  const { exchange, money, token } = yield* pool(symbol)
  yield* byMulticall3([
    { target: token, callData: mint(MULTICALL3, usd * WHOLE) },
    ...exchange.open(
      0,
      [
        { token, amount: usd * WHOLE, decimals: 18 },
        { token: money, amount: usd * 10n ** 6n, decimals: 6 }
      ],
      MULTICALL3
    )
  ])
})

/** Takes a part of the token's pool out, in percent. */
const empty = Effect.fnUntraced(function* (symbol: string, percent: bigint) {
  const { dev } = yield* Scene
  const { exchange, money, token } = yield* pool(symbol)
  const { router } = exchange
  const shares = yield* dev.node.ask("read the shares", async (client) => {
    const factory = await client.readContract({ address: router, abi: exchangeAbi, functionName: "factory" })
    const pair = await client.readContract({
      address: factory,
      abi: exchangeAbi,
      functionName: "getPair",
      args: [token, money]
    })
    const amount = await client.readContract({
      address: pair,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [MULTICALL3]
    })
    return { pair: Address.of(pair), amount }
  })
  yield* byMulticall3([
    {
      target: shares.pair,
      callData: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, shares.amount] })
    },
    {
      target: router,
      callData: encodeFunctionData({
        abi: exchangeAbi,
        functionName: "removeLiquidity",
        args: [token, money, (shares.amount * percent) / 100n, 0n, 0n, MULTICALL3, maxUint256]
      })
    }
  ])
})

/** Buys the token for these dollars, which raises its price. */
const buy = Effect.fnUntraced(function* (symbol: string, usd: bigint) {
  const { exchange, money, token } = yield* pool(symbol)
  const args = [usd * 10n ** 6n, 0n, [money, token], MULTICALL3, maxUint256] as const
  yield* byMulticall3([
    {
      target: exchange.router,
      callData: encodeFunctionData({ abi: exchangeAbi, functionName: "swapExactTokensForTokens", args })
    }
  ])
})

/** 0.01 units of native currency less the haircut. */
const EXPECTED = (8n * WHOLE) / 1_000n

/** Holds that a worth is this part of the expected one, in percent. */
const assertPart = (wei: bigint, least: bigint, most: bigint) =>
  assert.isTrue(wei * 100n > EXPECTED * least && wei * 100n <= EXPECTED * most, `${wei} wei of ${EXPECTED}`)

const assertNear = (wei: bigint) => assertPart(wei, 97n, 100n)

const DAY_SECONDS = 86_400

/** The chain with the age that pools must have elsewhere. */
const aged = (chain: Chain): Chain => ({
  ...chain,
  minPoolAgeSeconds: DAY_SECONDS,
  blockTimeMillis: BLOCK_SECONDS * 1_000
})

const pass = Effect.fnUntraced(function* (blocks: number) {
  const { dev } = yield* Scene
  yield* dev.node.ask("let time pass", (client) => client.mine({ blocks, interval: BLOCK_SECONDS }))
})

layer(Scene.layer)("worth of fees in tokens of other exchanges", (it) => {
  it.effect("is what they sell for there, less the haircut", () =>
    Effect.flatMap(Effect.scoped(worth("DEEP")), (wei) => Effect.sync(() => assertNear(wei)))
  )

  it.effect("is what a thin pool pays for it, together with all that the fee recipient holds", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      const { address } = yield* placed("THIN")
      // A pool of 150 tokens takes 30, at five sixths of the price.
      assertPart(yield* worth("THIN"), 80n, 84n)
      // It would pay for 1,030 tokens what 131 are worth.
      yield* byMulticall3([{ target: address, callData: mint(dev.chain.feeRecipient, 1_000n * WHOLE) }])
      assertPart(yield* worth("THIN"), 12n, 13n)
      assertPart(yield* worth("THIN", undefined, dev.chain.feeRecipient), 12n, 14n)
    })
  )

  it.effect("is not known while no node tells what the fee recipient holds already", () =>
    Effect.gen(function* () {
      const { address } = yield* placed("DEEP")
      const unanswered: OfNodes = (client) => ({
        ...client,
        call: (request) =>
          request.to === address
            ? Effect.fail(new ChainUnavailable({ chainId: CHAIN.id, method: "eth_call", detail: "away" }))
            : client.call(request)
      })
      const failure = yield* Effect.flip(worth("DEEP", undefined, HOLDER, unanswered))
      assert.deepInclude(failure, { _tag: "ChainUnavailable", detail: "away" })
    })
  )

  it.effect("is nothing while the guard does not list the router", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      const guard = address(0x9a)
      // A guard that lists nothing: it returns 0 for each call.
      yield* dev.node.ask("place a guard", (client) => client.setCode({ address: guard, bytecode: "0x60206000f3" }))
      const unlisted = (chain: Chain): Chain => ({ ...chain, contracts: { ...chain.contracts, guard } })
      assert.strictEqual(yield* worth("DEEP", unlisted), 0n)
    })
  )

  it.effect("counts what arrives at the fee recipient, whatever it holds already", () =>
    Effect.gen(function* () {
      const { dev } = yield* Scene
      // The tax is paid to the recipient, and by it.
      const isTaxed = (wei: bigint) => assertPart(wei, 78n, 81n)
      isTaxed(yield* worth("TAXED"))
      const { address } = yield* placed("TAXED")
      yield* byMulticall3([{ target: address, callData: mint(dev.chain.feeRecipient, 1_000n * WHOLE) }])
      isTaxed(yield* worth("TAXED"))
      assertNear(yield* worth("GROWING"))
    })
  )

  it.effect("is nothing while the pool is younger than the least age, and counts afterwards", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* worth("DEEP", aged), 0n)
      yield* pass(200)
      assertNear(yield* worth("DEEP", aged))
    })
  )

  it.effect("is nothing in an old pool that is filled for the occasion", () =>
    Effect.gen(function* () {
      yield* fill("FILLED", 100_000n)
      assertNear(yield* worth("FILLED"))
      assert.strictEqual(yield* worth("FILLED", aged), 0n)
      yield* pass(2)
      assert.strictEqual(yield* worth("FILLED", aged), 0n)
      yield* empty("EMPTIED", 99n)
      yield* empty("EMPTIED", 99n)
      yield* pass(2)
      yield* fill("EMPTIED", 100_000n)
      assertNear(yield* worth("EMPTIED"))
      assert.strictEqual(yield* worth("EMPTIED", aged), 0n)
      yield* pass(2)
      assertNear(yield* worth("EMPTIED", aged))
    })
  )

  it.effect("is at most what it was ten minutes ago", () =>
    Effect.gen(function* () {
      yield* buy("DEEP", 30_000n)
      assert.isTrue((yield* worth("DEEP")) > (EXPECTED * 3n) / 2n)
      assertNear(yield* worth("DEEP", aged))
    })
  )
})
