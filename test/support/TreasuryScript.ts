/** Answers of the treasury's ports: a quoter that can be made hostile, an intake, and the store of sales. */
import { Effect, Layer, Option } from "effect"
import { recoverTypedDataAddress, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { recoverAuthorizationAddress } from "viem/utils"
import * as EvmSweepContracts from "../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Address from "../../src/domain/Address.ts"
import { lessBps } from "../../src/domain/Amount.ts"
import type { Chain } from "../../src/domain/Chain.ts"
import type { UsdPrice } from "../../src/domain/Fees.ts"
import * as OrderNonce from "../../src/domain/OrderNonce.ts"
import type { QuoteRequest } from "../../src/domain/Quote.ts"
import { digest, type SweepOrder, typedData } from "../../src/domain/SweepOrder.ts"
import type { Swept } from "../../src/domain/Swept.ts"
import { Intake } from "../../src/orchestrator/intake/Intake.ts"
import { SubmissionRefused } from "../../src/orchestrator/intake/SubmissionRefused.ts"
import { QuoteFailed } from "../../src/orchestrator/quote/QuoteFailed.ts"
import { type Offer, Quoter } from "../../src/orchestrator/quote/Quoter.ts"
import { Intents } from "../../src/ports/orchestrator/Intents.ts"
import { Prices, PricesUnavailable } from "../../src/ports/orchestrator/Prices.ts"
import { type SwapRoute, SwapVenue } from "../../src/ports/orchestrator/SwapVenue.ts"
import { SweepContracts } from "../../src/ports/orchestrator/SweepContracts.ts"
import { TokenRisk } from "../../src/ports/orchestrator/TokenRisk.ts"
import { type CollectedBy, TreasurySales } from "../../src/ports/orchestrator/TreasurySales.ts"
import { ChainUnavailable, type Log } from "../../src/ports/shared/Chains.ts"
import * as Priority from "../../src/ports/shared/Priority.ts"
import * as FakeChain from "./FakeChain.ts"
import { hash } from "./IntentFixtures.ts"

const account = privateKeyToAccount(hash("fee recipient"))

export const RECIPIENT = Address.of(account.address)

/** Contracts before the upgrade of the chain. */
export const FIRST = {
  delegate: FakeChain.address(0x71),
  guard: FakeChain.address(0x72),
  entry: FakeChain.address(0x73)
}

export const chain: Chain = { ...FakeChain.chain, feeRecipient: RECIPIENT, earlierContracts: [FIRST] }

export const WHOLE = 10n ** 18n

/** Fee of every quoted sale, which returns to the fee recipient. */
export const SALE_FEE = WHOLE

export interface Script {
  readonly balances: Map<Address.Address, bigint>
  readonly prices: Map<Address.Address, UsdPrice>
  arePricesKnown: boolean
  /** True if the endpoint that is asked first has deleted its receipts. */
  isPruned: boolean
  /** Fees beside those of stored intents. */
  readonly collected: Array<CollectedBy>
  /** Time that each call to the chain and each request for prices takes. */
  callMillis: number
  /** Tokens whose balance fails every call that reads it. */
  readonly unreadable: Set<Address.Address>
  /** Tokens whose price fails every request for it. */
  readonly unpriceable: Set<Address.Address>
  /** Time that the venue takes for an answer. */
  venueMillis: number
  /** Output of the venue's answers, in percent of the honest one. Answers are counted from 1. */
  venuePercent: (answer: number) => bigint
  /** True if the venue's routes can be made again. */
  isVenueRemakable: boolean
  /** Changes what the quoter answers. */
  offer: (honest: Offer) => Offer
  quoteFails: QuoteFailed["reason"] | undefined
  /** Runs right before the submission, and may fail it. */
  submitting: Effect.Effect<void, SubmissionRefused>
  /** Runs after each read of fees or sales. */
  afterRead: Effect.Effect<void>
  /** Intents whose row cannot be read: the store dies. */
  readonly brokenIntents: Set<string>
  /** Generation of the contracts that sales are quoted for. */
  readonly generation: "current" | "first"
}

export interface Asked {
  readonly quotes: Array<QuoteRequest>
  readonly submitted: Array<string>
  readonly priced: Array<Address.Address>
  /** Priorities of the requests for prices. */
  readonly pricedAt: Array<Priority.Priority>
  /** Tokens whose balance was read. */
  readonly balances: Array<Address.Address>
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

const failsOn = (tokens: ReadonlyArray<Address.Address>, bad: ReadonlySet<Address.Address>) =>
  tokens.some((token) => bad.has(token))

/** The contracts, with the scripted balances. Events are read from the data of their logs. */
export const contractsOf = (script: Script, asked: Asked, events: ReadonlyMap<string, Swept>) =>
  Layer.effect(
    SweepContracts,
    Effect.map(SweepContracts, (real) => ({
      ...real,
      balancesOf: (_client: unknown, tokens: ReadonlyArray<Address.Address>) =>
        Effect.gen(function* () {
          yield* Effect.sleep(script.callMillis)
          if (failsOn(tokens, script.unreadable)) {
            return yield* new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "out of gas" })
          }
          asked.balances.push(...tokens)
          return tokens.map((token) => Option.some(script.balances.get(token) ?? 0n))
        }),
      decodeSwept: (guard: Address.Address, { address, data }: Pick<Log, "address" | "data">) =>
        address === guard ? Option.fromUndefinedOr(events.get(data)) : Option.none()
    }))
  ).pipe(Layer.provide(EvmSweepContracts.layer))

/** Prices and decimals of tokens. */
export const marketOf = (script: Script, asked: Asked) =>
  Layer.merge(
    Layer.mock(Prices, {
      usd: (_chain, tokens) =>
        Effect.gen(function* () {
          asked.pricedAt.push(yield* Priority.Current)
          yield* Effect.sleep(script.callMillis)
          const addresses = tokens.map(({ address }) => address)
          if (!script.arePricesKnown || failsOn(addresses, script.unpriceable)) {
            return yield* new PricesUnavailable({ detail: "scripted" })
          }
          asked.priced.push(...addresses)
          return script.prices
        })
    }),
    Layer.mock(TokenRisk, {
      describe: () => Effect.delay(Effect.succeed({ symbol: "JUNK", decimals: 18 }), script.callMillis)
    })
  )

/** Makes a quoter that stores what it offers, as the real one does. */
export const quoterOf = (script: Script, asked: Asked, intents: Intents["Service"]) =>
  Layer.mock(Quoter, {
    quote: Effect.fnUntraced(function* (request) {
      asked.quotes.push(request)
      if (script.quoteFails !== undefined)
        return yield* new QuoteFailed({ reason: script.quoteFails, detail: "scripted" })
      const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const index = BigInt(asked.quotes.length)
      const nonce = script.generation === "first" ? index : OrderNonce.bound(chain.contracts.guard, index)
      const order = orderOf(request, nowMs + LIFETIME_MILLIS, nonce)
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
export const intakeOf = (script: Script, asked: Asked, intents: Intents["Service"]) =>
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

/** A venue that swaps one to one, of 18 decimals into 6. Its calldata is the slippage tolerance. */
export const venueOf = (script: Script) => {
  let answers = 0
  const routeOf = (amountOut: bigint, slippageBps: number): SwapRoute => ({
    provider: "venue",
    target: FakeChain.address(0x5a),
    calldata: toHex(slippageBps, { size: 2 }),
    amountOut,
    minAmountOut: lessBps(amountOut, slippageBps),
    gas: 1n,
    passing: 0,
    ...(script.isVenueRemakable ? { remade: (expected) => routeOf(expected.amountOut, expected.slippageBps) } : {})
  })
  return Layer.mock(SwapVenue, {
    route: ({ amountIn, slippageBps }) =>
      Effect.sync(() => {
        answers++
        return routeOf(((amountIn / 10n ** 12n) * script.venuePercent(answers)) / 100n, slippageBps)
      }).pipe(Effect.delay(script.venueMillis))
  })
}

/** The store of intents, of which some cannot be read. */
export const readable = (intents: Intents["Service"], { brokenIntents }: Script) =>
  Layer.succeed(Intents, {
    ...intents,
    find: (id) => (brokenIntents.has(id) ? Effect.die(new Error(`the row of ${id} is broken`)) : intents.find(id))
  })

/** The store of sales, whose reads let the script act. */
export const observed = (sales: TreasurySales["Service"], script: Script) => {
  const read = <A, E>(effect: Effect.Effect<A, E>) => Effect.tap(effect, () => script.afterRead)
  return Layer.succeed(TreasurySales, {
    ...sales,
    collected: read(Effect.map(sales.collected, (collected) => [...collected, ...script.collected])),
    sold: read(sales.sold),
    open: read(sales.open),
    recent: (limit) => read(sales.recent(limit))
  })
}
