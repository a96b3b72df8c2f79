/** The treasury over stores that outlive it, a chain that a test writes by hand, and a quoter that can be made hostile. */
import { Context, Effect, Exit, Layer, Option, Redacted, Scope } from "effect"
import { keccak256, recoverTypedDataAddress, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { recoverAuthorizationAddress } from "viem/utils"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as RawTreasuryKey from "../../src/adapters/evm/keys/RawTreasuryKey.ts"
import * as MemoryIntents from "../../src/adapters/memory/orchestrator/Intents.ts"
import * as MemoryTreasurySales from "../../src/adapters/memory/orchestrator/TreasurySales.ts"
import * as MemoryAlerts from "../../src/adapters/memory/shared/Alerts.ts"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import * as Address from "../../src/domain/Address.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import type { UsdPrice } from "../../src/domain/Fees.ts"
import type { FailureReason } from "../../src/domain/Intent.ts"
import type { QuoteRequest } from "../../src/domain/Quote.ts"
import { digest, type SweepOrder, typedData } from "../../src/domain/SweepOrder.ts"
import type { Swept } from "../../src/domain/Swept.ts"
import { Intake, SubmissionRefused } from "../../src/orchestrator/intake/Intake.ts"
import { QuoteFailed } from "../../src/orchestrator/quote/QuoteFailed.ts"
import { type Offer, Quoter } from "../../src/orchestrator/quote/Quoter.ts"
import {
  OrchestratorSettings,
  type OrchestratorSettingsShape
} from "../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Treasury } from "../../src/orchestrator/treasury/Treasury.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import { Prices, PricesUnavailable } from "../../src/ports/orchestrator/Prices.ts"
import { SwapVenue } from "../../src/ports/orchestrator/SwapVenue.ts"
import { SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import { TokenRisk } from "../../src/ports/orchestrator/TokenRisk.ts"
import { TreasurySales } from "../../src/ports/orchestrator/TreasurySales.ts"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import { Chains, ChainUnavailable, type Receipt } from "../../src/ports/shared/Chains.ts"
import * as FakeChain from "./FakeChain.ts"
import { hash, newIntent, submission } from "./IntentFixtures.ts"

const account = privateKeyToAccount(hash("fee recipient"))
export const RECIPIENT = Address.of(account.address)

/** Six decimals, one dollar: the asset. */
export const USDC = FakeChain.address(0xd1)
/** Listed, 18 decimals, one dollar. */
export const LST = FakeChain.address(0xb1)
/** Listed by nobody, 18 decimals. */
export const JUNK = FakeChain.address(0x99)

export const chain: Chain = { ...FakeChain.chain, feeRecipient: RECIPIENT }

export const WHOLE = 10n ** 18n
const DOLLAR = 10n ** 18n

/** Fee of every quoted sale, which returns to the fee recipient. */
export const SALE_FEE = WHOLE

export interface Script {
  readonly balances: Map<Address.Address, bigint>
  readonly prices: Map<Address.Address, UsdPrice>
  arePricesKnown: boolean
  /** Changes what the quoter answers. */
  offer: (honest: Offer) => Offer
  quoteFails: QuoteFailed["reason"] | undefined
  /** Runs right before the submission, and may fail it. */
  submitting: Effect.Effect<void, SubmissionRefused>
  /** Runs after each read of fees or sales. */
  afterRead: Effect.Effect<void>
}

export interface Asked {
  readonly quotes: Array<QuoteRequest>
  readonly submitted: Array<string>
  readonly priced: Array<Address.Address>
}

const LIFETIME_MILLIS = 120_000

const orderOf = (request: QuoteRequest, expiresAtMs: number, nonce: bigint): SweepOrder => ({
  owner: request.owner,
  tokenIn: request.tokenIn,
  amountIn: request.amountIn,
  feeAmount: SALE_FEE,
  builder: Address.zero,
  builderFee: 0n,
  tokenOut: request.tokenOut,
  minAmountOut: ((request.amountIn - SALE_FEE) * 995n) / 1_000n / 10n ** 12n,
  destination: request.destination,
  swapTarget: FakeChain.address(0x5a),
  swapCalldata: "0xabcd",
  deadline: BigInt(Math.floor(expiresAtMs / 1000) + 600),
  nonce,
  destChainId: BigInt(request.destChainId)
})

/** Makes a quoter that stores what it offers, as the real one does. */
const quoterOf = (script: Script, asked: Asked, intents: Intents["Service"]) =>
  Layer.succeed(Quoter, {
    quote: Effect.fnUntraced(function* (request) {
      asked.quotes.push(request)
      if (script.quoteFails !== undefined)
        return yield* new QuoteFailed({ reason: script.quoteFails, detail: "scripted" })
      const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const order = orderOf(request, nowMs + LIFETIME_MILLIS, BigInt(asked.quotes.length))
      const id = `sale-${asked.quotes.length}`
      const honest: Offer = {
        quote: {
          id,
          crossChain: false,
          expiresAtMs: nowMs + LIFETIME_MILLIS,
          total: order.feeAmount,
          settlementAddress: chain.contracts.delegate,
          sourceChainId: chain.id,
          estimatedAmountOut: order.minAmountOut + 1n,
          minAmountOut: order.minAmountOut,
          provider: "venue",
          estimatedSeconds: 1
        },
        order,
        signing: {
          typedData: typedData(order, { name: "Service", chainId: chain.id }),
          authorization: { address: chain.contracts.delegate, chainId: chain.id, nonce: 4n }
        }
      }
      const offer = script.offer(honest)
      yield* Effect.orDie(
        intents.create({
          quote: offer.quote,
          order: offer.order,
          orderDigest: digest(offer.order, { name: "Service", chainId: chain.id }),
          quotedAtBlock: 1n,
          gas: 1n,
          userId: request.userId
        })
      )
      return offer
    })
  })

/** Makes an intake that accepts exactly what the fee recipient signed. */
const intakeOf = (script: Script, asked: Asked, intents: Intents["Service"]) =>
  Layer.mock(Intake, {
    submit: Effect.fnUntraced(function* ({ authorization, quoteId, signature }) {
      yield* script.submitting
      const found = yield* intents.find(quoteId)
      if (Option.isNone(found)) return yield* Effect.die("submitted an unknown intent")
      const { order } = found.value
      const [signer, authority] = yield* Effect.promise(() =>
        Promise.all([
          recoverTypedDataAddress({ ...typedData(order, { name: "Service", chainId: chain.id }), signature }),
          recoverAuthorizationAddress({ authorization: { ...authorization, nonce: Number(authorization.nonce) } })
        ])
      )
      if (Address.of(signer) !== RECIPIENT || Address.of(authority) !== RECIPIENT || authorization.nonce !== 4n) {
        return yield* Effect.die("not signed by the fee recipient")
      }
      const refused = () => new SubmissionRefused({ reason: "already_submitted", detail: "twice" })
      const { id, status } = yield* Effect.mapError(intents.submit(quoteId, { authorization, signature }), (error) =>
        error._tag === "IllegalTransition" ? refused() : error
      )
      asked.submitted.push(quoteId)
      return { id, status }
    })
  })

/** The store of sales, whose reads let the script act. */
const observed = (sales: TreasurySales["Service"], script: Script) => {
  const read = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(effect, () => script.afterRead)
  return Layer.succeed(TreasurySales, {
    ...sales,
    collected: read(sales.collected),
    sold: read(sales.sold),
    open: read(sales.open),
    recent: (limit) => read(sales.recent(limit))
  })
}

export interface Options {
  readonly treasury?: Partial<OrchestratorSettingsShape["treasury"]>
  /** Default: the fee recipient's key. */
  readonly key?: "none" | "other"
}

/** Builds the stores and the chain. `start` starts a process of the service, `stop` ends it. */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const stores = yield* Layer.build(Layer.mergeAll(MemoryIntents.layer, MemoryTreasurySales.layer, MemoryAlerts.layer))
  const intents = Context.get(stores, Intents)
  const sales = Context.get(stores, TreasurySales)
  const receipts = new Map<string, Receipt>()
  const events = new Map<string, Swept>()
  const script: Script = {
    balances: new Map(),
    prices: new Map([
      [USDC, DOLLAR],
      [LST, DOLLAR]
    ]),
    arePricesKnown: true,
    offer: (honest) => honest,
    quoteFails: undefined,
    submitting: Effect.void,
    afterRead: Effect.void
  }
  const asked: Asked = { quotes: [], submitted: [], priced: [] }
  const client = {
    ...FakeChain.client({
      transactionCount: () => Effect.succeed(4n),
      receipt: (txHash) => Effect.sync(() => Option.fromUndefinedOr(receipts.get(txHash))),
      call: () => Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "no delegate" }))
    }),
    chain
  }
  const contracts = Layer.effect(
    SweepContracts,
    Effect.map(SweepContracts, (real) => ({
      ...real,
      balanceOf: (_client: unknown, token: Address.Address) => Effect.sync(() => script.balances.get(token) ?? 0n),
      decodeSwept: (_guard: unknown, { data }: { readonly data: string }) => Option.fromUndefinedOr(events.get(data))
    }))
  ).pipe(Layer.provide(EvmSweepContracts.layer))
  const ports = Layer.mergeAll(
    Layer.succeedContext(stores),
    observed(sales, script),
    contracts,
    quoterOf(script, asked, intents),
    intakeOf(script, asked, intents),
    Layer.succeed(Chains, { all: [client], get: () => Effect.succeed(client) }),
    Layer.mock(Prices, {
      usd: (_chain, tokens) =>
        Effect.suspend(() => {
          if (!script.arePricesKnown) return Effect.fail(new PricesUnavailable({ detail: "scripted" }))
          asked.priced.push(...tokens.map(({ address }) => address))
          return Effect.succeed(script.prices)
        })
    }),
    Layer.mock(TokenRisk, { describe: () => Effect.succeed({ symbol: "JUNK", decimals: 18 }) }),
    Layer.mock(SwapVenue, {
      route: ({ amountIn, slippageBps }) =>
        Effect.succeed({
          provider: "venue",
          target: FakeChain.address(0x5a),
          calldata: toHex(slippageBps, { size: 2 }),
          amountOut: amountIn / 10n ** 12n,
          minAmountOut: 1n,
          gas: 1n,
          passing: 0
        })
    }),
    options.key === "none"
      ? RawTreasuryKey.none
      : RawTreasuryKey.layer(Redacted.make(options.key === "other" ? hash("another") : hash("fee recipient"))),
    OrchestratorSettings.layer({
      ...orchestratorDefaults,
      treasury: {
        ...orchestratorDefaults.treasury,
        assets: [{ chainId: chain.id, token: USDC }],
        ...options.treasury
      }
    })
  )

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
    receipts.set(txHash, {
      transactionHash: txHash,
      blockNumber: 2n,
      blockHash: hash("block"),
      status: "success",
      gasUsed: 1n,
      effectiveGasPrice: 1n,
      logs: [
        {
          address: chain.contracts.guard,
          topics: [],
          data: txHash,
          blockNumber: 2n,
          blockHash: hash("block"),
          transactionHash: txHash,
          logIndex: 0
        }
      ]
    })
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
    settle,
    intents,
    fails: (id: string, reason: FailureReason) =>
      intents.apply(id, [{ _tag: "Failed", reason }], { detail: "scripted" }),
    sales,
    alerts: Context.get(stores, Alerts),
    /** A process of the service. It ends with `stop`, as in a crash between two steps. */
    start: Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(Treasury.layer.pipe(Layer.provide(ports)), scope)
      return { treasury: Context.get(context, Treasury), stop: Scope.close(scope, Exit.void) }
    })
  }
})
