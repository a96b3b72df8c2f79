/** Quotes of the market's tokens through the HTTP service, and the faults of the orders that it offers. */
import { STRANGER } from "../../src/devnet/market/Faults.ts"
import { HONEYPOTS } from "../../src/devnet/market/Market.ts"
import type { Placed } from "../../src/devnet/market/Plan.ts"
import type { ServedChain } from "../../src/devnet/market/Services.ts"
import type * as Address from "../../src/domain/Address.ts"
import type { Hex } from "../../src/domain/Hex.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import * as Simulated from "./Simulated.ts"
import { threadMillis } from "../ProcessTime.ts"
import type { Waiting } from "./Waiting.ts"

/** An order as the wire has it. */
interface Order {
  readonly owner: Address.Address
  readonly tokenIn: Address.Address
  readonly amountIn: string
  readonly feeAmount: string
  readonly builderFee: string
  readonly tokenOut: Address.Address
  readonly minAmountOut: string
  readonly destination: Address.Address
  readonly swapTarget: Address.Address
  readonly swapCalldata: Hex
  readonly destChainId: string
}

export interface Quoted {
  readonly token: Placed
  /** Milliseconds. */
  readonly millis: number
  /** Milliseconds in which nothing outside was waited for. */
  readonly ownMillis: number
  /** CPU milliseconds of the thread that serves, beyond those of the same time without a quote. NaN where they are not known. */
  readonly cpuMillis: number
  readonly status: number
  /** The service's word for a refusal. */
  readonly reason: string
  readonly order?: Order
  readonly provider?: string
}

export interface Asking {
  readonly waiting: Waiting
  readonly orchestratorUrl: string
  readonly chain: ServedChain
  readonly owner: Address.Address
  /** Part of the time that the thread uses while nothing is asked. */
  readonly idleShare: number
}

const outputOf = ({ plan }: ServedChain, { into }: Placed): Address.Address =>
  into === "USDC" ? plan.money.USDC : NATIVE

export const quote = async (
  { chain, idleShare, orchestratorUrl, owner, waiting }: Asking,
  token: Placed
): Promise<Quoted> => {
  const body = {
    owner,
    tokenIn: token.address,
    amountIn: token.amount.toString(),
    tokenOut: outputOf(chain, token),
    destination: owner,
    destChainId: chain.id,
    tier: "tier1",
    route: `${chain.name}->${chain.name}`,
    subscriptionActive: false,
    userId: "bench"
  }
  waiting.forget()
  const [from, cpu] = [performance.now(), threadMillis()]
  const response = await waiting.fetch(`${orchestratorUrl}/quote`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await response.text()
  const to = performance.now()
  const millis = to - from
  const result = {
    token,
    millis,
    ownMillis: millis - waiting.between(from, to),
    cpuMillis: threadMillis() - cpu - idleShare * millis,
    status: response.status,
    reason: response.headers.get("sweep-reason") ?? ""
  }
  if (response.status !== 200) return result
  const answer = JSON.parse(text) as { readonly order: Order; readonly quote: { readonly provider: string } }
  return { ...result, order: answer.order, provider: answer.quote.provider }
}

/** Amount that the order swaps. */
export const swapAmount = ({ amountIn, builderFee, feeAmount }: Order): bigint =>
  BigInt(amountIn) - BigInt(feeAmount) - BigInt(builderFee)

/** The order's swap, carried out on the node by its owner. Undefined if it reverts. */
export const carriedOut = ({ chain }: Asking, order: Order): Promise<Simulated.Swapped | undefined> =>
  Simulated.run(
    chain.client,
    order.owner,
    [{ to: order.swapTarget, data: order.swapCalldata, tokenIn: order.tokenIn, amountIn: swapAmount(order) }],
    order.tokenOut,
    order.destination
  )

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Balances that grow, and the rounding of shares, differ by a unit or two. */
const ROUNDING = 2n

/** Faults of an order, by its fields and by what it does. Empty for a good one. */
export const faultsOf = (
  { chain, owner }: Asking,
  token: Placed,
  order: Order,
  swapped: Simulated.Swapped | undefined,
  listed: ReadonlySet<string>
): ReadonlyArray<string> => {
  const checks: ReadonlyArray<readonly [string, boolean]> = [
    ["a honeypot", !HONEYPOTS.has(token.kind)],
    ["owner", isSame(order.owner, owner)],
    ["recipient", isSame(order.destination, owner)],
    ["token in", isSame(order.tokenIn, token.address)],
    ["token out", isSame(order.tokenOut, outputOf(chain, token))],
    ["amount", BigInt(order.amountIn) === token.amount],
    ["chain", Number(order.destChainId) === chain.id],
    ["target", listed.has(order.swapTarget.toLowerCase())],
    ["a stranger in the calldata", !order.swapCalldata.toLowerCase().includes(STRANGER.slice(2).toLowerCase())],
    ["reverts", swapped !== undefined],
    ["spends more", swapped === undefined || swapped.spent <= swapAmount(order) + ROUNDING],
    ["delivers less than its minimum", swapped === undefined || swapped.amountOut >= BigInt(order.minAmountOut)]
  ]
  return checks.flatMap(([name, isGood]) => (isGood ? [] : [name]))
}
