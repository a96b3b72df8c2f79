/** Simulates unsigned orders on the local network's contracts. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { erc20Abi } from "viem"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as SweepContracts from "../../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../../../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as MemoryRelayerKeys from "../../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as Accounts from "../../../../src/devnet/Accounts.ts"
import * as UniswapV3 from "../../../../src/adapters/swap/UniswapV3.ts"
import * as Address from "../../../../src/domain/Address.ts"
import * as Chain from "../../../../src/domain/Chain.ts"
import { designator } from "../../../../src/domain/Delegation.ts"
import { bound } from "../../../../src/domain/OrderNonce.ts"
import type { SweepOrder } from "../../../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { SwapVenue } from "../../../../src/ports/orchestrator/SwapVenue.ts"
import { SweepSimulation } from "../../../../src/ports/orchestrator/SweepSimulation.ts"
import { Chains } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"
import { TestNetwork } from "../../../support/Network.ts"

const chains = Layer.unwrap(
  Effect.map(TestNetwork, (network) =>
    EvmChains.layer(network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const simulation = Layer.mergeAll(EvmSweepSimulation.layer, UniswapV3.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(chains, SweepContracts.layer, MemoryRelayerKeys.layer([Accounts.relayers()[0].address]))
  ),
  Layer.provideMerge(TestNetwork.layer({ filler: false }))
)

const FEE = 10n ** 18n
const DESTINATION = address(0x77)

const local = Effect.map(TestNetwork, ({ chains: [first], users: [user] }) => {
  if (first === undefined || user === undefined) throw new Error("the local network is empty")
  return { dev: first, owner: user.address }
})

/** A good order: 3 DAI of a funded user to USDC. */
const goodOrder = Effect.fnUntraced(function* (changes: Partial<Pick<SweepOrder, "tokenIn" | "tokenOut">> = {}) {
  const { dev, owner } = yield* local
  const { chain, tokens } = dev
  const { tokenIn, tokenOut } = { tokenIn: tokens.DAI, tokenOut: tokens.USDC, ...changes }
  const amountIn = 3n * 10n ** 18n
  const { timestamp } = yield* dev.node.ask("read the time", (node) => node.getBlock())
  const deadline = timestamp + 600n
  const route = yield* (yield* SwapVenue).route({
    chainId: chain.id,
    tokenIn: Chain.erc20(chain, tokenIn),
    tokenOut,
    amountIn: amountIn - FEE,
    sender: owner,
    recipient: DESTINATION,
    slippageBps: 50,
    deadline
  })
  return {
    owner,
    tokenIn,
    amountIn,
    feeAmount: FEE,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut,
    minAmountOut: route.minAmountOut,
    destination: DESTINATION,
    swapTarget: route.target,
    swapCalldata: route.calldata,
    deadline,
    nonce: bound(chain.contracts.guard, 0n),
    destChainId: BigInt(chain.id)
  } satisfies SweepOrder
})

const run = Effect.fnUntraced(function* (order: SweepOrder, options?: { readonly isPlain?: boolean }) {
  const { dev } = yield* local
  return yield* (yield* SweepSimulation).run(dev.chain.id, order, options)
})

/** Code that uses a million gas and accepts the payment. */
const BURNING = "0x5a5b620f42405a82031060015700"

/** Why the order would revert; fails the test where it would not. */
const detailOf = (order: SweepOrder) =>
  Effect.map(Effect.flip(run(order)), (error) => {
    assert.strictEqual(error._tag, "SimulationFailed", error.message)
    return error._tag === "SimulationFailed" ? error.detail : ""
  })

const stateOf = Effect.fnUntraced(function* (token: Address.Address) {
  const { dev, owner } = yield* local
  return yield* dev.node.ask("read the state", async (node) => ({
    block: await node.getBlockNumber(),
    native: await node.getBalance({ address: owner }),
    held: await node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [owner] }),
    delivered: await node.readContract({
      address: dev.tokens.USDC,
      abi: erc20Abi,
      functionName: "balanceOf",
      args: [DESTINATION]
    }),
    code: await node.getCode({ address: owner })
  }))
})

layer(simulation, { excludeTestServices: true })("SweepSimulation", (it) => {
  it.effect("passes a good order with what it delivers and a plausible gas, and changes nothing", () =>
    Effect.gen(function* () {
      const order = yield* goodOrder()
      const before = yield* stateOf(order.tokenIn)
      const { amountOut, gas } = yield* run(order)
      assert.isTrue(amountOut >= order.minAmountOut && amountOut <= 3n * 10n ** 6n, `${amountOut}`)
      assert.isTrue(gas > 100_000n && gas < 500_000n, `${gas}`)
      assert.deepStrictEqual(yield* stateOf(order.tokenIn), before)
    })
  )

  it.effect("passes native input and output", () =>
    Effect.gen(function* () {
      for (const order of [yield* goodOrder({ tokenIn: NATIVE }), yield* goodOrder({ tokenOut: NATIVE })]) {
        assert.isTrue((yield* run(order)).amountOut >= order.minAmountOut)
      }
    })
  )

  it.effect("leaves out the code of the destination if that is plain, and else counts what it uses", () =>
    Effect.gen(function* () {
      const { dev } = yield* local
      const order = yield* goodOrder({ tokenOut: NATIVE })
      const plain = yield* run(order)
      assert.deepStrictEqual(yield* run(order, { isPlain: true }), plain)
      const setCode = (bytecode: "0x" | typeof BURNING) =>
        dev.node.ask("set code", (node) => node.setCode({ address: DESTINATION, bytecode }))
      yield* Effect.acquireUseRelease(
        setCode(BURNING),
        () =>
          Effect.gen(function* () {
            const burning = yield* run(order)
            assert.isTrue(burning.limits.execution > plain.limits.execution + 900_000n)
            assert.strictEqual((yield* run(order, { isPlain: true })).limits.execution, plain.limits.execution)
          }),
        () => Effect.orDie(setCode("0x"))
      )
    })
  )

  it.effect("counts a fresh delegation, also where the account has one already", () =>
    Effect.gen(function* () {
      const { dev, owner } = yield* local
      const order = yield* goodOrder()
      const plain = yield* run(order)
      yield* Effect.acquireUseRelease(
        dev.node.ask("delegate", (node) =>
          node.setCode({ address: owner, bytecode: designator(dev.chain.contracts.delegate) })
        ),
        () => Effect.map(run(order), (delegated) => assert.strictEqual(delegated.amountOut, plain.amountOut)),
        () => Effect.orDie(dev.node.ask("undelegate", (node) => node.setCode({ address: owner, bytecode: "0x" })))
      )
    })
  )

  const tampered: ReadonlyArray<readonly [string, (order: SweepOrder) => Partial<SweepOrder>, string]> = [
    ["fees above the amount", (order) => ({ feeAmount: order.amountIn }), "FeesExceedInput"],
    ["a target that is not allowed", () => ({ swapTarget: address(0x66) }), "TargetNotAllowed"],
    ["the token itself as target", (order) => ({ swapTarget: order.tokenIn }), "BadSwapTarget"],
    [
      "a minimum that the swap does not reach",
      (order) => ({ minAmountOut: order.minAmountOut * 2n }),
      "InsufficientOutput"
    ],
    ["a deadline that has passed", () => ({ deadline: 1n }), "Expired"],
    ["more than the owner has", () => ({ amountIn: 10n ** 30n }), "the owner cannot transfer the amount"],
    ["an owner who has nothing", () => ({ owner: address(0x55) }), "the owner cannot transfer the amount"],
    ["a call that reverts", () => ({ swapCalldata: "0xdeadbeef" }), "SwapFailed(0x)"]
  ]

  it.effect.each(tampered)("refuses %s and says why, and changes nothing", ([, change, expected]) =>
    Effect.gen(function* () {
      const order = yield* goodOrder()
      const before = yield* stateOf(order.tokenIn)
      assert.strictEqual(yield* detailOf({ ...order, ...change(order) }), expected)
      assert.deepStrictEqual(yield* stateOf(order.tokenIn), before)
    })
  )

  it.effect("finds of orders that are simulated together what it finds of each alone", () =>
    Effect.gen(function* () {
      const { dev } = yield* local
      const good = yield* goodOrder()
      const toNative = yield* goodOrder({ tokenOut: NATIVE })
      // All have the same nonce and spend the same balances, so none could follow another one.
      const orders = [good, toNative, { ...good, swapCalldata: "0xdeadbeef" as const }, good, toNative]
      const alone = yield* Effect.forEach(orders, (order) => Effect.result(run(order)))
      const { isApart, together } = yield* Effect.gen(function* () {
        const chains = yield* Chains
        const client = yield* chains.get(dev.chain.id)
        const asked: Array<boolean> = []
        const counted: Chains["Service"] = {
          ...chains,
          get: () =>
            Effect.succeed({
              ...client,
              simulate: (steps, options) => {
                asked.push(options?.isApart === true)
                return client.simulate(steps, options)
              }
            })
        }
        const simulated = yield* Effect.gen(function* () {
          const { run: simulate } = yield* SweepSimulation
          return yield* Effect.forEach(orders, (order) => Effect.result(simulate(dev.chain.id, order)), {
            concurrency: "unbounded"
          })
        }).pipe(Effect.provide(Layer.provide(Layer.fresh(EvmSweepSimulation.layer), Layer.succeed(Chains, counted))))
        return { isApart: asked, together: simulated }
      })
      assert.deepStrictEqual(together, alone)
      assert.deepStrictEqual(isApart, [true])
    })
  )
})
