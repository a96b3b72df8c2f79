/** The quoter over ports that a test writes by hand: what each answers, and what each was asked, in order. */
import { Context, Effect, Layer, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as BuilderAttribution from "../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as Alerts from "../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../src/adapters/memory/shared/Chains.ts"
import * as Exposures from "../../src/adapters/memory/orchestrator/Exposures.ts"
import * as Intents from "../../src/adapters/memory/orchestrator/Intents.ts"
import * as FeeValue from "../../src/adapters/memory/orchestrator/FeeValue.ts"
import * as Prices from "../../src/adapters/memory/orchestrator/Prices.ts"
import * as TokenRisk from "../../src/adapters/memory/orchestrator/TokenRisk.ts"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import type * as Address from "../../src/domain/Address.ts"
import type { Attribution } from "../../src/domain/Builder.ts"
import * as Chain from "../../src/domain/Chain.ts"
import type { QuoteRequest } from "../../src/domain/Quote.ts"
import { executionLimit } from "../../src/domain/RelayGas.ts"
import type { SweepOrder } from "../../src/domain/SweepOrder.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import {
  OrchestratorSettings,
  type OrchestratorSettingsShape
} from "../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Quoter } from "../../src/orchestrator/quote/Quoter.ts"
import { Bridge, type BridgeDeposit, type BridgeRequest } from "../../src/ports/orchestrator/Bridge.ts"
import { type ChainClient, type ChainUnavailable, Chains as ChainsPort } from "../../src/ports/shared/Chains.ts"
import { Intents as IntentsPort, type NewIntent } from "../../src/ports/orchestrator/Intents.ts"
import { Screening, ScreeningBlocked } from "../../src/ports/shared/Screening.ts"
import {
  type NoRoute,
  type RoutingUnavailable,
  type SwapRequest,
  SwapVenue
} from "../../src/ports/orchestrator/SwapVenue.ts"
import { StoreUnavailable } from "../../src/ports/shared/Store.ts"
import { SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import { type SimulatedSweep, SimulationFailed, SweepSimulation } from "../../src/ports/orchestrator/SweepSimulation.ts"
import { address, chain as template } from "./FakeChain.ts"

export const OWNER = address(0x11)
export const DESTINATION = address(0x12)
/** 18 decimals, one dollar, listed: tier 2. */
export const TOKEN = address(0xb1)
/** The most liquid stable of both chains. */
export const STABLE = address(0xd1)
export const TARGET = address(0x5a)
export const PAYOUT = address(0xbb)
export const KEY = "key of the builder"

export const source: Chain.Chain = { ...template, id: 1, name: "source", confirmations: 3, blockTimeMillis: 1_500 }
export const destination: Chain.Chain = { ...template, id: 2, name: "destination", wrappedNative: address(0xe2) }

export const USD = 10n ** 18n
export const NATIVE_USD = 2_000n * USD
export const WHOLE = 10n ** 18n

/** 1 gwei of base fee and 1 gwei of tip, as the chains of the scene have it. */
export const GAS_PRICE = 2_000_000_000n

/** When the clock of the scene stands, in milliseconds: not at a full second. */
export const NOW = 1_700_000_000_987

export const request: QuoteRequest = {
  owner: OWNER,
  tokenIn: TOKEN,
  amountIn: 100n * WHOLE,
  tokenOut: STABLE,
  destination: DESTINATION,
  destChainId: source.id,
  tier: "tier1",
  route: "source->source",
  subscriptionActive: false,
  userId: "user"
}

export const crossChain: QuoteRequest = { ...request, destChainId: destination.id, route: "source->destination" }

export const attribution: Attribution = {
  builderId: "bld_test",
  builderBps: 30,
  maxBuilderBps: 50,
  payoutAddress: PAYOUT
}

/** The ports' answers. A test changes them before it asks for a quote. */
export interface Script {
  listed: ReadonlySet<Address.Address>
  screeningAvailable: boolean
  /** Chains whose oracle is given up after 3 seconds without an answer. */
  unscreened: ReadonlySet<number>
  /** Gas of the nth simulated order, from 0. */
  gas: (run: number) => bigint
  /** Size of a swap's calldata, in bytes. */
  calldataBytes: number
  /** The chain's charge for the transaction's bytes. */
  charged: Pick<SimulatedSweep, "dataGas" | "dataFee">
  simulationFails: SimulationFailed | ChainUnavailable | undefined
  routingFails: NoRoute | RoutingUnavailable | undefined
  /** Returns the deposit that the bridge's calldata encodes, given the honest one. */
  deposit: (honest: BridgeDeposit) => BridgeDeposit
  /** Nonces that the guard has seen. */
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

/** Rates that lose nothing, so that what is routed can be read from the quote. */
const scripted = (script: Script, asked: Asked) => {
  const note = (port: string) => {
    if (!asked.order.includes(port)) asked.order.push(port)
  }
  const screening = Layer.succeed(Screening, {
    clear: (chainId, addresses) =>
      Effect.suspend(() => {
        note("screening")
        asked.screened.push({ chainId, addresses })
        if (addresses.some((each) => script.listed.has(each)))
          return Effect.fail(new ScreeningBlocked({ cause: "listed" }))
        if (script.unscreened.has(chainId))
          return Effect.delay(Effect.fail(new ScreeningBlocked({ cause: "unavailable" })), "3 seconds")
        return script.screeningAvailable ? Effect.void : Effect.fail(new ScreeningBlocked({ cause: "unavailable" }))
      })
  })
  const swapped: SwapVenue["Service"]["route"] = (swap) =>
    Effect.suspend(() => {
      note("routing")
      asked.swaps.push(swap)
      if (script.routingFails !== undefined) return Effect.fail(script.routingFails)
      const { amountIn } = swap
      return Effect.succeed({
        provider: "venue",
        target: TARGET,
        calldata: `0x${amountIn.toString(16).padStart(2 * script.calldataBytes, "0")}` as const,
        amountOut: amountIn,
        minAmountOut: amountIn - amountIn / 100n,
        gas: 1n,
        passing: 0
      })
    })
  const venue = Layer.succeed(SwapVenue, {
    route: swapped,
    prepare: (pair) => Effect.succeed((terms) => swapped({ ...terms, ...pair, amountIn: terms.amountIn }))
  })
  const routed: Bridge["Service"]["route"] = (bridged) =>
    Effect.suspend(() => {
      note("routing")
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
  const bridge = Layer.mock(Bridge)({
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
  const simulation = Layer.succeed(SweepSimulation, {
    run: (_chainId, order) =>
      Effect.suspend(() => {
        note("simulation")
        if (script.spentNonces.has(order.nonce)) {
          return Effect.fail(new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" }))
        }
        asked.simulated.push(order)
        if (script.simulationFails !== undefined) return Effect.fail(script.simulationFails)
        const gas = script.gas(asked.simulated.length - 1)
        const limits = { execution: executionLimit(gas), transaction: executionLimit(gas) }
        return Effect.succeed({ ...script.charged, amountOut: order.minAmountOut, gas, limits })
      })
  })
  const contracts = Layer.effect(
    SweepContracts,
    Effect.map(SweepContracts, (real) => ({
      ...real,
      nonceBitmap: (_client: unknown, _owner: unknown, word: bigint) =>
        Effect.sync(() =>
          [...script.spentNonces]
            .filter((nonce) => nonce / 256n === word)
            .reduce((bitmap, nonce) => bitmap | (1n << (nonce % 256n)), 0n)
        ),
      balanceOf: (client: ChainClient) => Effect.sync(() => script.balances.get(client.chain.id) ?? 0n)
    }))
  ).pipe(Layer.provide(EvmSweepContracts.layer))
  /** Says what is stored, and fails when it is told to. */
  const intents = Layer.effect(
    IntentsPort,
    Effect.map(IntentsPort, (stored) => {
      const available = <A, E>(operation: string, effect: Effect.Effect<A, E>) =>
        Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => {
          note("store")
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
  return Layer.mergeAll(screening, venue, bridge, simulation, contracts, intents)
}

const knownTokens = [source, destination].flatMap((chain) => [
  { chainId: chain.id, address: TOKEN, tier: "tier2" as const, symbol: "LST", decimals: 18 },
  { chainId: chain.id, address: STABLE, tier: "tier1" as const, symbol: "USDC", decimals: 6 },
  { chainId: chain.id, address: NATIVE, tier: "tier1" as const, symbol: "ETH", decimals: 18 }
])

const chainPrices = new Map([
  [NATIVE, NATIVE_USD],
  [TOKEN, USD],
  [STABLE, USD]
])

export interface Options {
  readonly settings?: Partial<OrchestratorSettingsShape>
  readonly chains?: ReadonlyArray<Chain.Chain>
  /** Replaces the clients of the chains. */
  readonly nodes?: (client: ChainClient) => ChainClient
}

/** The chains in memory, with clients that a test replaced. */
const chainsOf = (chains: ReadonlyArray<Chain.Chain>, nodes: (client: ChainClient) => ChainClient) =>
  Layer.effect(
    ChainsPort,
    Effect.map(ChainsPort, ({ all, get }) => ({
      all: all.map(nodes),
      get: (id: number) => Effect.map(get(id), nodes)
    }))
  ).pipe(Layer.provideMerge(Chains.layer(chains)))

/** A quoter, with everything in order until the test says otherwise. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = options.chains ?? [source, destination]
  const script: Script = {
    listed: new Set(),
    screeningAvailable: true,
    unscreened: new Set(),
    gas: () => 225_000n,
    calldataBytes: 32,
    charged: { dataGas: 0n, dataFee: 0n },
    simulationFails: undefined,
    routingFails: undefined,
    deposit: (honest) => honest,
    spentNonces: new Set(),
    balances: new Map(),
    storeAvailable: true
  }
  const asked: Asked = { screened: [], swaps: [], bridged: [], simulated: [], created: [], order: [] }
  const context = yield* Layer.build(
    Quoter.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          scripted(script, asked),
          chainsOf(chains, options.nodes ?? ((client) => client)),
          FeeValue.layer(),
          Prices.layer({ prices: new Map([source, destination].map(({ id }) => [id, chainPrices])) }),
          TokenRisk.layer({ tokens: knownTokens }),
          BuilderAttribution.layer({ builders: new Map([[KEY, attribution]]) }),
          OrchestratorSettings.layer({ ...orchestratorDefaults, ...options.settings }),
          Alerts.layer,
          Exposures.layer,
          SecureRandom.layerWebCrypto
        )
      )
    )
  )
  yield* TestClock.setTime(NOW)
  const memory = Context.get(context, Chains.MemoryChains)
  for (const { id } of chains) yield* (yield* memory.get(id)).setCode(TOKEN, "0x60")
  const resolves = Context.get(context, BuilderAttribution.BuilderAttributionState)
  return {
    asked,
    script,
    service: Context.get(context, Quoter),
    /** The default request, with changes. */
    quote: (changes: Partial<QuoteRequest> = {}) => Context.get(context, Quoter).quote({ ...request, ...changes }),
    chain: memory.get,
    chains: Context.get(context, ChainsPort),
    intents: Context.get(context, IntentsPort),
    prices: Context.get(context, Prices.PricesState),
    feeRates: Context.get(context, FeeValue.FeeRates),
    tokenRisk: Context.get(context, TokenRisk.TokenRiskState),
    attributions: resolves,
    /** Changes the attribution that the builder's key resolves to. */
    attributes: (changes: Partial<Attribution>) =>
      Ref.set(resolves, { builders: new Map([[KEY, { ...attribution, ...changes }]]), available: true })
  }
})
