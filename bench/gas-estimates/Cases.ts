/** Random sweeps of every kind, which follow from the seed. */
import { Effect, Random } from "effect"
import { type Symbol, TOKENS } from "../../src/devnet/Tokens.ts"

export type Asset = Symbol | "ETH"

/** The swap stays on the chain. A bridged token is deposited as it is, or after a swap into one that the bridge carries. */
export type Kind = "swap" | "bridge" | "swap, then bridge"

/**
 * History of the owner's account: none; native currency alone; transactions of its own; an earlier sweep that left it delegated;
 * an earlier sweep whose delegation it has taken back; a delegation to a contract of somebody else.
 */
export type History = "none" | "funded" | "transactions" | "delegated" | "undelegated" | "delegated elsewhere"

export interface Case {
  readonly kind: Kind
  readonly tokenIn: Asset
  readonly tokenOut: Asset
  /** In the smallest unit. */
  readonly amount: bigint
  /** Balance of the owner beyond the amount. */
  readonly rest: bigint
  readonly history: History
  /** Nonces of the same word of the guard are cheaper once one of them is used. */
  readonly nonce: bigint
  /** Account that gets the builder's fee, if there is one: it has the token already, or gets it for the first time. */
  readonly builder: "none" | "known" | "new"
  readonly destination: "owner" | "known" | "new"
}

/** Native currency is wrapped before anything else happens to it. */
const wrapped = (asset: Asset): Symbol => (asset === "ETH" ? "WETH" : asset)

const oneOf = <A>(from: readonly [A, ...ReadonlyArray<A>]): Effect.Effect<A> => Random.choice(from)

/** Assets with pools. The last one has a single pool, so most swaps of it pass two. */
const ASSETS = ["WETH", "USDC", "USDT", "DAI", "WBTC", "ETH", "BLK"] as const satisfies ReadonlyArray<Asset>

const KINDS = ["swap", "swap", "swap", "bridge", "swap, then bridge"] as const satisfies ReadonlyArray<Kind>
const HISTORIES = [
  "none",
  "funded",
  "transactions",
  "delegated",
  "delegated",
  "undelegated",
  "delegated elsewhere"
] as const satisfies ReadonlyArray<History>

/** Value of an amount in US dollars, from 2 to 4,000, each order of magnitude as often as the next. */
const usd = Effect.map(Random.next, (draw) => 2 * 2_000 ** draw)

const priceOf = (asset: Asset): number => Number(TOKENS[wrapped(asset)].usd ?? 1n)

export const decimalsOf = (asset: Asset): number => TOKENS[wrapped(asset)].decimals

const amountOf = (asset: Asset) =>
  Effect.map(usd, (value) => BigInt(Math.ceil((value / priceOf(asset)) * 10 ** decimalsOf(asset))))

/** The pools of the bridge unwrap native currency for accounts without code, so they deliver no WETH. */
const outputs = (kind: Kind, tokenIn: Asset): ReadonlyArray<Asset> => {
  const others = ASSETS.filter((asset) => wrapped(asset) !== wrapped(tokenIn))
  if (kind === "swap") return tokenIn === "WETH" ? [...others, "ETH"] : others
  const delivered = kind === "bridge" ? ASSETS.filter((asset) => wrapped(asset) === wrapped(tokenIn)) : others
  return delivered.filter((asset) => asset !== "WETH")
}

/** An account with a delegation of its own has swept before, so nonce 0 is used. */
const noncesAfter = (history: History): readonly [bigint, ...ReadonlyArray<bigint>] =>
  history === "delegated" || history === "undelegated" ? [1n, 2n, 256n, 77_777n] : [0n, 5n, 300n]

/** One random sweep. */
export const draw: Effect.Effect<Case> = Effect.gen(function* () {
  const kind = yield* oneOf(KINDS)
  const tokenIn = yield* oneOf(ASSETS)
  const amount = yield* amountOf(tokenIn)
  const history = yield* oneOf(HISTORIES)
  return {
    kind,
    tokenIn,
    tokenOut: yield* Random.choice(outputs(kind, tokenIn)).pipe(Effect.orDie),
    amount,
    rest: (yield* Random.nextBoolean) ? 0n : yield* amountOf(tokenIn),
    history,
    nonce: yield* oneOf(noncesAfter(history)),
    builder: yield* oneOf(["none", "none", "known", "new"] as const),
    destination: yield* oneOf(["owner", "known", "new"] as const)
  }
})

export const label = ({ history, kind, nonce, rest, tokenIn, tokenOut, ...others }: Case): string =>
  `${kind} ${tokenIn} → ${tokenOut}, ${rest === 0n ? "all" : "a part"}, account ${history}, nonce ${nonce}, builder ${others.builder}, destination ${others.destination}`
