/** Routes of the services that are asked over HTTP, found on the market's own chain: the best of all paths, also across exchanges. */
import { Option } from "effect"
import { encodeAbiParameters } from "viem"
import type * as Address from "../../domain/Address.ts"
import { BPS } from "../../domain/Amount.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type { LocalNodeClient } from "../LocalNode.ts"
import * as Legs from "./Legs.ts"
import type { Plan } from "./Plan.ts"

export interface Asked {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
}

/** A call of the contract that stands in for the services, which spends its whole balance of the token. */
export interface Hop {
  readonly token: Address.Address
  readonly router: Address.Address
  readonly amountAt: bigint
  readonly data: Hex
}

export interface Found {
  readonly amountOut: bigint
  /** In the order of their execution. */
  readonly hops: ReadonlyArray<Hop>
}

const HOP = {
  type: "tuple",
  components: [
    { name: "token", type: "address" },
    { name: "router", type: "address" },
    { name: "amountAt", type: "uint256" },
    { name: "data", type: "bytes" }
  ]
} as const

export const encodeHop = (hop: Hop): Hex => encodeAbiParameters([HOP], [hop])
export const encodeHops = (hops: ReadonlyArray<Hop>): Hex =>
  encodeAbiParameters([{ ...HOP, type: "tuple[]" }], [[...hops]])

/** The amount that a leg pays. 0 if it has no such pool. */
const paidBy = async (client: LocalNodeClient, plan: Plan, leg: Legs.Leg, amountIn: bigint): Promise<bigint> => {
  if (amountIn <= 0n) return 0n
  const { amountOf, data, to } = Legs.question(plan.money, leg, amountIn)
  try {
    const answer = await client.call({ to, data })
    return answer.data === undefined ? 0n : amountOf(answer.data)
  } catch {
    return 0n
  }
}

/** Output of a path. The services know the tax of a token, and not that it cannot be sold. */
const paid = async (
  client: LocalNodeClient,
  plan: Plan,
  path: ReadonlyArray<Legs.Leg>,
  amountIn: bigint,
  taxBps: number
): Promise<bigint> => {
  // A token with a tax takes it when the service collects the input, and when the pool does.
  const taxed = (amount: bigint) => (amount * (BPS - BigInt(taxBps))) / BPS
  let amount = taxed(taxed(amountIn))
  for (const leg of path) amount = await paidBy(client, plan, leg, amount)
  return amount
}

/** The best route from a token of the market. None for other tokens, and if nothing pays. */
export const find = async (
  client: LocalNodeClient,
  plan: Plan,
  asked: Asked,
  collector: Address.Address
): Promise<Option.Option<Found>> => {
  const token = plan.tokens.find(({ address }) => address === asked.tokenIn)
  if (token === undefined) return Option.none()
  const tokenOut = isNative(asked.tokenOut) ? plan.money.WETH : asked.tokenOut
  const paths = Legs.paths(plan.money, plan.site.exchanges, token, tokenOut)
  const amounts = await Promise.all(paths.map((path) => paid(client, plan, path, asked.amountIn, token.taxBps)))
  const best = amounts.reduce((most, amount, index) => (amount > (amounts[most] ?? 0n) ? index : most), 0)
  const [path, amountOut = 0n] = [paths[best], amounts[best]]
  if (path === undefined || amountOut === 0n) return Option.none()
  const hops = path.map((leg): Hop => {
    const { amountAt, data, to } = Legs.swap(plan.money, leg, collector, 0n)
    return { token: leg.tokenIn, router: to, amountAt: BigInt(amountAt), data }
  })
  return Option.some({ amountOut, hops })
}
