/** The rules of the protocol fee that `FEE_POLICY_FILE` names. None if it is not set. */
import { Effect, Option, Schema } from "effect"
import { orchestrator } from "../config/Orchestrator.ts"
import * as FeePolicy from "../domain/FeePolicy.ts"
import * as PolicyFile from "./PolicyFile.ts"

const File = Schema.Struct({ rules: Schema.Array(FeePolicy.FeeRule) })

export const feeRules = Effect.gen(function* () {
  const { config, name } = orchestrator.feePolicyFile
  const path = yield* config
  if (Option.isNone(path)) return []
  const { rules } = yield* PolicyFile.read({
    name,
    path: path.value,
    schema: File,
    objections: (file) => FeePolicy.objections(file.rules)
  })
  return rules
})
