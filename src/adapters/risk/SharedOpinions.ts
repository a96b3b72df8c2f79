/** Opinions of risk services that all replicas share. The services limit requests, and some sell them. */
import { Effect, Schema } from "effect"
import type { SharedAnswers } from "../../runtime/SharedAnswers.ts"
import type { RiskService } from "./RiskService.ts"

const Opinion = Schema.Struct({
  source: Schema.String,
  danger: Schema.Literals(["none", "suspicious", "trap", "unknown"]),
  reasons: Schema.Array(Schema.String)
})

/** The service, which is asked only for what no replica has asked it within the lifetime. */
export const shared = (answers: SharedAnswers, lifetimeMillis: number, { ask, name }: RiskService): RiskService => ({
  name,
  ask: (chainId, token) =>
    answers
      .of(
        {
          kind: "risk_opinion",
          key: `risk_opinion:${name}:${chainId}:${token.toLowerCase()}`,
          schema: Opinion,
          lifetimeMillis
        },
        ask(chainId, token)
      )
      .pipe(Effect.map(({ remainingMillis, value }) => ({ ...value, remainingMillis })))
})
