/** Verdicts on tokens from the operator's rules, risk services and trial trades. */
import { Effect, Layer, type Redacted } from "effect"
import type { ChainEndpoints } from "../../adapters/evm/chains/Chains.ts"
import * as GoPlus from "../../adapters/risk/GoPlus.ts"
import * as HoneypotIs from "../../adapters/risk/HoneypotIs.ts"
import * as TradeProbe from "../../adapters/risk/TradeProbe.ts"
import * as Verdicts from "../../adapters/risk/Verdicts.ts"
import type { TokenRule } from "../../domain/TokenPolicy.ts"
import * as Swaps from "./Swaps.ts"

export interface Options {
  readonly rules: ReadonlyArray<TokenRule>
  readonly sources: ReadonlyArray<"goplus" | "honeypot" | "probe">
  readonly goplusApiKey: Redacted.Redacted | undefined
  readonly honeypotApiKey: Redacted.Redacted | undefined
  readonly cacheMillis: number
}

/** Without options, nothing is known of tokens, which is the port's default. Trial trades use the exchanges of the chains alone. */
export const layer = (chains: ReadonlyArray<Pick<ChainEndpoints, "chain">>, options: Options | undefined) => {
  if (options === undefined || (options.rules.length === 0 && options.sources.length === 0)) return Layer.empty
  const { cacheMillis, goplusApiKey, honeypotApiKey, rules, sources } = options
  return Verdicts.layer(
    Effect.gen(function* () {
      return {
        rules,
        lifetime: cacheMillis,
        services: [
          ...(sources.includes("goplus") ? [yield* GoPlus.make({ apiKey: goplusApiKey })] : []),
          ...(sources.includes("honeypot") ? [yield* HoneypotIs.make({ apiKey: honeypotApiKey })] : [])
        ],
        ...(sources.includes("probe") ? { tryOut: yield* TradeProbe.make } : {})
      }
    })
  ).pipe(Layer.provide(Swaps.layer(chains)))
}
