/**
 * {@link PriceMoves} from prices that the service reads anyway: the range of the readings of the last ten minutes, and the distance of the
 * token's deepest pool from its mean over as many minutes. The pool tells it at the first quote after a start.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as SlippageTolerance from "../../domain/SlippageTolerance.ts"
import { PriceMoves } from "../../ports/orchestrator/PriceMoves.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { PoolMarkets } from "./PoolMarkets.ts"
import type { Market } from "./PoolMeasuring.ts"

/** Tokens whose readings are kept, on all chains. */
const CAPACITY = 10_000

/** A price that moves steadily is half of its way from its mean over that time. */
const WAY_FROM_MEAN = 2

/** Basis points that the price moved, by its deepest pool. A tick is a basis point. Undefined without a pool. */
const moveOf = (market: Market | undefined): number | undefined => {
  const deepest = market?.pools[0]
  if (deepest === undefined) return undefined
  // Without a mean, it is the distance from an earlier price, which is the whole way.
  return (deepest.hasMean ? WAY_FROM_MEAN : 1) * Math.abs(deepest.tick - deepest.meanTick)
}

const higher = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b)

/** Wraps the prices below it, to note what they say, and adds the moves. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const markets = yield* PoolMarkets
    const prices = yield* Prices
    const kept = LatestMap.make<string, ReadonlyArray<SlippageTolerance.PriceReading>>(CAPACITY)

    const note = (chainId: ChainId, token: Address.Address, reading: SlippageTolerance.PriceReading) => {
      const key = `${chainId} ${token}`
      kept.set(key, SlippageTolerance.withReading(kept.get(key) ?? [], reading))
    }

    const watched = Prices.ofDetailed((chainId, tokens) =>
      Effect.map(prices.detailed(chainId, tokens), (found) => {
        for (const [token, { isForDisplay, readAtMs: atMs, usd }] of found) {
          if (isForDisplay !== true) note(chainId, token, { usd, atMs })
        }
        return found
      })
    )

    const volatilityBps = Effect.fnUntraced(function* (chainId: ChainId, token: Address.Address) {
      const range = SlippageTolerance.rangeBps(kept.get(`${chainId} ${token}`) ?? [], yield* Clock.currentTimeMillis)
      return higher(range, moveOf(yield* markets.last(chainId, token)))
    })

    return Context.make(Prices, watched).pipe(Context.add(PriceMoves, { volatilityBps }))
  })
)
