/**
 * Reads what some paths pay for parts of an amount, so that it can be divided among them. It takes a second request, which is only made if the
 * first shows that a division may gain: most sweeps are too small to move a price.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as RouteSplit from "../../domain/RouteSplit.ts"
import type { Candidate } from "../../domain/RouteChoice.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Curves from "./Curves.ts"
import type { GasWorths } from "./GasWorths.ts"
import * as Market from "./UniswapV3Market.ts"
import * as Path from "./UniswapV3Path.ts"

/** Paths that are read again. With {@link SHARES} they fit into one call. */
const MAX_PATHS = 5

/** Shares of the largest amount that are read, in percent. */
const SHARES = [5n, 10n, 20n, 30n, 40n, 50n, 65n, 80n, 90n, 100n]

/** Gas of a further swap in the same call, in addition to that of its pools: its dispatch and the transfer of its input. */
export const PART_GAS = 20_000n

/** The parts of an amount that pay clearly more than the best single path; none if no division does. */
export type Divide = (amountIn: bigint, single: Candidate) => ReadonlyArray<RouteSplit.Part<Path.Path>>

const NONE: Divide = () => []

interface Contracts {
  readonly quoter: Address.Address
  readonly kinds: Path.Kinds
}

/** True if two paths have no pool in common. */
export const areApart =
  ({ tokenIn, tokenOut }: Curves.Pair) =>
  (one: Path.Path, other: Path.Path): boolean => {
    const namesOf = (path: Path.Path) =>
      Path.poolsOf(tokenIn, path, tokenOut).map(({ fee, tokens }) => `${tokens.toSorted().join(" ")} ${fee}`)
    const names = new Set(namesOf(one))
    return !namesOf(other).some((name) => names.has(name))
  }

/** The paths that pay most for the smallest amount that was read: what they pay for less counts. */
const bestFew = (market: Curves.Market<Path.Path>): ReadonlyArray<Path.Path> =>
  market
    .flatMap(({ path, samples: [first] }) => (first === undefined ? [] : [{ path, amountOut: first.amountOut }]))
    .toSorted((a, b) => (a.amountOut > b.amountOut ? -1 : a.amountOut < b.amountOut ? 1 : 0))
    .slice(0, MAX_PATHS)
    .map(({ path }) => path)

/** Reads what divisions of amounts up to `largest` pay, if by `market` they may gain. */
export const read = Effect.fnUntraced(function* (
  client: ChainClient,
  { kinds, quoter }: Contracts,
  pair: Curves.Pair,
  market: Curves.Market<Path.Path>,
  { largest, worths }: { readonly largest: bigint; readonly worths: GasWorths }
) {
  if (!RouteSplit.mayGain(market, largest)) return NONE
  const amounts = [...new Set(SHARES.map((share) => (largest * share) / 100n))].filter((amount) => amount > 0n)
  const asked = bestFew(market).map((path) => Market.asking(path, pair, kinds.type))
  const [{ market: curves }, worth] = yield* Effect.all(
    [Curves.read(client, quoter, asked, amounts), worths(client, pair.tokenOut)],
    { concurrency: "unbounded" }
  )
  // The gain after gas cannot be known without the price of gas.
  if (Option.isNone(worth)) return NONE
  const terms = { areApart: areApart(pair), worth: worth.value, partGas: PART_GAS }
  const divide: Divide = (amountIn, single) => RouteSplit.divide(curves, { ...terms, amountIn, single })
  return divide
})
