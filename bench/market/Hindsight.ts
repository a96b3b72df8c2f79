/**
 * The best sale of a token in hindsight. Every path of the market's description is carried out on the node, by calls that are encoded here
 * and not by the service: each pool of the token, with a second swap on the same exchange if needed, and the routes of the services,
 * which also lead across exchanges and through one that the service does not know.
 */
import { Option } from "effect"
import * as Legs from "../../src/devnet/market/Legs.ts"
import { DARK, HONEYPOTS } from "../../src/devnet/market/Market.ts"
import type { Placed } from "../../src/devnet/market/Plan.ts"
import * as RouteAnswers from "../../src/devnet/market/RouteAnswers.ts"
import * as Routes from "../../src/devnet/market/Routes.ts"
import type { ServedChain } from "../../src/devnet/market/Services.ts"
import type * as Address from "../../src/domain/Address.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import * as Simulated from "./Simulated.ts"

/** Price of gas in wei, and dollars of a unit of native currency. */
export interface GasPrice {
  readonly wei: bigint
  readonly nativeUsd: number
}

export interface Sale extends Simulated.Swapped {
  /** Where it is made, for the report. */
  readonly label: string
  /** Dollars that arrive, less those of the gas. */
  readonly netUsd: number
}

const DECIMALS = { USDC: 6, ETH: 18 } as const
const USDC_USD = 1

/** Dollars of an output, less those of its gas. */
export const netUsd = (into: Placed["into"], { amountOut, gas }: Simulated.Swapped, price: GasPrice): number => {
  const unit = into === "USDC" ? USDC_USD : price.nativeUsd
  const out = (Number(amountOut) / 10 ** DECIMALS[into]) * unit
  return out - (Number(gas * price.wei) / 1e18) * price.nativeUsd
}

/** Makes the legs one after another, with what the one before delivered. */
const carriedOut = async (
  { client, plan }: ServedChain,
  owner: Address.Address,
  path: ReadonlyArray<Legs.Leg>,
  amount: bigint
): Promise<Simulated.Swapped | undefined> => {
  const swaps: Array<Simulated.SwapCall> = []
  let [result, amountIn]: [Simulated.Swapped | undefined, bigint] = [undefined, amount]
  for (const leg of path) {
    const { data, to } = Legs.swap(plan.money, leg, owner, amountIn)
    swaps.push({ to, data, tokenIn: leg.tokenIn, amountIn })
    result = await Simulated.run(client, owner, swaps, leg.tokenOut, owner)
    if (result === undefined || result.amountOut <= 0n) return undefined
    amountIn = result.amountOut
  }
  return result
}

/** The sale by the route that a service would offer. */
const byService = async (
  chain: ServedChain,
  owner: Address.Address,
  token: Placed,
  tokenOut: Address.Address,
  amountIn: bigint
): Promise<Simulated.Swapped | undefined> => {
  const target = chain.plan.site.targets[0]?.address
  if (target === undefined) return undefined
  const found = await Routes.find(chain.client, chain.plan, { tokenIn: token.address, tokenOut, amountIn }, target)
  if (Option.isNone(found)) return undefined
  const offer = {
    chainId: chain.id,
    tokenIn: token.address,
    tokenOut,
    amountIn,
    amountOut: found.value.amountOut,
    minAmountOut: 1n,
    recipient: owner,
    sender: owner,
    spender: target,
    target,
    hops: found.value.hops
  }
  const { transaction } = RouteAnswers.zeroX(offer, undefined)
  const swap = { to: target, data: transaction.data, tokenIn: token.address, amountIn }
  return Simulated.run(chain.client, owner, [swap], tokenOut, owner)
}

/** The best sale by exchanges that the service knows, and by services. Undefined if nothing sells it, and for honeypots. */
export const best = async (
  chain: ServedChain,
  owner: Address.Address,
  token: Placed,
  amountIn: bigint,
  price: GasPrice
): Promise<{ readonly known: Sale | undefined; readonly any: Sale | undefined }> => {
  if (HONEYPOTS.has(token.kind)) return { known: undefined, any: undefined }
  const { money, site } = chain.plan
  const erc20 = token.into === "USDC" ? money.USDC : money.WETH
  const own = Legs.paths(money, site.exchanges, token, erc20).filter(
    ([first, second]) =>
      first?.exchange.shape.name !== DARK && (second === undefined || second.exchange === first?.exchange)
  )
  const saleOf = (label: string, swapped: Simulated.Swapped | undefined): ReadonlyArray<Sale> =>
    swapped === undefined || swapped.amountOut <= 0n
      ? []
      : [{ ...swapped, label, netUsd: netUsd(token.into, swapped, price) }]
  const known = (
    await Promise.all(
      own.map(async (path) => {
        const label = path.map(({ exchange, kind }) => `${exchange.shape.name} ${kind}`).join(" > ")
        return saleOf(label, await carriedOut(chain, owner, path, amountIn))
      })
    )
  ).flat()
  const tokenOut = token.into === "USDC" ? money.USDC : NATIVE
  const service = saleOf("a service", await byService(chain, owner, token, tokenOut, amountIn))
  return { known: most(known), any: most([...known, ...service]) }
}

const most = (sales: ReadonlyArray<Sale>): Sale | undefined =>
  sales.reduce<Sale | undefined>(
    (found, sale) => (found === undefined || sale.netUsd > found.netUsd ? sale : found),
    undefined
  )
