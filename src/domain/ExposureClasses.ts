/** Classes that a sweep's exposure counts for. */
import type * as Address from "./Address.ts"
import * as Chain from "./Chain.ts"
import { classOf, type ExposureClass, type Kind, type Scope } from "./Exposure.ts"
import type { Hex } from "./Hex.ts"
import { runsUnlisted, type Sweeping } from "./Listing.ts"
import type { SweepOrder } from "./SweepOrder.ts"

/** Properties of a sweep that decide its classes. */
export interface Subject extends Sweeping<
  Pick<SweepOrder, "destChainId" | "destination" | "owner" | "tokenIn" | "tokenOut" | "swapCalldata">
> {
  readonly builderId?: string | undefined
  /** Network of the client that submitted it, /24 of IPv4 or /64 of IPv6. Undefined if it is unknown. */
  readonly network?: string | undefined
  readonly lane?: Address.Address | undefined
}

/** Chains of a sweep. */
export interface Route {
  readonly source: Chain.Chain
  /** Undefined if the destination is no longer configured. */
  readonly destination: Chain.Chain | undefined
}

const isListed = (chain: Chain.Chain | undefined, token: Address.Address): boolean =>
  chain !== undefined && Chain.listedTier(chain, token) !== "tier3"

/** `listed` if both tokens are on the operator's lists of their chains, and the sweep runs no code that nobody vouches for. */
export const scopeOf = (sweep: Sweeping, { destination, source }: Route): Scope =>
  runsUnlisted(source, sweep) || !isListed(destination, sweep.order.tokenOut) ? "unlisted" : "listed"

/** Selectors of SwapRouter02, whose calls name pools by two tokens and a fee. */
const EXACT_INPUT_SINGLE = "04e45aaf"
const EXACT_INPUT = "b858183f"

/** Hex digits of an ABI word, an address and a fee of three bytes. */
const WORD = 64
const ADDRESS = 40
const FEE = 6

const poolKey = (one: string, other: string, fee: string): string => {
  const [low = one, high = other] = [one, other].toSorted()
  return `${low}-${high}-${Number.parseInt(fee, 16)}`
}

/** Start of the arguments of the first call with the selector; undefined without one. */
const argumentsOf = (data: string, selector: string): number | undefined => {
  for (let at = data.indexOf(selector); at >= 0; at = data.indexOf(selector, at + 1)) {
    if (at % 2 === 0) return at + selector.length
  }
  return undefined
}

const wordAt = (data: string, start: number, index: number): string =>
  data.slice(start + index * WORD, start + (index + 1) * WORD)

/**
 * Pools of a call of Uniswap v3's router, also inside of a multicall, each as `<token>-<token>-<fee>`. Empty for other calls, such
 * as deposits of a bridge.
 */
export const poolsOf = (calldata: Hex): ReadonlyArray<string> => {
  const data = calldata.slice(2).toLowerCase()
  const single = argumentsOf(data, EXACT_INPUT_SINGLE)
  if (single !== undefined) {
    const [tokenIn, tokenOut, fee] = [0, 1, 2].map((index) => wordAt(data, single, index))
    if (tokenIn === undefined || tokenOut === undefined || fee?.length !== WORD) return []
    return [poolKey(tokenIn.slice(-ADDRESS), tokenOut.slice(-ADDRESS), fee.slice(-FEE))]
  }
  const several = argumentsOf(data, EXACT_INPUT)
  if (several === undefined) return []
  // One tuple, whose first word points to the path: its length, then token ‖ fee ‖ token ‖ …
  const tuple = several + 2 * Number.parseInt(wordAt(data, several, 0), 16)
  const path = tuple + 2 * Number.parseInt(wordAt(data, tuple, 0), 16)
  const length = 2 * Number.parseInt(wordAt(data, path, 0), 16)
  const bytes = data.slice(path + WORD, path + WORD + length)
  if (!(length > 0) || bytes.length !== length) return []
  const pools: Array<string> = []
  for (let at = 0; at + 2 * ADDRESS + FEE <= length; at += ADDRESS + FEE) {
    const fee = at + ADDRESS
    pools.push(poolKey(bytes.slice(at, fee), bytes.slice(fee + FEE, fee + FEE + ADDRESS), bytes.slice(fee, fee + FEE)))
  }
  return pools
}

/**
 * Classes of a sweep, the one of all sweeps of its scope first. Tokens that are listed have no class of their own, nor have the pools between
 * two of them. An account whose code runs has the class of an output token: its code is as strange.
 */
export const classesOf = (subject: Subject, route: Route): ReadonlyArray<ExposureClass> => {
  const { builderId, lane, network, order, runsOthersCode = false } = subject
  const scope = scopeOf(subject, route)
  const of = (kind: Kind, value: string | undefined): ReadonlyArray<ExposureClass> =>
    value === undefined ? [] : [classOf(scope, kind, route.source.id, value)]
  const ofTokens = [
    ...(isListed(route.source, order.tokenIn) ? [] : of("token_in", order.tokenIn)),
    ...(isListed(route.destination, order.tokenOut) ? [] : of("token_out", order.tokenOut))
  ]
  const ofPools = ofTokens.length === 0 ? [] : [...new Set(poolsOf(order.swapCalldata))]
  return [
    ...of("all", ""),
    ...ofTokens,
    ...(runsOthersCode ? of("token_out", order.destination) : []),
    ...ofPools.flatMap((pool) => of("pool", pool)),
    ...of("owner", order.owner),
    ...of("network", network),
    ...of("builder", builderId),
    ...of("lane", lane)
  ]
}
