/** Sums of a chain's widest classes. Most claims need no others: without losses on a chain, no class of it can be spent. */
import { Clock, Context, Effect, Layer } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { classOf, EMPTY, firstClass, type Sums } from "../../domain/Exposure.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"

/** Age up to which sums are not read again, in milliseconds. Other replicas book losses seconds after they arise. */
const MAX_AGE_MILLIS = 500

export interface Losses {
  /** All sweeps of listed tokens. */
  readonly listed: Sums
  /** All sweeps with unlisted tokens. */
  readonly unlisted: Sums
  /** First sweeps, see {@link firstClass}. */
  readonly first: { readonly any: Sums; readonly unfunded: Sums }
}

export class ChainLosses extends Context.Service<
  ChainLosses,
  {
    /** Sums of the chain, up to half a second old. Losses that this process booked are in them at once. */
    readonly of: (chain: Chain) => Effect.Effect<Losses, StoreUnavailable>
    /** Call after booking a loss on the chain. */
    readonly changed: (chainId: number) => void
  }
>()("sweep/orchestrator/ChainLosses") {
  static readonly layer = Layer.effect(
    ChainLosses,
    Effect.gen(function* () {
      const exposures = yield* Exposures
      const read = new Map<number, { readonly atMs: number; readonly losses: Losses }>()

      const of: ChainLosses["Service"]["of"] = Effect.fnUntraced(function* ({ id }) {
        const atMs = yield* Clock.currentTimeMillis
        const before = read.get(id)
        if (before !== undefined && atMs - before.atMs < MAX_AGE_MILLIS) return before.losses
        const keys = {
          listed: classOf("listed", "all", id),
          unlisted: classOf("unlisted", "all", id),
          any: firstClass(id, false),
          unfunded: firstClass(id, true)
        }
        const known = yield* exposures.sums(Object.values(keys))
        const sumsOf = (key: string): Sums => known.get(key) ?? EMPTY
        const losses: Losses = {
          listed: sumsOf(keys.listed),
          unlisted: sumsOf(keys.unlisted),
          first: { any: sumsOf(keys.any), unfunded: sumsOf(keys.unfunded) }
        }
        read.set(id, { atMs, losses })
        return losses
      })

      return { of, changed: (chainId) => void read.delete(chainId) }
    })
  )
}
