/** Answers of the quoter's ports, and the requests that they received. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Intents from "../../src/adapters/memory/orchestrator/Intents.ts"
import type * as Address from "../../src/domain/Address.ts"
import { lessBps } from "../../src/domain/Amount.ts"
import * as Chain from "../../src/domain/Chain.ts"
import * as OrderNonce from "../../src/domain/OrderNonce.ts"
import { executionLimit } from "../../src/domain/RelayGas.ts"
import type { SweepOrder } from "../../src/domain/SweepOrder.ts"
import { Bridge, type BridgeDeposit, type BridgeRequest } from "../../src/ports/orchestrator/Bridge.ts"
import type { ChainClient, ChainUnavailable } from "../../src/ports/shared/Chains.ts"
import { Intents as IntentsPort, type NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import { Screening, ScreeningBlocked } from "../../src/ports/shared/Screening.ts"
import {
  type Expected,
  type NoRoute,
  type RoutingUnavailable,
  type SwapRequest,
  type SwapRoute,
  SwapVenue
} from "../../src/ports/orchestrator/SwapVenue.ts"
import { StoreUnavailable } from "../../src/ports/shared/Store.ts"
import { SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import { type SimulatedSweep, SimulationFailed, SweepSimulation } from "../../src/ports/orchestrator/SweepSimulation.ts"
import { address, chain as template } from "./FakeChain.ts"

export const TARGET = address(0x5a)

export const destination: Chain.Chain = { ...template, id: 2, name: "destination", wrappedNative: address(0xe2) }

/** The ports' answers. A test changes them before it asks for a quote. */
export interface Script {
  listed: ReadonlySet<Address.Address>
  screeningAvailable: boolean
  /** Chains whose oracle is given up after 3 seconds without an answer. */
  unscreened: ReadonlySet<number>
  /** Gas of the nth simulated order, from 0. */
  gas: (run: number) => bigint
  /** Time that venues take to look for pools, in milliseconds. */
  preparingMillis: number
  /** Time that a simulation takes, in milliseconds. */
  simulationMillis: number
  /** Size of a swap's calldata, in bytes. */
  calldataBytes: number
  /** The chain's charge for the transaction's bytes. */
  charged: Pick<SimulatedSweep, "dataGas" | "dataFee">
  simulationFails: SimulationFailed | ChainUnavailable | undefined
  /** Basis points that the tokens of a swap take. Set: the venue can make its call for what arrives. */
  takenBps: number | undefined
  /** Targets whose orders revert. */
  reverting: ReadonlySet<Address.Address>
  /** Routes behind the best one. */
  alternatives: ReadonlyArray<SwapRoute>
  routingFails: NoRoute | RoutingUnavailable | undefined
  /** Returns the deposit that the bridge's calldata encodes, given the honest one. */
  deposit: (honest: BridgeDeposit) => BridgeDeposit
  /** Indices of the nonces that the guard has seen. */
  spentNonces: ReadonlySet<bigint>
  /** Balances of owners, by chain. */
  balances: ReadonlyMap<number, bigint>
  storeAvailable: boolean
}

/** Requests that the ports received. */
export interface Asked {
  readonly screened: Array<{ readonly chainId: number; readonly addresses: ReadonlyArray<Address.Address> }>
  readonly swaps: Array<SwapRequest>
  readonly bridged: Array<BridgeRequest>
  readonly simulated: Array<SweepOrder>
  readonly created: Array<NewIntent>
  /** The ports in the order in which they were first used, apart from the chains. */
  readonly order: Array<string>
}

export const BRIDGE_FEE = 1_000n

/** Expected output of a swap before the deposit, above its minimum. */
export const BRIDGE_SURPLUS = 3n

/** The amount that arrives of a transfer if the token takes `bps` basis points. Tokens round what they take down. */
export const afterTransfer = (amount: bigint, bps: number): bigint => amount - (amount * BigInt(bps)) / 10_000n

/** Notes the first use of a port. */
const note = (asked: Asked, port: string) => {
  if (!asked.order.includes(port)) asked.order.push(port)
}

const screeningOf = (script: Script, asked: Asked) =>
  Layer.succeed(Screening, {
    clear: (chainId, addresses) =>
      Effect.suspend(() => {
        note(asked, "screening")
        asked.screened.push({ chainId, addresses })
        if (addresses.some((each) => script.listed.has(each)))
          return Effect.fail(new ScreeningBlocked({ cause: "listed" }))
        if (script.unscreened.has(chainId))
          return Effect.delay(Effect.fail(new ScreeningBlocked({ cause: "unavailable" })), "3 seconds")
        return script.screeningAvailable ? Effect.void : Effect.fail(new ScreeningBlocked({ cause: "unavailable" }))
      })
  })

const venueOf = (script: Script, asked: Asked) => {
  const swapped: SwapVenue["Service"]["route"] = (swap) =>
    Effect.suspend(() => {
      note(asked, "routing")
      asked.swaps.push(swap)
      if (script.routingFails !== undefined) return Effect.fail(script.routingFails)
      const { amountIn } = swap
      const made = {
        provider: "venue",
        target: TARGET,
        calldata: `0x${amountIn.toString(16).padStart(2 * script.calldataBytes, "0")}` as const,
        amountOut: amountIn,
        minAmountOut: amountIn - amountIn / 100n,
        gas: 1n,
        passing: 0,
        alternatives: script.alternatives
      }
      if (script.takenBps === undefined) return Effect.succeed(made)
      const remade = ({ amountOut, slippageBps }: Expected): SwapRoute => ({
        ...made,
        amountOut,
        minAmountOut: lessBps(amountOut, slippageBps),
        sellsWhatArrives: true,
        impactBps: 20,
        remade
      })
      return Effect.succeed(remade({ ...swap, amountOut: amountIn }))
    })
  return Layer.succeed(SwapVenue, {
    route: swapped,
    prepare: (pair) =>
      Effect.as(script.preparingMillis === 0 ? Effect.void : Effect.sleep(script.preparingMillis), (terms) =>
        swapped({ ...terms, ...pair, amountIn: terms.amountIn })
      )
  })
}

const bridgeOf = (script: Script, asked: Asked) => {
  const routed: Bridge["Service"]["route"] = (bridged) =>
    Effect.suspend(() => {
      note(asked, "routing")
      asked.bridged.push(bridged)
      if (script.routingFails !== undefined) return Effect.fail(script.routingFails)
      return Effect.succeed({
        provider: "bridge",
        target: TARGET,
        calldata: `0x${bridged.amountIn.toString(16).padStart(64, "0")}` as const,
        amountOut: bridged.amountIn - BRIDGE_FEE + BRIDGE_SURPLUS,
        minAmountOut: bridged.amountIn - BRIDGE_FEE,
        gas: 1n,
        passing: 0,
        estimatedSeconds: 7
      })
    })
  return Layer.mock(Bridge)({
    prepare: (bridged) => Effect.succeed((amountIn) => routed({ ...bridged, amountIn })),
    decode: () =>
      Effect.suspend(() => {
        const bridged = asked.bridged.at(-1)
        if (bridged === undefined) return Effect.die("decoded before it was routed")
        return Effect.succeed(
          script.deposit({
            tokenIn: bridged.tokenIn,
            amountIn: bridged.amountIn,
            tokenOut: Chain.erc20(destination, bridged.tokenOut),
            minAmountOut: bridged.amountIn - BRIDGE_FEE,
            destChainId: BigInt(bridged.destChainId),
            depositor: bridged.depositor,
            recipient: bridged.recipient
          })
        )
      })
  })
}

const simulationOf = (script: Script, asked: Asked) =>
  Layer.succeed(SweepSimulation, {
    run: (_chainId, order) =>
      Effect.andThen(script.simulationMillis === 0 ? Effect.void : TestClock.adjust(script.simulationMillis), () => {
        note(asked, "simulation")
        if (script.spentNonces.has(OrderNonce.indexOf(order.nonce))) {
          return Effect.fail(new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" }))
        }
        asked.simulated.push(order)
        if (script.simulationFails !== undefined) return Effect.fail(script.simulationFails)
        if (script.reverting.has(order.swapTarget)) {
          return Effect.fail(new SimulationFailed({ detail: "SwapFailed", revert: "SwapFailed" }))
        }
        const arrived =
          script.takenBps === undefined
            ? order.minAmountOut
            : afterTransfer(BigInt(order.swapCalldata), script.takenBps)
        if (arrived < order.minAmountOut) {
          return Effect.fail(new SimulationFailed({ detail: "InsufficientOutput", revert: "InsufficientOutput" }))
        }
        const gas = script.gas(asked.simulated.length - 1)
        const limits = { execution: executionLimit(gas), transaction: executionLimit(gas) }
        return Effect.succeed({ ...script.charged, amountOut: arrived, gas, limits })
      })
  })

const contractsOf = (script: Script) =>
  Layer.effect(
    SweepContracts,
    Effect.map(SweepContracts, (real) => ({
      ...real,
      nonceBitmap: (_client: unknown, _owner: unknown, word: bigint) =>
        Effect.sync(() =>
          [...script.spentNonces]
            .map((index) => OrderNonce.position(OrderNonce.bound(template.contracts.guard, index)))
            .reduce((bitmap, spent) => (spent.word === word ? bitmap | spent.mask : bitmap), 0n)
        ),
      balanceOf: (client: ChainClient) => Effect.sync(() => script.balances.get(client.chain.id) ?? 0n)
    }))
  ).pipe(Layer.provide(EvmSweepContracts.layer))

/** Says what is stored, and fails when it is told to. */
const intentsOf = (script: Script, asked: Asked) =>
  Layer.effect(
    IntentsPort,
    Effect.map(IntentsPort, (stored) => {
      const available = <A, E>(operation: string, effect: Effect.Effect<A, E>) =>
        Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
          note(asked, "store")
          return script.storeAvailable ? effect : Effect.fail(new StoreUnavailable({ operation, detail: "turned off" }))
        })
      return IntentsPort.of({
        ...stored,
        nextOrderNonce: (...asking) => available("nextOrderNonce", stored.nextOrderNonce(...asking)),
        create: (intent) =>
          available(
            "create",
            Effect.tap(stored.create(intent), () => Effect.sync(() => asked.created.push(intent)))
          )
      })
    })
  ).pipe(Layer.provide(Intents.layer))

/** Rates that lose nothing, so that what is routed can be read from the quote. */
export const scripted = (script: Script, asked: Asked) =>
  Layer.mergeAll(
    screeningOf(script, asked),
    venueOf(script, asked),
    bridgeOf(script, asked),
    simulationOf(script, asked),
    contractsOf(script),
    intentsOf(script, asked)
  )
