/** Verdicts on tokens from the operator's rules, risk services and trial trades. */
import { Effect, Layer, type Redacted, type Scope } from "effect"
import type { ChainEndpoints } from "../../adapters/evm/chains/Chains.ts"
import * as GoPlus from "../../adapters/risk/GoPlus.ts"
import * as HoneypotIs from "../../adapters/risk/HoneypotIs.ts"
import type { RiskService } from "../../adapters/risk/RiskService.ts"
import * as SharedOpinions from "../../adapters/risk/SharedOpinions.ts"
import * as TradeProbe from "../../adapters/risk/TradeProbe.ts"
import * as Verdicts from "../../adapters/risk/Verdicts.ts"
import type { TokenRule } from "../../domain/TokenPolicy.ts"
import type { SharedAnswers } from "../../runtime/SharedAnswers.ts"
import * as Swaps from "./Swaps.ts"

export interface Options {
  readonly rules: ReadonlyArray<TokenRule>
  readonly sources: ReadonlyArray<"goplus" | "honeypot" | "probe">
  readonly goplusApiKey: Redacted.Redacted | undefined
  readonly honeypotApiKey: Redacted.Redacted | undefined
  readonly cacheMillis: number
}

/**
 * Without options, nothing is known of tokens, which is the port's default. Trial trades use the exchanges of the chains alone. Replicas
 * share opinions of services, but no trial: its verdict could decline a token by itself.
 */
export const layer = (
  chains: ReadonlyArray<Pick<ChainEndpoints, "chain">>,
  options: Options | undefined,
  shared: Effect.Effect<SharedAnswers, never, Scope.Scope>
) => {
  if (options === undefined || (options.rules.length === 0 && options.sources.length === 0)) return Layer.empty
  const { cacheMillis, goplusApiKey, honeypotApiKey, rules, sources } = options
  return Verdicts.layer(
    Effect.gen(function* () {
      const answers = yield* shared
      const ofAll = (service: RiskService) => SharedOpinions.shared(answers, cacheMillis, service)
      return {
        rules,
        lifetime: cacheMillis,
        services: [
          ...(sources.includes("goplus") ? [ofAll(yield* GoPlus.make({ apiKey: goplusApiKey }))] : []),
          ...(sources.includes("honeypot") ? [ofAll(yield* HoneypotIs.make({ apiKey: honeypotApiKey }))] : [])
        ],
        ...(sources.includes("probe") ? { tryOut: yield* TradeProbe.make } : {})
      }
    })
  ).pipe(Layer.provide(Swaps.layer(chains)))
}
