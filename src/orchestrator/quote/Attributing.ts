/** Finds the builder that a quote is attributed to. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Attribution, type PayoutMode, payoutModeOn } from "../../domain/Builder.ts"
import * as Secret from "../../domain/Secret.ts"
import { BuilderAttribution } from "../../ports/orchestrator/BuilderAttribution.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { UNATTRIBUTED } from "../../telemetry/metrics/Quotes.ts"

/** A builder, with the address that its fee goes to on the order's chain. */
export interface Attributed {
  readonly attribution: Attribution
  readonly payoutMode: PayoutMode
  readonly address: Address.Address
}

/** Makes `attribute(client, apiKey)`. Never fails: a quote without attribution is better than none, so failures are logged and counted. */
export const make = Effect.gen(function* () {
  const attributions = yield* BuilderAttribution
  const screening = yield* Screening

  return Effect.fn("Quoter.attribute")(function* (client: ChainClient, apiKey: string | undefined) {
    const key = apiKey === undefined ? undefined : Secret.sentApiKey(apiKey)
    if (key === undefined) return undefined
    const resolved = yield* attributions
      .resolve(key)
      .pipe(Effect.catch((error) => Effect.as(unattributed("unavailable", { detail: error.message }), Option.none())))
    if (Option.isNone(resolved)) return undefined
    const attribution = resolved.value
    const payoutMode = payoutModeOn(attribution, client.chain.id)
    // Callers do not choose the address, so their other quotes must not use up the requests for it.
    const blocked = yield* screening
      .clear(client.chain.id, [attribution.payoutAddress])
      .pipe(Priority.at("intake"), Effect.isFailure)
    if (blocked) {
      const { builderId } = attribution
      yield* unattributed("screening", { builderId, detail: "screening does not clear the payout address" })
      return undefined
    }
    return {
      attribution,
      payoutMode,
      address: payoutMode === "onchain" ? attribution.payoutAddress : client.chain.builderVault
    } satisfies Attributed
  })
})

/** Logs and counts a quote with the key of a builder that is priced without its markup. */
export const unattributed = (
  cause: "unavailable" | "screening" | "wallet_chain",
  fields: Readonly<Record<string, string>>
) =>
  Effect.logWarning("quote.unattributed").pipe(
    Effect.annotateLogs(fields),
    Effect.andThen(UNATTRIBUTED.record(1, { cause }))
  )
