/**
 * One sweep of many tokens on several chains, under one signature. The client is ordinary: a new key that has no gas, and the HTTP
 * API only. It builds what it signs from the orders that it checked, and reads nothing else of what the service proposes.
 */
import { Clock, Effect, Schedule } from "effect"
import { isTerminal } from "../../domain/Intent.ts"
import * as SweepBatch from "../../domain/SweepBatch.ts"
import { DEFAULT_DOMAIN_NAME, digest } from "../../domain/SweepOrder.ts"
import type { DevInfo } from "../DevInfo.ts"
import * as Delivered from "./Delivered.ts"
import { attempt, DemoFailed } from "./DemoFailed.ts"
import type { DemoEvent, SummaryRow } from "./Events.ts"
import { reconcileWallet } from "./Reconciliation.ts"
import type { WalletScenario } from "./Scenarios.ts"
import type * as SweepApi from "./SweepApi.ts"
import { amountOf } from "./Wallet.ts"
import * as Scene from "./WalletScene.ts"

type Emit = (event: DemoEvent) => Effect.Effect<void>

const POLL_MILLIS = 400
const DELIVERY_TIMEOUT_MILLIS = 60_000

const tellQuotes = (emit: Emit, { dest, owner, tokenOut }: Scene.Prepared, { expiresAtMs, legs }: Scene.Quoted) =>
  emit({
    event: "quotes",
    quotes: legs.map(({ chain, order, quote, token }) => ({
      id: quote.id,
      provider: quote.provider,
      send: amountOf(token, order.amountIn),
      fromChain: chain.name,
      fees: amountOf(token, order.feeAmount + order.builderFee),
      receiveAtLeast: amountOf(tokenOut, quote.minAmountOut)
    })),
    receiveAtLeast: amountOf(tokenOut, Scene.minimumOf(legs)),
    toChain: dest.name,
    destination: owner,
    expiresAtMs
  })

/** Signs the batch once, and a delegation for each chain. The delegates are those that the network's file names. */
const signAndSubmit = Effect.fnUntraced(function* (
  api: Scene.Api,
  scene: Scene.Prepared,
  { legs }: Scene.Quoted,
  emit: Emit
) {
  const { account, chains, owner } = scene
  const [first, ...others] = legs.map(({ chain, order }) => ({ chainId: chain.id, order }))
  if (first === undefined) return yield* new DemoFailed({ detail: "the wallet of the demo holds nothing" })
  const signature = yield* attempt("signing the batch", () =>
    account.signTypedData(SweepBatch.typedData([first, ...others], DEFAULT_DOMAIN_NAME))
  )
  yield* emit({
    event: "signed",
    what: "batch",
    detail: `EIP-712 SweepBatch of ${legs.length} orders on ${chains.length} chains, contract ${owner}`
  })
  const authorizations = yield* Effect.forEach(
    chains,
    Effect.fnUntraced(function* (chain) {
      const nonce = yield* attempt("reading the owner's nonce", () =>
        Scene.nodeOf(chain).getTransactionCount({ address: owner })
      )
      const { address, chainId, r, s, yParity } = yield* attempt("signing an authorization", () =>
        account.signAuthorization({ address: chain.delegate, chainId: chain.id, nonce })
      )
      yield* emit({
        event: "signed",
        what: "authorization",
        detail: `EIP-7702 delegation to ${address} on chain ${chainId}, nonce ${nonce}`
      })
      return { address, chainId, nonce, r, s, yParity: yParity ?? 0 }
    })
  )
  return yield* api.submitSweep({ quoteIds: legs.map(({ quote }) => quote.id), signature, authorizations })
})

/** Polls until every intent is terminal, and emits every change of a status. */
const follow = Effect.fnUntraced(function* (
  api: Scene.Api,
  id: string,
  legs: ReadonlyArray<Scene.Leg>,
  startedAt: number,
  emit: Emit
) {
  const known = new Map<string, SweepApi.IntentAnswer["status"]>()
  const poll = Effect.gen(function* () {
    const { intents } = yield* api.sweep(id)
    for (const { id: intentId, status, txHash } of intents) {
      if (known.get(intentId) === status) continue
      known.set(intentId, status)
      const leg = legs.find(({ quote }) => quote.id === intentId)
      yield* emit({
        event: "status",
        of: leg?.name ?? intentId,
        status,
        ...(txHash === undefined ? {} : { txHash }),
        elapsedMs: (yield* Clock.currentTimeMillis) - startedAt
      })
    }
    return intents
  })
  return yield* poll.pipe(
    Effect.repeat({
      schedule: Schedule.spaced(POLL_MILLIS),
      until: (intents) => intents.every(({ status }) => isTerminal(status))
    }),
    Effect.timeoutOrElse({
      duration: DELIVERY_TIMEOUT_MILLIS,
      orElse: () =>
        Effect.fail(new DemoFailed({ detail: `sweep ${id} has not ended after ${DELIVERY_TIMEOUT_MILLIS / 1000} s` }))
    })
  )
})

type Settled = Effect.Success<ReturnType<typeof follow>>

/** Sum of the amounts in the chains' events. One transaction may carry several legs, and one fill several deposits. */
const deliveredOf = Effect.fnUntraced(function* (
  scene: Scene.Prepared,
  legs: ReadonlyArray<Scene.Leg>,
  settled: Settled
) {
  const { dest, destNode, owner } = scene
  const intentOf = ({ quote }: Scene.Leg) => settled.find(({ id }) => id === quote.id)
  const swept = yield* Effect.forEach(
    legs.filter(({ quote }) => !quote.crossChain),
    (leg) =>
      Delivered.sweptAmountOut(
        leg.node,
        leg.chain.guard,
        digest(leg.order, { name: DEFAULT_DOMAIN_NAME, chainId: leg.chain.id }),
        intentOf(leg)?.txHash
      )
  )
  const fills = new Set(legs.filter(({ quote }) => quote.crossChain).map((leg) => intentOf(leg)?.deliveryTxHash))
  const filled = yield* Effect.forEach(fills, (txHash) =>
    Delivered.filledAmountOut(destNode, dest.spokePool, owner, txHash)
  )
  return [...swept, ...filled].reduce((sum, amount) => sum + amount, 0n)
})

/** Compares the chains with the orders, and emits balances and checks. */
const verify = Effect.fnUntraced(function* (
  scene: Scene.Prepared,
  { legs }: Scene.Quoted,
  settled: Settled,
  before: Scene.Balances,
  emit: Emit
) {
  const { chains, tokenOut } = scene
  const after = yield* Scene.balancesOf(scene)
  const zero = { owner: 0n, feeRecipient: 0n }
  const tokens = legs.map(({ name, order, token }, index) => {
    const [was, is] = [before.tokens[index] ?? zero, after.tokens[index] ?? zero]
    return {
      name,
      order,
      token,
      owner: { before: was.owner, after: is.owner },
      feeRecipient: { before: was.feeRecipient, after: is.feeRecipient }
    }
  })
  const checks = reconcileWallet({
    tokens,
    native: chains.map(({ name }, index) => ({
      chain: name,
      before: before.native[index] ?? 0n,
      after: after.native[index] ?? 0n
    })),
    destination: { before: before.out, after: after.out },
    delivered: yield* deliveredOf(scene, legs, settled),
    minimum: Scene.minimumOf(legs)
  })
  for (const { name, owner, token } of tokens) {
    yield* emit({
      event: "balance",
      whose: `owner, ${name}`,
      before: amountOf(token, owner.before),
      after: amountOf(token, owner.after)
    })
  }
  yield* emit({
    event: "balance",
    whose: "destination",
    before: amountOf(tokenOut, before.out),
    after: amountOf(tokenOut, after.out)
  })
  yield* Effect.forEach(checks, (check) => emit({ event: "check", check }), { discard: true })
  return { received: after.out - before.out, ok: checks.every(({ ok }) => ok) }
})

/** Sweeps the wallet, and succeeds with the row of the summary. */
export const sweep = Effect.fn("Demo.sweepWallet")(function* (
  info: DevInfo,
  api: Scene.Api,
  scenario: WalletScenario,
  emit: Emit
) {
  const scene = yield* Scene.prepare(info, scenario)
  const { chains, holdings, owner, tokenOut } = scene
  const before = yield* Scene.balancesOf(scene)
  yield* emit({
    event: "wallet",
    address: owner,
    holds: holdings.map(({ amount, chain, token }) => ({ ...amountOf(token, amount), chain: chain.name })),
    gas: chains.map(({ name }, index) => ({
      amount: before.native[index] ?? 0n,
      symbol: "ETH",
      decimals: 18,
      chain: name
    }))
  })
  const startedAt = yield* Clock.currentTimeMillis
  const quoted = yield* Scene.quotesFor(api, scene)
  yield* tellQuotes(emit, scene, quoted)
  const { id } = yield* signAndSubmit(api, scene, quoted, emit)
  const settled = yield* follow(api, id, quoted.legs, startedAt, emit)
  const { ok, received } = yield* verify(scene, quoted, settled, before, emit)
  const { builder, network, protocol } = quoted.totals.fees
  const undelivered = settled.find(({ status }) => status !== "delivered")
  return {
    title: scenario.title,
    sent: quoted.legs.map(({ order, token }) => amountOf(token, order.amountIn)),
    fees: amountOf(tokenOut, protocol.amount + network.amount + builder.amount),
    received: amountOf(tokenOut, received),
    status: undelivered?.status ?? "delivered",
    seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000,
    ok: undelivered === undefined && ok
  } satisfies SummaryRow
})
