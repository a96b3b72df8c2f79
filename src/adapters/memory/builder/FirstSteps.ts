/** First events of builders in memory, for tests. */
import { Effect, Layer } from "effect"
import { FirstSteps } from "../../../ports/builder/FirstSteps.ts"
import { Ledger } from "../../../ports/builder/Ledger.ts"
import { Sweeps } from "../../../ports/builder/Sweeps.ts"

export const layer = Layer.effect(
  FirstSteps,
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const sweeps = yield* Sweeps
    const quotes = new Map<string, number>()
    return FirstSteps.of({
      noteQuote: (builderId, atMs) =>
        Effect.sync(() => {
          if (!quotes.has(builderId)) quotes.set(builderId, atMs)
        }),
      of: Effect.fnUntraced(function* (builderId) {
        const delivered = yield* sweeps.list(builderId, { status: "delivered", limit: Number.MAX_SAFE_INTEGER })
        const entries = yield* ledger.entries(builderId, { limit: Number.MAX_SAFE_INTEGER })
        const quote = quotes.get(builderId)
        const delivery = delivered.at(-1)
        const earning = entries.find(({ kind }) => kind === "accrual")
        return {
          ...(quote === undefined ? {} : { firstQuoteAtMs: quote }),
          ...(delivery === undefined ? {} : { firstDeliveryAtMs: delivery.sweep.updatedAtMs }),
          ...(earning === undefined ? {} : { firstEarningAtMs: earning.createdAtMs })
        }
      })
    })
  })
)
