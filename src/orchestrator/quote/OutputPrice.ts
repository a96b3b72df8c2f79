/** Reads price and decimals of the token to receive. A quote does without them, so they are waited for only for a moment. */
import { Effect, Option } from "effect"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import { within } from "../../runtime/Within.ts"

/** Time limit, in milliseconds. */
const LIMIT_MILLIS = 1_500

/** Makes `outputOf(request)`. Undefined if price and decimals are not known in time. */
export const make = Effect.gen(function* () {
  const prices = yield* Prices
  const tokenRisk = yield* TokenRisk

  return ({
    destChainId,
    tokenOut
  }: Pick<QuoteRequest, "destChainId" | "tokenOut">): Effect.Effect<PricedUnits | undefined> =>
    Effect.gen(function* () {
      const { decimals } = yield* tokenRisk.describe(destChainId, tokenOut)
      const usd = (yield* prices.usd(destChainId, [{ address: tokenOut, decimals }])).get(tokenOut)
      return usd === undefined || usd <= 0n ? undefined : { usd, decimals }
    }).pipe(
      within(LIMIT_MILLIS),
      Effect.map(Option.getOrUndefined),
      Effect.catch((error) =>
        Effect.as(
          Effect.annotateLogs(Effect.logWarning("quotes.output_unpriced"), { detail: error.message }),
          undefined
        )
      )
    )
})
