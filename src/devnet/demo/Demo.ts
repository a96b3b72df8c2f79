/**
 * Sweeps tokens on the local network as an ordinary client would: with a fresh key that has no gas, by the HTTP API alone.
 * Every balance that an order may change is compared with the order, to the wei.
 */
import { Clock, Effect, Schedule, Schema } from "effect"
import {
  createPublicClient,
  createWalletClient,
  erc20Abi,
  http,
  parseEventLogs,
  parseUnits,
  type PublicClient,
  sliceHex
} from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { spokePoolAbi } from "../../adapters/bridge/spokePoolAbi.ts"
import { sweepGuard } from "../../adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../domain/Address.ts"
import type { Hash } from "../../domain/Hex.ts"
import { isTerminal } from "../../domain/Intent.ts"
import { DEFAULT_DOMAIN_NAME, SweepOrder, typedData } from "../../domain/SweepOrder.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { DevChain, DevInfo } from "../DevInfo.ts"
import * as DemoBuilder from "./DemoBuilder.ts"
import type { DemoEvent, SummaryRow, TokenAmount } from "./Events.ts"
import { type Balances, reconcile } from "./Reconciliation.ts"
import { type Scenario, SCENARIOS } from "./Scenarios.ts"
import * as SweepApi from "./SweepApi.ts"

/** The demo cannot go on; a mismatch of balances is not this, but a failed check in the summary. */
export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const POLL_MILLIS = 400
const PATIENCE_MILLIS = 60_000

interface Token {
  readonly address: Address.Address
  readonly symbol: string
  readonly decimals: number
}

const ask = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, DemoFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new DemoFailed({ detail: `${what}: ${error instanceof Error ? error.message : String(error)}` })
  })

const tokenOf = (chain: DevChain, symbol: string): Effect.Effect<Token, DemoFailed> => {
  if (symbol === "ETH") return Effect.succeed({ address: NATIVE, symbol, decimals: 18 })
  const known = chain.tokens[symbol]
  return known === undefined
    ? Effect.fail(new DemoFailed({ detail: `${chain.name} has no token ${symbol}` }))
    : Effect.succeed({ ...known, symbol })
}

const balanceOf = (node: PublicClient, token: Address.Address, account: Address.Address) =>
  ask("reading a balance", () =>
    token === NATIVE
      ? node.getBalance({ address: account })
      : node.readContract({ address: token, abi: erc20Abi, functionName: "balanceOf", args: [account] })
  )

/** Runs every scenario; `emit` is told each step as it happens. Succeeds with whether every balance matched. */
export const run = Effect.fn("Demo.run")(function* (info: DevInfo, emit: (event: DemoEvent) => Effect.Effect<void>) {
  const startedAt = yield* Clock.currentTimeMillis
  const api = yield* SweepApi.make(info.orchestratorUrl)
  const rows: Array<SummaryRow> = []
  for (const [index, scenario] of SCENARIOS.entries()) {
    yield* emit({ event: "scenario", number: index + 1, title: scenario.title })
    rows.push(yield* sweep(info, api, scenario, emit))
  }
  yield* emit({ event: "summary", rows, elapsedMs: (yield* Clock.currentTimeMillis) - startedAt })
  return rows.every((row) => row.ok)
})

const sweep = Effect.fn("Demo.sweep")(function* (
  info: DevInfo,
  api: Effect.Success<ReturnType<typeof SweepApi.make>>,
  scenario: Scenario,
  emit: (event: DemoEvent) => Effect.Effect<void>
) {
  const source = info.chains[scenario.sourceChain]
  const dest = info.chains[scenario.destChain]
  if (source === undefined || dest === undefined) {
    return yield* new DemoFailed({ detail: "the local network has fewer chains than the demo needs" })
  }
  const sourceNode = createPublicClient({ transport: http(source.rpcUrl) })
  const destNode = createPublicClient({ transport: http(dest.rpcUrl) })
  const tokenIn = yield* tokenOf(source, scenario.tokenIn)
  const tokenOut = yield* tokenOf(dest, scenario.tokenOut)
  const amountIn = parseUnits(scenario.amountIn, tokenIn.decimals)

  const account = privateKeyToAccount(generatePrivateKey())
  const owner = Address.of(account.address)
  const destination =
    scenario.destination === "owner" ? owner : Address.of(privateKeyToAccount(generatePrivateKey()).address)
  yield* fund(info, source, tokenIn, owner, amountIn)

  const nativeIn = tokenIn.address === NATIVE
  const feeToken = nativeIn ? yield* tokenOf(source, "WETH") : tokenIn
  const amountOf = (token: Token, amount: bigint): TokenAmount => ({ amount, ...token })
  const balances = (builder: Address.Address) =>
    Effect.all(
      {
        ownerIn: balanceOf(sourceNode, tokenIn.address, owner),
        ownerNative: balanceOf(sourceNode, NATIVE, owner),
        destinationOut: balanceOf(destNode, tokenOut.address, destination),
        feeRecipient: balanceOf(sourceNode, feeToken.address, source.feeRecipient),
        builder: Address.isZero(builder) ? Effect.succeed(0n) : balanceOf(sourceNode, feeToken.address, builder)
      },
      { concurrency: "unbounded" }
    ) satisfies Effect.Effect<Balances, DemoFailed>
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
      : yield* DemoBuilder.register(
          info,
          Address.of(privateKeyToAccount(generatePrivateKey()).address),
          scenario.builder
        )

  const startedAt = yield* Clock.currentTimeMillis
  const { order, quote, signing } = yield* api.quote({
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
    ...(builder === undefined ? {} : { apiKey: builder.apiKey })
  })
  if (
    order.owner !== owner ||
    order.tokenIn !== tokenIn.address ||
    order.amountIn !== amountIn ||
    order.tokenOut !== tokenOut.address ||
    order.destination !== destination ||
    order.destChainId !== BigInt(dest.id)
  ) {
    return yield* new DemoFailed({ detail: "the returned order is not what was asked for; a client must not sign it" })
  }
  yield* emit({
    event: "quote",
    id: quote.id,
    provider: quote.provider,
    send: amountOf(tokenIn, order.amountIn),
    fromChain: source.name,
    protocolFee: amountOf(feeToken, order.feeAmount),
    builderFee: amountOf(feeToken, order.builderFee),
    receiveAtLeast: amountOf(tokenOut, quote.minAmountOut),
    toChain: dest.name,
    destination,
    expiresAtMs: quote.expiresAtMs
  })

  const before = yield* balances(order.builder)
  const signature = yield* ask("signing the order", () =>
    account.signTypedData(typedData(order, { name: DEFAULT_DOMAIN_NAME, chainId: source.id }))
  )
  yield* emit({
    event: "signed",
    what: "order",
    detail: `EIP-712 SweepOrder of ${Object.keys(SweepOrder.fields).length} fields, domain chain ${source.id}, contract ${owner}`
  })
  const authorization = yield* ask("signing the authorization", () =>
    account.signAuthorization({
      address: signing.authorization.address,
      chainId: signing.authorization.chainId,
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
  const settled = yield* follow(api, quote.id, startedAt, emit)
  if (settled.deliveryTxHash !== undefined && quote.crossChain) {
    yield* emit({ event: "delivery", txHash: settled.deliveryTxHash, chain: dest.name })
  }

  const after = yield* balances(order.builder)
  const delivered = quote.crossChain
    ? yield* filledAmountOut(destNode, dest.spokePool, destination, settled.deliveryTxHash)
    : yield* sweptAmountOut(sourceNode, source.guard, settled.txHash)
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
  return {
    title: scenario.title,
    sent: amountOf(tokenIn, order.amountIn),
    fees: amountOf(feeToken, order.feeAmount + order.builderFee),
    received: amountOf(tokenOut, after.destinationOut - before.destinationOut),
    status: settled.status,
    seconds: ((yield* Clock.currentTimeMillis) - startedAt) / 1000,
    ok: settled.status === "delivered" && checks.every((check) => check.ok)
  } satisfies SummaryRow
})

/** Gives the owner exactly what it will sweep, from one of the network's funded accounts, and nothing for gas. */
const fund = Effect.fnUntraced(function* (
  info: DevInfo,
  chain: DevChain,
  token: Token,
  owner: Address.Address,
  amount: bigint
) {
  const giver = info.accounts[0]
  if (giver === undefined) return yield* new DemoFailed({ detail: "the local network has no funded account" })
  const wallet = createWalletClient({ account: privateKeyToAccount(giver.privateKey), transport: http(chain.rpcUrl) })
  const node = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: POLL_MILLIS })
  yield* ask("funding the owner", async () => {
    const hash =
      token.address === NATIVE
        ? await wallet.sendTransaction({ to: owner, value: amount, chain: null })
        : await wallet.writeContract({
            address: token.address,
            abi: erc20Abi,
            functionName: "transfer",
            args: [owner, amount],
            chain: null
          })
    await node.waitForTransactionReceipt({ hash })
  })
})

/** Polls until the intent has ended, telling every change of status. */
const follow = Effect.fnUntraced(function* (
  api: Effect.Success<ReturnType<typeof SweepApi.make>>,
  id: string,
  startedAt: number,
  emit: (event: DemoEvent) => Effect.Effect<void>
) {
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
      duration: PATIENCE_MILLIS,
      orElse: () =>
        Effect.fail(
          new DemoFailed({ detail: `intent ${id} is still ${known ?? "unknown"} after ${PATIENCE_MILLIS / 1000} s` })
        )
    })
  )
})

/** What `contract` logged in the transaction. */
const logsOf = Effect.fnUntraced(function* (node: PublicClient, contract: Address.Address, txHash: Hash | undefined) {
  if (txHash === undefined) return yield* new DemoFailed({ detail: "the sweep ended without a transaction" })
  const { logs } = yield* ask("reading the receipt", () => node.getTransactionReceipt({ hash: txHash }))
  return logs.filter((log) => Address.of(log.address) === contract)
})

const filledAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  spokePool: Address.Address,
  recipient: Address.Address,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, spokePool, txHash)
  const event = parseEventLogs({ abi: spokePoolAbi, eventName: "FilledRelay", logs }).find(
    ({ args }) => Address.of(sliceHex(args.recipient, 12)) === recipient
  )
  return event === undefined
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no FilledRelay event for ${recipient}` })
    : event.args.relayExecutionInfo.updatedOutputAmount
})

const sweptAmountOut = Effect.fnUntraced(function* (
  node: PublicClient,
  guard: Address.Address,
  txHash: Hash | undefined
) {
  const logs = yield* logsOf(node, guard, txHash)
  const [event] = parseEventLogs({ abi: sweepGuard.abi, eventName: "Swept", logs })
  return event === undefined
    ? yield* new DemoFailed({ detail: `transaction ${txHash} has no Swept event of the guard` })
    : event.args.amountOut
})
