/**
 * Reserves the exposure of a submission with unlisted tokens before it is accepted. So no more sweeps are accepted than their budget
 * can pay for, and each accepted one can be sent.
 */
import { Effect, Option } from "effect"
import { worstCase } from "../../domain/Exposure.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as PresentPrices from "./PresentPrices.ts"

/** Makes `reserve(client, intent)`, which returns the class without room; undefined if the submission can be accepted. */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const presentOf = yield* PresentPrices.make

  return Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Pick<Intent, "attributed" | "gas" | "id" | "network" | "order">
  ) {
    const { chain } = client
    const { gas, order } = intent
    if (desk.isListed(chain, order)) return undefined
    // Without an answer of the node nothing is reserved here. The relayer reserves in any case.
    const present = yield* Effect.option(presentOf(client, order))
    if (Option.isNone(present)) return undefined
    const { dataFeeOf, maxFeePerGas } = present.value
    const wei = worstCase({ gas, maxFeePerGas, dataFee: dataFeeOf(order, gas) })
    const reservation = { intentId: intent.id, classes: desk.classes(chain, intent), wei }
    return (yield* desk.reserve(chain, [reservation])).get(intent.id)
  })
})
