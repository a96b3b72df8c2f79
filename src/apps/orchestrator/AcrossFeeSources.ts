/** Choice of the sources of Across's fees. */
import type { Redacted } from "effect"
import type { HttpClient } from "effect/http"
import * as AcrossFees from "../../adapters/bridge/AcrossFees.ts"
import * as AcrossFeesHttp from "../../adapters/bridge/AcrossFeesHttp.ts"
import * as AcrossFeesOnChain from "../../adapters/bridge/AcrossFeesOnChain.ts"
import * as AcrossFeesInOrder from "../../adapters/bridge/AcrossFeesInOrder.ts"
import type { Prices } from "../../ports/orchestrator/Prices.ts"
import type { Chains } from "../../ports/shared/Chains.ts"

/** One fee in basis points, or the API and what stands in for it. */
export type AcrossFeeOptions =
  | { readonly fixedBps: number }
  | {
      readonly apiUrl: string
      /** The API that is asked first. */
      readonly keyed?: { readonly apiUrl: string; readonly apiKey: Redacted.Redacted } | undefined
      /** Maximum fee in basis points while no API answers. */
      readonly fallbackBps?: number | undefined
    }

/** A bridge deposit must stay fillable long after an order that settles in its last second. */
const FIXED_FILL_DEADLINE_SECONDS = 3 * 3_600

/** Timeout of a source that has another one behind it. All of them together answer within the time of a quote. */
const FALLBACK_TIMEOUT = "1200 millis" as const

const fixed = (relayFeeBps: number) =>
  AcrossFees.layerFixed({ relayFeeBps, fillDeadlineSeconds: FIXED_FILL_DEADLINE_SECONDS })

type Source = AcrossFeesInOrder.Source<never, HttpClient.HttpClient | Chains | Prices>

const onChain = (maxFeeBps: number) =>
  AcrossFeesOnChain.layer({ maxFeeBps, fillDeadlineSeconds: FIXED_FILL_DEADLINE_SECONDS })

export const acrossFees = (options: AcrossFeeOptions) => {
  if ("fixedBps" in options) return fixed(options.fixedBps)
  const { apiUrl, fallbackBps, keyed } = options
  const withoutKey = { apiUrl }
  if (keyed === undefined && fallbackBps === undefined) return AcrossFeesHttp.layer(withoutKey)
  const legacy: Source = {
    name: "across",
    fees: AcrossFeesHttp.layer(fallbackBps === undefined ? withoutKey : { ...withoutKey, timeout: FALLBACK_TIMEOUT })
  }
  const last: ReadonlyArray<Source> =
    fallbackBps === undefined ? [] : [{ name: "across-onchain", fees: onChain(fallbackBps) }]
  return keyed === undefined
    ? AcrossFeesInOrder.layer([legacy, ...last])
    : AcrossFeesInOrder.layer<never, HttpClient.HttpClient | Chains | Prices>([
        { name: "across-v1", fees: AcrossFeesHttp.layer({ ...keyed, timeout: FALLBACK_TIMEOUT }) },
        legacy,
        ...last
      ])
}
