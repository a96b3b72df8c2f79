/**
 * One sweep on the local network as an ordinary client makes it: with a new key that has no gas, and by the HTTP API only.
 * Every balance that the order may change is compared with the order, to the smallest unit.
 */
import { Clock, Effect, Schedule } from "effect"
import { createPublicClient, http, parseUnits } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../domain/Address.ts"
import { isTerminal } from "../../domain/Intent.ts"
import { DEFAULT_DOMAIN_NAME, digest, SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { DevInfo } from "../DevInfo.ts"
import * as Delivered from "./Delivered.ts"
import * as DemoBuilder from "./DemoBuilder.ts"
import { attempt, DemoFailed } from "./DemoFailed.ts"
import type { DemoEvent, SummaryRow } from "./Events.ts"
import { type Balances, reconcile } from "./Reconciliation.ts"
import type { TokenScenario } from "./Scenarios.ts"
import type * as SweepApi from "./SweepApi.ts"
import { amountOf, balanceOf, fund, tokenOf } from "./Wallet.ts"

type Emit = (event: DemoEvent) => Effect.Effect<void>
type Api = Effect.Success<ReturnType<typeof SweepApi.make>>
type Quoted = Effect.Success<ReturnType<Api["quote"]>>

const POLL_MILLIS = 400
const DELIVERY_TIMEOUT_MILLIS = 60_000

const newKey = () => privateKeyToAccount(generatePrivateKey())

/** Chains, tokens and accounts of a scenario. The owner holds the amount to sweep and nothing else. */
const prepare = Effect.fnUntraced(function* (info: DevInfo, scenario: TokenScenario) {
  const source = info.chains[scenario.sourceChain]
  const dest = info.chains[scenario.destChain]
  if (source === undefined || dest === undefined) {
    return yield* new DemoFailed({ detail: "the local network has fewer chains than the demo needs" })
  }
  const tokenIn = yield* tokenOf(source, scenario.tokenIn)
  const tokenOut = yield* tokenOf(dest, scenario.tokenOut)
  const amountIn = parseUnits(scenario.amountIn, tokenIn.decimals)
  const account = newKey()
  const owner = Address.of(account.address)
  const destination = scenario.destination === "owner" ? owner : Address.of(newKey().address)
  yield* fund(info, source, tokenIn, owner, amountIn)
  const nativeIn = tokenIn.address === NATIVE
  return {
    source,
    dest,
    sourceNode: createPublicClient({ transport: http(source.rpcUrl) }),
    destNode: createPublicClient({ transport: http(dest.rpcUrl) }),
    tokenIn,
    tokenOut,
    nativeIn,
    // Fees of native currency are taken after it is wrapped.
    feeToken: nativeIn ? yield* tokenOf(source, "WETH") : tokenIn,
    amountIn,
    account,
    owner,
    destination
  }
})

type Prepared = Effect.Success<ReturnType<typeof prepare>>

const balancesOf = (scene: Prepared, builder: Address.Address): Effect.Effect<Balances, DemoFailed> =>
  Effect.all(
    {
      ownerIn: balanceOf(scene.sourceNode, scene.tokenIn.address, scene.owner),
      ownerNative: balanceOf(scene.sourceNode, NATIVE, scene.owner),
      destinationOut: balanceOf(scene.destNode, scene.tokenOut.address, scene.destination),
      feeRecipient: balanceOf(scene.sourceNode, scene.feeToken.address, scene.source.feeRecipient),
      builder: Address.isZero(builder)
        ? Effect.succeed(0n)
        : balanceOf(scene.sourceNode, scene.feeToken.address, builder)
    },
    { concurrency: "unbounded" }
  )

/** Asks for a quote and checks that its order is the one that was asked for. */
const quoteFor = Effect.fnUntraced(function* (api: Api, scene: Prepared, apiKey: string | undefined) {
  const { amountIn, dest, destination, owner, source, tokenIn, tokenOut } = scene
  const quoted = yield* api.quote({
    owner,
    tokenIn: tokenIn.address,
    amountIn: amountIn.toString(),
    tokenOut: tokenOut.address,
    destination,
    destChainId: dest.id,
    tier: "tier1",
    route: `${source.name}->${dest.name}`,
    subscriptionActive: false,
    userId: "demo",
    ...(apiKey === undefined ? {} : { apiKey })
  })
  const { order } = quoted
  const isAsAsked =
    order.owner === owner &&
    order.tokenIn === tokenIn.address &&
    order.amountIn === amountIn &&
    order.tokenOut === tokenOut.address &&
    order.destination === destination &&
    order.destChainId === BigInt(dest.id)
  return isAsAsked
    ? quoted
    : yield* new DemoFailed({ detail: "the returned order is not the requested one; a client must not sign it" })
})

const tellQuote = (emit: Emit, { dest, destination, feeToken, source, tokenIn, tokenOut }: Prepared, quoted: Quoted) =>
  emit({
    event: "quote",
    id: quoted.quote.id,
    provider: quoted.quote.provider,
    send: amountOf(tokenIn, quoted.order.amountIn),
    fromChain: source.name,
    protocolFee: amountOf(feeToken, quoted.order.feeAmount),
    builderFee: amountOf(feeToken, quoted.order.builderFee),
    receiveAtLeast: amountOf(tokenOut, quoted.quote.minAmountOut),
    toChain: dest.name,
    destination,
    expiresAtMs: quoted.quote.expiresAtMs
  })

/** Signs the order and the delegation, and submits both. */
const signAndSubmit = Effect.fnUntraced(function* (api: Api, scene: Prepared, quoted: Quoted, emit: Emit) {
  const { account, owner, source } = scene
  const { order, quote, signing } = quoted
  const signature = yield* attempt("signing the order", () =>
    account.signTypedData(typedData(order, { name: DEFAULT_DOMAIN_NAME, chainId: source.id }))
  )
  yield* emit({
    event: "signed",
    what: "order",
    detail: `EIP-712 SweepOrder of ${Object.keys(SweepOrder.fields).length} fields, domain chain ${source.id}, contract ${owner}`
  })
  const authorization = yield* attempt("signing the authorization", () =>
    account.signAuthorization({
      address: source.delegate,
      chainId: source.id,
      nonce: Number(signing.authorization.nonce)
    })
  )
  yield* emit({
    event: "signed",
    what: "authorization",
    detail: `EIP-7702 delegation to ${authorization.address} on chain ${authorization.chainId}, nonce ${authorization.nonce}`
  })
  const { address, chainId, nonce, r, s, yParity } = authorization
  yield* api.submit({
    quoteId: quote.id,
    signature,
    authorization: { address, chainId, nonce, r, s, yParity: yParity ?? 0 }
  })
})

/** Polls until the intent is terminal, and emits every change of its status. */
const follow = Effect.fnUntraced(function* (api: Api, id: string, startedAt: number, emit: Emit) {
  let known: SweepApi.IntentAnswer["status"] | undefined
  const poll = Effect.gen(function* () {
    const intent = yield* api.intent(id)
    if (intent.status !== known) {
      known = intent.status
      yield* emit({
        event: "status",
        status: intent.status,
        ...(intent.txHash === undefined ? {} : { txHash: intent.txHash }),
        elapsedMs: (yield* Clock.currentTimeMillis) - startedAt
      })
    }
    return intent
  })
  return yield* poll.pipe(
    Effect.repeat({ schedule: Schedule.spaced(POLL_MILLIS), until: (intent) => isTerminal(intent.status) }),
    Effect.timeoutOrElse({
      duration: DELIVERY_TIMEOUT_MILLIS,
      orElse: () =>
        Effect.fail(
          new DemoFailed({
            detail: `intent ${id} is still ${known ?? "unknown"} after ${DELIVERY_TIMEOUT_MILLIS / 1000} s`
          })
        )
    })
  )
})

/** Compares the chain and the ledger with the order, and emits balances and checks. */
const verify = Effect.fnUntraced(function* (
  scene: Prepared,
  { order, quote }: Quoted,
  settled: SweepApi.IntentAnswer,
  before: Balances,
  builder: DemoBuilder.DemoBuilder | undefined,
  emit: Emit
) {
  const { dest, destination, destNode, feeToken, nativeIn, owner, source, sourceNode, tokenIn, tokenOut } = scene
  const after = yield* balancesOf(scene, order.builder)
  const delivered = quote.crossChain
    ? yield* Delivered.filledAmountOut(destNode, dest.spokePool, destination, settled.deliveryTxHash)
    : yield* Delivered.sweptAmountOut(
        sourceNode,
        source.guard,
        digest(order, { name: DEFAULT_DOMAIN_NAME, chainId: source.id }),
        settled.txHash
      )
  const onChain = reconcile({
    order,
    nativeIn,
    nativeOutToOwner: tokenOut.address === NATIVE && destination === owner && source.id === dest.id,
    before,
    after,
    delivered,
    minAmountOut: quote.minAmountOut
  })
  const inLedger = builder === undefined ? [] : yield* builder.checks(feeToken.address, order.builderFee)
  const checks = [...onChain, ...inLedger]
  yield* emit({
    event: "balance",
    whose: "owner",
    before: amountOf(tokenIn, before.ownerIn),
    after: amountOf(tokenIn, after.ownerIn)
  })
  yield* emit({
    event: "balance",
    whose: "destination",
    before: amountOf(tokenOut, before.destinationOut),
    after: amountOf(tokenOut, after.destinationOut)
  })
  yield* Effect.forEach(checks, (check) => emit({ event: "check", check }), { discard: true })
  return { received: after.destinationOut - before.destinationOut, ok: checks.every((check) => check.ok) }
})

/** Sweeps, and succeeds with the row of the summary. */
export const sweep = Effect.fn("Demo.sweep")(function* (info: DevInfo, api: Api, scenario: TokenScenario, emit: Emit) {
  const scene = yield* prepare(info, scenario)
  const { amountIn, dest, feeToken, nativeIn, owner, source, sourceNode, tokenIn, tokenOut } = scene
  yield* emit({
    event: "owner",
    address: owner,
    holds: amountOf(tokenIn, amountIn),
    gas: { amount: nativeIn ? 0n : yield* balanceOf(sourceNode, NATIVE, owner), symbol: "ETH", decimals: 18 },
    chain: source.name
  })
  const builder =
    scenario.builder === undefined
      ? undefined
      : yield* DemoBuilder.register(info, Address.of(newKey().address), scenario.builder)

  const startedAt = yield* Clock.currentTimeMillis
  const quoted = yield* quoteFor(api, scene, builder?.apiKey)
  const { order, quote } = quoted
  yield* tellQuote(emit, scene, quoted)
  const before = yield* balancesOf(scene, order.builder)
  yield* signAndSubmit(api, scene, quoted, emit)
  const settled = yield* follow(api, quote.id, startedAt, emit)
  if (settled.deliveryTxHash !== undefined && quote.crossChain) {
    yield* emit({ event: "delivery", txHash: settled.deliveryTxHash, chain: dest.name })
  }
  const { ok, received } = yield* verify(scene, quoted, settled, before, builder, emit)
  return {
    title: scenario.title,
    sent: amountOf(tokenIn, order.amountIn),
    fees: amountOf(feeToken, order.feeAmount + order.builderFee),
    received: amountOf(tokenOut, received),
    status: settled.status,
    seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000,
    ok: settled.status === "delivered" && ok
  } satisfies SummaryRow
})
