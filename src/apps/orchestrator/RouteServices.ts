/** The services that are asked for routes over HTTP, as sources of {@link VenueSource}. */
import { Effect } from "effect"
import * as KyberSwap from "../../adapters/swap/KyberSwap.ts"
import * as LiFi from "../../adapters/swap/LiFi.ts"
import type { VenueSource } from "../../adapters/swap/VenueSource.ts"
import * as ZeroX from "../../adapters/swap/ZeroX.ts"

/** Each service with its settings. An absent one is not asked. */
export interface Options {
  readonly zeroX?: ZeroX.Options | undefined
  readonly kyberSwap?: KyberSwap.Options | undefined
  readonly liFi?: LiFi.Options | undefined
}

export const make = Effect.fnUntraced(function* ({ kyberSwap, liFi, zeroX }: Options = {}) {
  const sources: ReadonlyArray<VenueSource> = [
    ...(zeroX === undefined ? [] : [yield* ZeroX.make(zeroX)]),
    ...(kyberSwap === undefined ? [] : [yield* KyberSwap.make(kyberSwap)]),
    ...(liFi === undefined ? [] : [yield* LiFi.make(liFi)])
  ]
  return sources
})
