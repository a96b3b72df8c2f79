/** Differences between the heads of honest nodes of one chain. */

/** Nodes behind a load balancer may differ by two blocks. */
export const TOLERATED_BLOCKS = 2n

/** An honest head may be older by this many milliseconds than that of another node, which is several blocks on a fast chain. */
const TOLERATED_MILLIS = 2_000

/** Blocks by which the heads of honest nodes may differ. `blockTimeMillis`: typical milliseconds between blocks. */
export const toleratedBlocks = (blockTimeMillis: number): bigint =>
  TOLERATED_BLOCKS + BigInt(Math.floor(TOLERATED_MILLIS / blockTimeMillis))

/** A chain is stale when its newest block is older than both limits: this many block times, and this many seconds. */
const STALE_BLOCKS = 5
const STALE_SECONDS = 30

/** Age of the newest block in seconds from which a chain is stale. `blockTimeMillis`: typical milliseconds between blocks. */
export const staleAfterSeconds = ({ blockTimeMillis }: { readonly blockTimeMillis: number }): number =>
  Math.max(STALE_SECONDS, (STALE_BLOCKS * blockTimeMillis) / 1000)
