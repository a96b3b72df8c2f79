/** Sanctions screening of the orchestrator: its sources, and the loop that keeps their lists fresh. */
import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import * as AllScreening from "../../adapters/screening/All.ts"
import * as SanctionsRefresh from "../../orchestrator/operate/SanctionsRefresh.ts"

export interface Options extends AllScreening.Options {
  /** Interval of the download. */
  readonly refreshMillis?: number
}

/** Default of {@link Options.refreshMillis}. */
const REFRESH_MILLIS = 6 * 3_600_000

/** The on-chain oracle, and what is configured beside it. */
export const layer = ({ refreshMillis = REFRESH_MILLIS, ...options }: Options = {}) =>
  SanctionsRefresh.layer({ intervalMillis: refreshMillis }).pipe(
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provideMerge(AllScreening.layer(options))
  )
