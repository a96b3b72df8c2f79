/** The quoter over ports that a test writes by hand: what each answers, and what each was asked, in order. */
import { Context, Effect, Layer, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as BuilderAttribution from "../../src/adapters/memory/orchestrator/BuilderAttribution.ts"
import * as Alerts from "../../src/adapters/memory/shared/Alerts.ts"
import * as Chains from "../../src/adapters/memory/shared/Chains.ts"
import * as Exposures from "../../src/adapters/memory/orchestrator/Exposures.ts"
import * as PromisedFees from "../../src/adapters/memory/orchestrator/PromisedFees.ts"
import * as FeeValue from "../../src/adapters/memory/orchestrator/FeeValue.ts"
import * as PriceMoves from "../../src/adapters/memory/orchestrator/PriceMoves.ts"
import * as Prices from "../../src/adapters/memory/orchestrator/Prices.ts"
import * as Signatures from "../../src/adapters/memory/orchestrator/Signatures.ts"
import * as TokenRisk from "../../src/adapters/memory/orchestrator/TokenRisk.ts"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import type { Attribution } from "../../src/domain/Builder.ts"
import type * as Chain from "../../src/domain/Chain.ts"
import type { QuoteRequest } from "../../src/domain/Quote.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import {
  OrchestratorSettings,
  type OrchestratorSettingsShape
} from "../../src/orchestrator/shared/OrchestratorSettings.ts"
import { KeptOverrides } from "../../src/runtime/KeptOverrides.ts"
import { Overrides } from "../../src/ports/shared/Overrides.ts"
import { Quoter } from "../../src/orchestrator/quote/Quoter.ts"
import { type ChainClient, Chains as ChainsPort } from "../../src/ports/shared/Chains.ts"
import { FeeValue as FeeValuePort } from "../../src/ports/orchestrator/FeeValue.ts"
import { Intents as IntentsPort } from "../../src/ports/orchestrator/Intents.ts"
import { PromisedFees as PromisedFeesPort } from "../../src/ports/orchestrator/PromisedFees.ts"
import { address, chain as template } from "./FakeChain.ts"
import { overrides } from "./Overrides.ts"
import { type Asked, type Script, destination, scripted } from "./QuotingScript.ts"

export { BRIDGE_FEE, BRIDGE_SURPLUS, destination, type Script, TARGET } from "./QuotingScript.ts"

export const OWNER = address(0x11)

export const DESTINATION = address(0x12)

/** 18 decimals, one dollar, listed: tier 2. */
export const TOKEN = address(0xb1)

/** The most liquid stable of both chains. */
export const STABLE = address(0xd1)

export const PAYOUT = address(0xbb)

export const KEY = "key of the builder"

export const source: Chain.Chain = { ...template, id: 1, name: "source", confirmations: 3, blockTimeMillis: 1_500 }

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
  /** Replaces the worth of fees. */
  readonly fees?: FeeValuePort["Service"]
  /** Replaces the store of promised fees. */
  readonly promises?: (promised: PromisedFeesPort["Service"]) => PromisedFeesPort["Service"]
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
  const { chains = [source, destination], fees, promises = (promised) => promised } = options
  const feeValue =
    fees === undefined ? FeeValue.layer() : Layer.succeed(FeeValuePort, fees).pipe(Layer.provideMerge(FeeValue.layer()))
  const script: Script = {
    listed: new Set(),
    screeningAvailable: true,
    unscreened: new Set(),
    gas: () => 225_000n,
    preparingMillis: 0,
    simulationMillis: 0,
    calldataBytes: 32,
    charged: { dataGas: 0n, dataFee: 0n },
    simulationFails: undefined,
    takenBps: undefined,
    reverting: new Set(),
    alternatives: [],
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
          feeValue,
          Layer.effect(PromisedFeesPort, Effect.map(PromisedFeesPort, promises)).pipe(
            Layer.provide(PromisedFees.layer)
          ),
          PriceMoves.layer(),
          Prices.layer({ prices: new Map([source, destination].map(({ id }) => [id, chainPrices])) }),
          TokenRisk.layer({ tokens: knownTokens }),
          BuilderAttribution.layer({ builders: new Map([[KEY, attribution]]) }),
          OrchestratorSettings.layer({ ...orchestratorDefaults, ...options.settings }),
          Alerts.layer,
          Exposures.layer,
          overrides,
          Signatures.layer,
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
    /** Pauses what has a name (`domain/Pause`). */
    pause: Effect.fnUntraced(function* (name: string) {
      const record = { actor: "test", action: "pause.paused", subject: name, details: {} }
      yield* Context.get(context, Overrides).set({ name: `pause:${name}`, value: "paused", reason: "" }, record)
      yield* Context.get(context, KeptOverrides).refresh
    }),
    prices: Context.get(context, Prices.PricesState),
    feeRates: Context.get(context, FeeValue.FeeRates),
    moves: Context.get(context, PriceMoves.MovesState),
    tokenRisk: Context.get(context, TokenRisk.TokenRiskState),
    attributions: resolves,
    /** Changes the attribution that the builder's key resolves to. */
    attributes: (changes: Partial<Attribution>) =>
      Ref.set(resolves, { builders: new Map([[KEY, { ...attribution, ...changes }]]), available: true })
  }
})
