/** The treasury over stores that outlive it, a chain that a test writes by hand, and a quoter that can be made hostile. */
import { Context, Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { keccak256, toHex } from "viem"
import * as RawKey from "../../src/adapters/evm/keys/RawKey.ts"
import * as TreasuryAccount from "../../src/adapters/evm/keys/TreasuryAccount.ts"
import * as MemoryIntents from "../../src/adapters/memory/orchestrator/Intents.ts"
import * as MemoryMoneyBook from "../../src/adapters/memory/orchestrator/MoneyBook.ts"
import * as MemoryTreasurySales from "../../src/adapters/memory/orchestrator/TreasurySales.ts"
import * as MemoryAlerts from "../../src/adapters/memory/shared/Alerts.ts"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import type * as Address from "../../src/domain/Address.ts"
import type { Hash } from "../../src/domain/Hex.ts"
import type { FailureReason } from "../../src/domain/Intent.ts"
import type { Swept } from "../../src/domain/Swept.ts"
import {
  OrchestratorSettings,
  type OrchestratorSettingsShape
} from "../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Treasury } from "../../src/orchestrator/treasury/Treasury.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import type { MoneyBook } from "../../src/ports/orchestrator/MoneyBook.ts"
import type { TreasuryKey } from "../../src/ports/orchestrator/TreasuryKey.ts"
import { TreasurySales } from "../../src/ports/orchestrator/TreasurySales.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import { Chains, ChainUnavailable, type Receipt } from "../../src/ports/shared/Chains.ts"
import * as FakeChain from "./FakeChain.ts"
import { hash, newIntent, submission } from "./IntentFixtures.ts"
import {
  type Asked,
  chain,
  contractsOf,
  FIRST,
  intakeOf,
  marketOf,
  observed,
  quoterOf,
  readable,
  type Script,
  venueOf
} from "./TreasuryScript.ts"

/** Six decimals, one dollar: the asset. */
export const USDC = FakeChain.address(0xd1)

/** Listed, 18 decimals, one dollar. */
export const LST = FakeChain.address(0xb1)

/** Listed by nobody, 18 decimals. */
export const JUNK = FakeChain.address(0x99)

const DOLLAR = 10n ** 18n

export interface Options {
  readonly treasury?: Partial<OrchestratorSettingsShape["treasury"]>
  /** Default: the fee recipient's key, in this process. */
  readonly key?: "none" | "other" | Layer.Layer<TreasuryKey, unknown>
  /** Default: the current one. */
  readonly generation?: Script["generation"]
  /** True if the fee recipient is the builders' vault, too. Default: false. */
  readonly isVaultShared?: boolean
}

/** Everything that a process of the service shares with its successors. */
interface World {
  readonly stores: Context.Context<Intents | MoneyBook | TreasurySales | Alerts>
  readonly script: Script
  readonly asked: Asked
  readonly receipts: ReadonlyMap<string, Receipt>
  /** Events by the data of their logs. */
  readonly events: ReadonlyMap<string, Swept>
}

const keyOf = (key: Options["key"]): Layer.Layer<TreasuryKey, unknown> => {
  if (key === "none") return TreasuryAccount.none
  if (key !== undefined && key !== "other") return key
  return TreasuryAccount.layer(RawKey.account(Redacted.make(key === "other" ? hash("another") : hash("fee recipient"))))
}

const portsOf = ({ asked, events, receipts, script, stores }: World, options: Options) => {
  const intents = Context.get(stores, Intents)
  const client = {
    ...FakeChain.client({
      transactionCount: () => Effect.succeed(4n),
      receipt: (txHash, scope) =>
        Effect.sync(() =>
          script.isPruned && scope !== "everywhere" ? Option.none() : Option.fromUndefinedOr(receipts.get(txHash))
        ),
      call: () => Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "no delegate" }))
    }),
    chain: options.isVaultShared === true ? { ...chain, builderVault: chain.feeRecipient } : chain
  }
  return Layer.mergeAll(
    Layer.succeedContext(stores),
    readable(intents, script),
    observed(Context.get(stores, TreasurySales), script),
    contractsOf(script, asked, events),
    marketOf(script, asked),
    quoterOf(script, asked, intents),
    intakeOf(script, asked, intents),
    Layer.succeed(Chains, { all: [client], get: () => Effect.succeed(client) }),
    venueOf(script),
    keyOf(options.key),
    OrchestratorSettings.layer({
      ...orchestratorDefaults,
      treasury: {
        ...orchestratorDefaults.treasury,
        assets: [{ chainId: chain.id, token: USDC }],
        ...options.treasury
      }
    })
  )
}

/** Receipt of a sale under this guard. Its log's data is the transaction's hash. */
const receiptOf = (transactionHash: Hash, guard: Address.Address): Receipt => ({
  transactionHash,
  blockNumber: 2n,
  blockHash: hash("block"),
  status: "success",
  gasUsed: 1n,
  effectiveGasPrice: 1n,
  logs: [
    {
      address: guard,
      topics: [],
      data: transactionHash,
      blockNumber: 2n,
      blockHash: hash("block"),
      transactionHash,
      logIndex: 0
    }
  ]
})

/** Fees of many tokens at once, as `collected` sums them up. */
const collectMany = (script: Script) => (tokens: ReadonlyArray<Address.Address>, amount: bigint) =>
  Effect.sync(() => {
    for (const token of tokens) {
      script.collected.push({ chainId: chain.id, delegate: chain.contracts.delegate, token, amount, sweeps: 1 })
      script.balances.set(token, amount)
    }
  })

/** A script in which everything is honest and answers at once. */
const honest = (generation: Script["generation"]): Script => ({
  balances: new Map(),
  prices: new Map([
    [USDC, DOLLAR],
    [LST, DOLLAR]
  ]),
  arePricesKnown: true,
  isPruned: false,
  collected: [],
  callMillis: 0,
  unreadable: new Set(),
  unpriceable: new Set(),
  brokenIntents: new Set(),
  venueMillis: 0,
  venuePercent: () => 100n,
  isVenueRemakable: false,
  offer: (offered) => offered,
  quoteFails: undefined,
  submitting: Effect.void,
  afterRead: Effect.void,
  generation
})

/** A process of the service. It ends with `stop`, as in a crash between two steps. */
const started = (world: World, options: Options) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Treasury.layer.pipe(Layer.provide(portsOf(world, options))), scope)
    return { treasury: Context.get(context, Treasury), stop: Scope.close(scope, Exit.void) }
  })

/** Builds the stores and the chain. `start` starts a process of the service, `stop` ends it. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const stores = yield* Layer.build(
    Layer.mergeAll(MemoryIntents.layer, MemoryMoneyBook.layer, MemoryTreasurySales.layer, MemoryAlerts.layer)
  )
  const intents = Context.get(stores, Intents)
  const sales = Context.get(stores, TreasurySales)
  const receipts = new Map<string, Receipt>()
  const events = new Map<string, Swept>()
  const script = honest(options.generation ?? "current")
  const asked: Asked = { quotes: [], submitted: [], priced: [], pricedAt: [], balances: [] }
  const world = { stores, script, asked, receipts, events }

  /** Fees of a settled sweep, which the fee recipient holds from then on. */
  const collect = Effect.fnUntraced(function* (id: string, token: Address.Address, feeAmount: bigint) {
    const { order, quote, ...rest } = newIntent({ id, chainId: chain.id })
    yield* intents.create({
      ...rest,
      quote: { ...quote, settlementAddress: chain.contracts.delegate },
      order: { ...order, tokenIn: token, feeAmount }
    })
    yield* intents.submit(id, submission(chain.id))
    const txHash = hash(`tx ${id}`)
    yield* intents.apply(id, [
      { _tag: "SettledAtSource", txHash },
      { _tag: "Delivered", txHash }
    ])
    script.balances.set(token, (script.balances.get(token) ?? 0n) + feeAmount)
  })

  /** The chain settles a submitted sale: its receipt shows the event, and the balances change. */
  const settle = Effect.fnUntraced(function* (id: string, amountOut: bigint) {
    const found = yield* intents.find(id)
    if (Option.isNone(found)) return yield* Effect.die("no intent")
    const { order, orderDigest } = found.value
    const txHash = keccak256(toHex(id))
    events.set(txHash, { ...order, orderHash: orderDigest, amountOut })
    receipts.set(txHash, receiptOf(txHash, (script.generation === "first" ? FIRST : chain.contracts).guard))
    yield* intents.apply(id, [
      { _tag: "SettledAtSource", txHash },
      { _tag: "Delivered", txHash }
    ])
    const { balances } = script
    balances.set(order.tokenIn, (balances.get(order.tokenIn) ?? 0n) - order.amountIn + order.feeAmount)
    balances.set(order.tokenOut, (balances.get(order.tokenOut) ?? 0n) + amountOut)
  })

  return {
    script,
    asked,
    collect,
    collectMany: collectMany(script),
    settle,
    intents,
    fails: (id: string, reason: FailureReason) =>
      intents.apply(id, [{ _tag: "Failed", reason }], { detail: "scripted" }),
    sales,
    alerts: Context.get(stores, Alerts),
    start: started(world, options),
    /** A process with other settings. */
    startWith: (others: Options) => started(world, { ...options, ...others })
  }
})
