/** The rules and sources of the risk of tokens that the settings name. */
import { Effect, Option, Schema } from "effect"
import type * as Risk from "../apps/orchestrator/Risk.ts"
import { orchestrator, type OrchestratorValues } from "../config/Orchestrator.ts"
import * as TokenPolicy from "../domain/TokenPolicy.ts"
import * as PolicyFile from "./PolicyFile.ts"

const File = Schema.Struct({ tokens: Schema.Array(TokenPolicy.TokenRule) })

/** The rules of `TOKEN_POLICY_FILE`. None if it is not set. */
export const tokenRules = Effect.gen(function* () {
  const { config, name } = orchestrator.tokenPolicyFile
  const path = yield* config
  if (Option.isNone(path)) return []
  const { tokens } = yield* PolicyFile.read({
    name,
    path: path.value,
    schema: File,
    objections: (file) => TokenPolicy.objections(file.tokens)
  })
  return tokens
})

type Values = Pick<OrchestratorValues, "goplusApiKey" | "honeypotApiKey" | "riskCacheSeconds" | "riskServices">

export const fromSettings = (values: Values, rules: ReadonlyArray<TokenPolicy.TokenRule>): Risk.Options => ({
  rules,
  sources: values.riskServices,
  goplusApiKey: Option.getOrUndefined(values.goplusApiKey),
  honeypotApiKey: Option.getOrUndefined(values.honeypotApiKey),
  cacheMillis: values.riskCacheSeconds * 1000
})
