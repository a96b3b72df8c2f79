/** Requests by which the health check asks the external services that quotes need. */
import { Effect, Layer, Redacted } from "effect"
import { ProviderProbes } from "../../orchestrator/operate/ProviderProbes.ts"
import { BuilderAttribution } from "../../ports/orchestrator/BuilderAttribution.ts"
import { Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { NATIVE } from "../../domain/Token.ts"

/** Cheapest request to each external service that a quote needs, on the first chain. The native currency is priced on every chain. */
export const providerProbes = Layer.effect(
  ProviderProbes,
  Effect.gen(function* () {
    const attribution = yield* BuilderAttribution
    const chains = yield* Chains
    const prices = yield* Prices
    const screening = yield* Screening
    const chain = chains.all[0]?.chain
    if (chain === undefined) return []
    // An answer without the price stops the quotes of the chain as well.
    const priced = Effect.forEach(
      chains.all,
      ({ chain: { id, name } }) =>
        Effect.flatMap(prices.usd(id, [{ address: NATIVE, decimals: 18 }]), (usd) =>
          usd.has(NATIVE)
            ? Effect.void
            : new PricesUnavailable({ detail: `the native currency of ${name} has no price that counts` })
        ),
      { concurrency: "unbounded", discard: true }
    )
    return [
      // Sources keep requests for submissions, so that quotes alone do not make screening look down.
      { name: "screening", probe: Priority.at("intake")(screening.clear(chain.id, [chain.feeRecipient])) },
      { name: "prices", probe: priced },
      { name: "builder backend", probe: attribution.resolve(Redacted.make("health probe")) }
    ]
  })
)
