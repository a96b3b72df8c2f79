/** Exchanges of a chain beside the one that `swapRouter` and `quoter` name. They are data, so that one is added without code. */
import { Schema } from "effect"
import * as Address from "./Address.ts"

/**
 * Interfaces that exchanges share. `uniswap-v2`: SushiSwap and PancakeSwap v2, too. `uniswap-v3`: PancakeSwap v3 and SushiSwap v3, too.
 * `solidly`: the basic pools of Aerodrome and Velodrome v2. `slipstream`: their concentrated pools. `uniswap-v4`: the pools of a
 * PoolManager, by this project's router.
 */
export const VenueFamily = Schema.Literals(["uniswap-v2", "uniswap-v3", "solidly", "slipstream", "uniswap-v4"])
export type VenueFamily = typeof VenueFamily.Type

/** Appears in quotes, logs and metrics. */
const VenueName = Schema.String.check(
  Schema.isPattern(/^[a-z][a-z0-9-]{0,31}$/, {
    message: "expected a name of at most 32 lower-case letters, digits and dashes that begins with a letter"
  })
)

/** More would make too many paths. */
const MAX_KINDS_OF_POOLS = 8

const kindsOfPools = (maximum: number) =>
  Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))).check(
    Schema.isMinLength(1),
    Schema.isMaxLength(MAX_KINDS_OF_POOLS)
  )

/** Names a pool of Uniswap v4. The zero address stands for native currency. */
export const PoolKey = Schema.Struct({
  /** The lower address of the two. */
  currency0: Address.Address,
  currency1: Address.NonZeroAddress,
  /** Hundredths of a basis point, or 8388608 for a fee that the hook sets. */
  fee: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xff_ff_ff })),
  tickSpacing: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 0x7f_ff })),
  /** Contract that the pool calls in each swap. The zero address for none. */
  hooks: Address.Address
}).check(
  Schema.makeFilter(
    ({ currency0, currency1 }) =>
      BigInt(currency0) < BigInt(currency1) || "expected currency0 to be the lower address of the two"
  )
)
export type PoolKey = typeof PoolKey.Type

/** Pools beyond these would make too many paths. */
const MAX_POOLS = 32

export const Venue = Schema.Struct({
  name: VenueName,
  family: VenueFamily,
  /** Contract that sweeps call. The guard must list it as a router; until it does, the venue is not used. */
  router: Address.NonZeroAddress,
  /** QuoterV2, or V4Quoter for `uniswap-v4`. Required for these and for `slipstream`. */
  quoter: Schema.optionalKey(Address.NonZeroAddress),
  /** Factory of the pools. Required for `solidly`, whose router takes it in each hop. */
  factory: Schema.optionalKey(Address.NonZeroAddress),
  /** Fees of the pools in hundredths of a basis point, for `uniswap-v3`. Default: 100, 500, 3000, 10000. */
  feeTiers: Schema.optionalKey(kindsOfPools(0xff_ff_ff)),
  /** Tick spacings of the pools, for `slipstream`. Default: 1, 50, 100, 200, 2000. */
  tickSpacings: Schema.optionalKey(kindsOfPools(0x7f_ff_ff)),
  /**
   * True if the router is the first SwapRouter, whose swaps take a deadline each, as that of SushiSwap v3. False for SwapRouter02 and the
   * SmartRouter of PancakeSwap. For `uniswap-v3`. Default: false.
   */
  hasDeadlineInSwap: Schema.optionalKey(Schema.Boolean),
  /** Contract that holds the pools. Required for `uniswap-v4`. */
  poolManager: Schema.optionalKey(Address.NonZeroAddress),
  /**
   * More pools than the usual ones without hooks, for `uniswap-v4`. Swaps through hooks run their code, so a hook is used only if it is
   * listed here. Default: none.
   */
  pools: Schema.optionalKey(Schema.Array(PoolKey).check(Schema.isMaxLength(MAX_POOLS)))
})
export type Venue = typeof Venue.Type

/** Name of the venue that `swapRouter` and `quoter` make. */
export const FIRST = "uniswap-v3"

export const DEFAULT_FEE_TIERS: ReadonlyArray<number> = [100, 500, 3_000, 10_000]
export const DEFAULT_TICK_SPACINGS: ReadonlyArray<number> = [1, 50, 100, 200, 2_000]

/** Fees and tick spacings of the usual pools of Uniswap v4, which are those of Uniswap v3. */
export const V4_POOL_KINDS: ReadonlyArray<Pick<PoolKey, "fee" | "tickSpacing">> = [
  { fee: 100, tickSpacing: 1 },
  { fee: 500, tickSpacing: 10 },
  { fee: 3_000, tickSpacing: 60 },
  { fee: 10_000, tickSpacing: 200 }
]

/** Fields of a chain. */
export const fields = {
  /** Exchanges beside `swapRouter`. Default: none. */
  venues: Schema.optionalKey(Schema.Array(Venue))
}

const OPTIONAL = ["quoter", "factory", "feeTiers", "tickSpacings", "hasDeadlineInSwap", "poolManager", "pools"] as const

/** Optional fields that a family needs, and those that it may have. */
const USES: Readonly<
  Record<
    VenueFamily,
    { readonly needs: ReadonlyArray<(typeof OPTIONAL)[number]>; readonly may: ReadonlyArray<(typeof OPTIONAL)[number]> }
  >
> = {
  "uniswap-v2": { needs: [], may: ["factory"] },
  "uniswap-v3": { needs: ["quoter"], may: ["factory", "feeTiers", "hasDeadlineInSwap"] },
  solidly: { needs: ["factory"], may: [] },
  slipstream: { needs: ["quoter"], may: ["factory", "tickSpacings"] },
  "uniswap-v4": { needs: ["poolManager", "quoter"], may: ["pools"] }
}

interface Declared {
  readonly swapRouter?: Address.Address | undefined
  readonly venues?: ReadonlyArray<Venue> | undefined
}

/** The contradiction in a chain's venues, for its operator; undefined without one. */
export const objection = ({ swapRouter, venues = [] }: Declared): string | undefined => {
  for (const [index, venue] of venues.entries()) {
    const { family, name, router } = venue
    const { may, needs } = USES[family]
    const missing = needs.find((field) => venue[field] === undefined)
    if (missing !== undefined) return `venues: ${name} has no ${missing}, which the family ${family} needs`
    const unused = OPTIONAL.find(
      (field) => venue[field] !== undefined && !needs.includes(field) && !may.includes(field)
    )
    if (unused !== undefined) return `venues: ${name} has ${unused}, which the family ${family} does not use`
    if (name === FIRST || venues.findIndex((other) => other.name === name) !== index) {
      return `venues: the name ${name} is taken`
    }
    if (router === swapRouter || venues.findIndex((other) => other.router === router) !== index) {
      return `venues: the router of ${name} belongs to another venue`
    }
  }
  return undefined
}
