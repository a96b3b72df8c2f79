/** Tokens that turn when they read what only a transaction has. A rehearsal shows it too, so none of them gets a quote. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { concatHex, type Hex, numberToHex, size } from "viem"
import * as EvmChains from "../../../../src/adapters/evm/chains/Chains.ts"
import * as SweepContracts from "../../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as EvmSweepSimulation from "../../../../src/adapters/evm/contracts/SweepSimulation.ts"
import * as MemoryRelayerKeys from "../../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as UniswapV3 from "../../../../src/adapters/swap/UniswapV3.ts"
import * as Accounts from "../../../../src/devnet/Accounts.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { bound } from "../../../../src/domain/OrderNonce.ts"
import type { SweepOrder } from "../../../../src/domain/SweepOrder.ts"
import { SwapVenue } from "../../../../src/ports/orchestrator/SwapVenue.ts"
import { SweepSimulation } from "../../../../src/ports/orchestrator/SweepSimulation.ts"
import { address } from "../../../support/FakeChain.ts"
import { TestNetwork } from "../../../support/Network.ts"

const chains = Layer.unwrap(
  Effect.map(TestNetwork, (network) =>
    EvmChains.layer(network.chains.map(({ chain, rpcUrl }) => ({ chain, rpcUrls: [rpcUrl] })))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const world = (node: "anvil" | "edr") =>
  Layer.mergeAll(EvmSweepSimulation.layer, UniswapV3.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(chains, SweepContracts.layer, MemoryRelayerKeys.layer([Accounts.relayers()[0].address]))
    ),
    Layer.provideMerge(Layer.fresh(TestNetwork.layer({ node, filler: false })))
  )

/** Address to which the token's own code moves. */
const HONEST = address(0x70)

/** Runs the honest code on the token's storage and returns what it returns. Begins at `start`. */
const forward = (start: number): Hex => {
  const run = concatHex(["0x365f5f375f5f365f73", HONEST, "0x5af43d5f5f3e"])
  const success = start + size(run) + 7
  return concatHex([run, "0x61", numberToHex(success, { size: 2 }), "0x573d5ffd5b3d5ff3"])
}

/** Code that reverts if `condition` leaves something else than 0 on the stack, and else is the honest one. */
const revertingIf = (condition: Hex): Hex => {
  // ISZERO, PUSH2, JUMPI, PUSH0, PUSH0, REVERT, JUMPDEST
  const start = size(condition) + 9
  return concatHex([condition, "0x1561", numberToHex(start - 1, { size: 2 }), "0x575f5ffd5b", forward(start)])
}

/** Code that expands the memory for 4.2 million gas in each call. */
const BURNING: Hex = concatHex(["0x62164ee05150", forward(6)])

const order = Effect.gen(function* () {
  const {
    chains: [dev],
    users: [user]
  } = yield* TestNetwork
  if (dev === undefined || user === undefined) return yield* Effect.die("the local network is empty")
  const { chain, tokens } = dev
  const { code, timestamp } = yield* dev.node.ask("read", async (node) => ({
    code: await node.getCode({ address: tokens.DAI }),
    timestamp: (await node.getBlock()).timestamp
  }))
  const amountIn = 3n * 10n ** 18n
  const feeAmount = 10n ** 18n
  const destination = address(0x77)
  const deadline = timestamp + 600n
  const route = yield* (yield* SwapVenue).route({
    chainId: chain.id,
    tokenIn: tokens.DAI,
    tokenOut: tokens.USDC,
    amountIn: amountIn - feeAmount,
    sender: user.address,
    recipient: destination,
    slippageBps: 50,
    deadline
  })
  const good: SweepOrder = {
    owner: user.address,
    tokenIn: tokens.DAI,
    amountIn,
    feeAmount,
    builder: Address.zero,
    builderFee: 0n,
    tokenOut: tokens.USDC,
    minAmountOut: route.minAmountOut,
    destination,
    swapTarget: route.target,
    swapCalldata: route.calldata,
    deadline,
    nonce: bound(chain.contracts.guard, 0n),
    destChainId: BigInt(chain.id)
  }
  const simulation = yield* SweepSimulation
  return {
    /** Mines until the number and the randomness of the head are even, so that reads of the latest state do not fail. */
    mineEven: dev.node.ask("mine", async (node) => {
      const isOdd = async () => {
        const { mixHash, number } = await node.getBlock()
        return (number | BigInt(mixHash)) % 2n === 1n
      }
      while (await isOdd()) await node.mine({ blocks: 1 })
    }),
    entry: chain.contracts.entry,
    rehearse: (block: "next" | "other" = "other") => simulation.run(chain.id, good, { block }),
    /** Gives the token this code, which can run its own at {@link HONEST}. */
    turn: (bytecode: Hex) =>
      dev.node.ask("turn the token", async (node) => {
        await node.setCode({ address: HONEST, bytecode: code ?? "0x" })
        await node.setCode({ address: tokens.DAI, bytecode })
      })
  }
})

/** Conditions that a simulation without surroundings does not meet. */
const TURNING: Readonly<Record<string, Hex>> = {
  "a price of gas": "0x3a",
  "less than 1,000,000 gas": "0x620f42405a10",
  "a sender with a balance": "0x3231",
  // It shows the price of gas too, which reads do not have.
  "no code at an address that anybody knows": "0x3a151573000000000000000000000000000000000000dead3b1516",
  "a sender that is the lane": concatHex(["0x73", Accounts.relayers()[0].address, "0x3214"])
}

describe.each(["anvil", "edr"] as const)("a token on %s", (node) => {
  it.live("that turns on what only a transaction has fails its rehearsal, and an honest one passes", () =>
    Effect.gen(function* () {
      const { rehearse, turn } = yield* order
      yield* turn(revertingIf("0x5f"))
      const { gas, limits } = yield* rehearse()
      assert.isTrue(limits.transaction > gas && limits.transaction <= (gas * 3n) / 2n + 50_000n)
      for (const [name, condition] of Object.entries(TURNING)) {
        yield* turn(revertingIf(condition))
        assert.strictEqual((yield* Effect.flip(rehearse()))._tag, "SimulationFailed", name)
      }
    }).pipe(Effect.provide(world(node)))
  )

  it.live(
    "that turns on a cold entry, which no transaction through it has, fails its rehearsal in another block only",
    () =>
      Effect.gen(function* () {
        const { entry, rehearse, turn } = yield* order
        // EXTCODESIZE of the entry between two reads of the gas left takes more than 1,000 gas. Reads of the state have no price of gas.
        yield* turn(revertingIf(concatHex(["0x5a73", entry, "0x3b505a90036103e8103a151516"])))
        assert.strictEqual((yield* Effect.flip(rehearse("other")))._tag, "SimulationFailed")
        assert.isTrue((yield* rehearse("next")).gas > 0n)
      }).pipe(Effect.provide(world(node)))
  )

  it.live("that burns 4.2 million gas in each call fails its rehearsal", () =>
    Effect.gen(function* () {
      const { rehearse, turn } = yield* order
      yield* turn(BURNING)
      assert.strictEqual((yield* Effect.flip(rehearse()))._tag, "SimulationFailed")
    }).pipe(Effect.provide(world(node)))
  )
})

describe("a token on a node that takes block overrides", () => {
  it.live("that turns on a base fee fails, and one that turns on odd blocks or randomness fails often", () =>
    Effect.gen(function* () {
      const { mineEven, rehearse, turn } = yield* order
      yield* turn(revertingIf("0x48"))
      assert.strictEqual((yield* Effect.flip(rehearse("next")))._tag, "SimulationFailed")
      for (const condition of ["0x43600116", "0x44600116"] as const) {
        yield* turn(revertingIf(condition))
        yield* mineEven
        const results = yield* Effect.replicateEffect(Effect.result(rehearse()), 40)
        assert.deepStrictEqual([...new Set(results.map(({ _tag }) => _tag))].toSorted(), ["Failure", "Success"])
      }
    }).pipe(Effect.provide(world("anvil")))
  )
})
