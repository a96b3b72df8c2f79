/** Orders by routers of other exchanges, run by the sweep contracts on a local chain: before and after the guard lists them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as SwapTargets from "../../../src/adapters/evm/contracts/SwapTargets.ts"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as MemoryRelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as BestVenue from "../../../src/adapters/swap/BestVenue.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import * as Venues from "../../../src/adapters/swap/Venues.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import { type Symbol, units } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { Venue } from "../../../src/domain/Venue.ts"
import type { SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { SweepSimulation } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { Exchanges, type ExchangesShape } from "../../support/Exchanges.ts"
import { address } from "../../support/FakeChain.ts"
import { chainsWith, OneChain } from "../../support/OneChain.ts"
import { asUser } from "../evm/contracts/asUser.ts"

const [user] = Accounts.users()
if (user === undefined) throw new Error("the local network has users")

const RECIPIENT = address(0x77)

const venuesOf = ({ v2, v3, v4 }: ExchangesShape): ReadonlyArray<Venue> => [
  { name: "sushi-v2", family: "uniswap-v2", router: v2.router },
  { name: "pancake-v3", family: "uniswap-v3", router: v3.swapRouter, quoter: v3.quoter, feeTiers: [100, 500, 2_500] },
  {
    name: "sushi-v3",
    family: "uniswap-v3",
    router: v3.firstRouter,
    quoter: v3.quoter,
    feeTiers: [100, 500, 2_500],
    hasDeadlineInSwap: true
  },
  {
    name: "uniswap-v4",
    family: "uniswap-v4",
    router: v4.router,
    quoter: v4.quoter,
    poolManager: v4.poolManager
  }
]

const scene = Layer.mergeAll(EvmSweepSimulation.layer, MemoryPrices.layer({ prices: new Map() })).pipe(
  Layer.provideMerge(
    Layer.mergeAll(SweepContracts.layer, MemoryRelayerKeys.layer([Accounts.relayers()[0].address])).pipe(
      Layer.provideMerge(
        Layer.unwrap(
          Effect.map(Exchanges, (exchanges) => chainsWith((chain) => ({ ...chain, venues: venuesOf(exchanges) })))
        )
      )
    )
  ),
  Layer.provideMerge(Exchanges.layer),
  Layer.provideMerge(OneChain.layer)
)

/** A venue of the named sources, without anything remembered. */
const venueWith = (isUsed: (name: string) => boolean) =>
  Effect.flatMap(Effect.provide(Venues.make, KnownPools.layer), (sources) =>
    BestVenue.make(sources.filter(({ name }) => isUsed(name)))
  )

const requestOf = Effect.fnUntraced(function* (tokenIn: Symbol, tokenOut: Symbol | "ETH", amountIn: bigint) {
  const one = yield* OneChain
  const { timestamp } = yield* one.node.ask("read the time", (node) => node.getBlock())
  return {
    chainId: one.chain.id,
    tokenIn: one.tokens[tokenIn],
    tokenOut: tokenOut === "ETH" ? NATIVE : one.tokens[tokenOut],
    amountIn,
    sender: user.address,
    recipient: RECIPIENT,
    slippageBps: 50,
    deadline: timestamp + 600n
  }
})

/** Rehearses an order by the venue's best route. */
const rehearsed = Effect.fnUntraced(function* (
  venue: SwapVenue["Service"],
  request: Effect.Success<ReturnType<typeof requestOf>>
) {
  const { chain } = yield* OneChain
  const route = yield* venue.route(request)
  const order: SweepOrder = {
    owner: user.address,
    tokenIn: request.tokenIn,
    amountIn: request.amountIn,
    feeAmount: 0n,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut: request.tokenOut,
    minAmountOut: route.minAmountOut,
    destination: RECIPIENT,
    swapTarget: route.target,
    swapCalldata: route.calldata,
    deadline: request.deadline,
    nonce: bound(chain.contracts.guard, 0n),
    destChainId: BigInt(chain.id)
  }
  const simulated = yield* (yield* SweepSimulation).run(chain.id, order, { passing: route.passing })
  return { route, simulated }
})

layer(scene, { excludeTestServices: true })("orders by other exchanges", (it) => {
  it.effect("are not made until the guard lists their routers, and deliver what was quoted from then on", () =>
    Effect.gen(function* () {
      const one = yield* OneChain
      const exchanges = yield* Exchanges
      const ordinary = yield* requestOf("DAI", "WETH", units("DAI", 1_000n))
      const taxed = yield* requestOf("FOT", "USDC", units("FOT", 10n))
      const before = yield* venueWith(() => true)
      const only = yield* before.route(ordinary)
      assert.deepStrictEqual([only.provider, only.alternatives], ["uniswap-v3", undefined])
      assert.strictEqual((yield* Effect.flip(before.route(taxed)))._tag, "NoRoute")

      const guardOwner = asUser(one, one.deployer)
      for (const { router } of venuesOf(exchanges)) {
        const data = SwapTargets.encodeSet(router, "router", true)
        assert.strictEqual((yield* guardOwner.send(one.chain.contracts.guard, data)).status, "success")
      }
      const proposed = yield* (yield* venueWith(() => true)).route(ordinary)
      assert.strictEqual(proposed.alternatives, undefined)
      yield* one.node.ask("let the timelock pass", async (node) => {
        await node.increaseTime({ seconds: 61 })
        await node.mine({ blocks: 1 })
      })

      const after = yield* venueWith(() => true)
      const best = yield* after.route(yield* requestOf("DAI", "WETH", units("DAI", 1_000n)))
      const all = [best, ...(best.alternatives ?? [])]
      assert.isAtLeast(all.length, 3)
      assert.isTrue(all.every(({ amountOut }, index) => index === 0 || amountOut <= (all[index - 1]?.amountOut ?? 0n)))
      // Only Uniswap v2 trades it.
      assert.strictEqual((yield* after.route(yield* requestOf("FOT", "USDC", units("FOT", 10n)))).provider, "sushi-v2")

      for (const { name } of venuesOf(exchanges)) {
        const venue = yield* venueWith((other) => other === name)
        for (const [tokenIn, tokenOut] of [
          ["USDC", "WETH"],
          ["USDC", "ETH"],
          ["DAI", "ETH"]
        ] as const) {
          const { route, simulated } = yield* rehearsed(
            venue,
            yield* requestOf(tokenIn, tokenOut, units(tokenIn, 1_000n))
          )
          assert.strictEqual(route.provider, name)
          assert.strictEqual(simulated.amountOut, route.amountOut, `${name}: ${tokenIn} to ${tokenOut}`)
        }
      }
    })
  )
})
