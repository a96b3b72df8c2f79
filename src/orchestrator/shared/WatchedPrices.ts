/**
 * {@link Prices} with an alert while the native currency of a chain has no price that counts, since every quote of the chain is refused then.
 * Readings of quotes begin a review, which reads the price itself until it counts again. Processes have sources of their own, so one that
 * has a price leaves an alert alone that another one renews.
 */
import { Clock, Effect, Layer } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as FailureSeries from "../../domain/FailureSeries.ts"
import { NATIVE } from "../../domain/Token.ts"
import { type Price, Prices } from "../../ports/orchestrator/Prices.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Background from "../../runtime/Background.ts"
import { ProcessShare } from "./ProcessShare.ts"
import { RenewedAlerts } from "./RenewedAlerts.ts"

const KIND = "price_unavailable"

/** Pause between two reviews of a chain, in milliseconds. */
const PAUSE_MILLIS = 5_000

const RULES: FailureSeries.Rules = { lastingMillis: 60_000, quietMillis: 15_000 }

const NATIVE_TOKEN = { address: NATIVE, decimals: 18 }

const hasNative = (prices: ReadonlyMap<Address.Address, Price>): boolean => {
  const price = prices.get(NATIVE)
  return price !== undefined && price.isForDisplay !== true
}

/** Makes `review(client)`, one review of a chain. `lacking`: chains of which a reading found no price since the last review. */
const makeReview = Effect.fnUntraced(function* (prices: Prices["Service"], lacking: Set<ChainId>) {
  const alerts = yield* RenewedAlerts
  const series = new Map<ChainId, FailureSeries.Series>()

  return Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const key = `${KIND}:${chain.id}`
    const before = series.get(chain.id)
    if (before === undefined && !lacking.has(chain.id) && !(yield* alerts.left).has(key)) return
    lacking.delete(chain.id)
    const isLacking = yield* Effect.match(prices.detailed(chain.id, [NATIVE_TOKEN]), {
      onFailure: () => true,
      onSuccess: (known) => !hasNative(known)
    })
    const after = FailureSeries.next(before, isLacking, yield* Clock.currentTimeMillis, RULES)
    if (after === undefined) {
      series.delete(chain.id)
      return yield* alerts.end(key)
    }
    series.set(chain.id, after)
    if (!after.lasts) return
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: KIND,
      message: `The native currency of ${chain.name} has had no price that counts for over a minute, so every quote on the chain is refused. Its sources are silent, too few for PRICE_MIN_SOURCES, or they differ, and the last good price is older than PRICE_MAX_AGE_SECONDS. Check the chain's nodes, pools and priceFeeds, and the services in PRICES.`,
      details: { chainId: chain.id }
    })
  })
})

/** Wraps the {@link Prices} of its context. Reviews the chains in processes that quote. */
export const layer = Layer.effect(
  Prices,
  Effect.gen(function* () {
    const prices = yield* Prices
    const { all } = yield* Chains
    const lacking = new Set<ChainId>()

    const detailed: Prices["Service"]["detailed"] = (chainId, tokens) => {
      const read = prices.detailed(chainId, tokens)
      if (!tokens.some(({ address }) => address === NATIVE)) return read
      const note = () => Effect.sync(() => lacking.add(chainId))
      return read.pipe(
        Effect.tap((known) => (hasNative(known) ? Effect.void : note())),
        Effect.tapError(note)
      )
    }

    if ((yield* ProcessShare).roles.has("api")) {
      const review = yield* makeReview(prices, lacking)
      for (const client of all) {
        const { id, name } = client.chain
        const supervised = Background.supervisor("native price review", { chain: name, chainId: id })
        yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, review(client))
      }
    }
    return Prices.ofDetailed(detailed)
  })
).pipe(Layer.provide(RenewedAlerts.layerOnDemand))
