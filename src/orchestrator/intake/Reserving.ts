/**
 * Reserves the exposure of a submission with unlisted tokens before it is accepted. So no more sweeps are accepted than their budget
 * can pay for, and each accepted one can be sent.
 */
import { Effect, Option } from "effect"
import { worstCase } from "../../domain/Exposure.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"

/** Makes `reserve(client, intent)`, which returns the class without room; undefined if the submission can be accepted. */
export const make = Effect.map(ExposureDesk.make, (desk) =>
  Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Pick<Intent, "attributed" | "gas" | "id" | "network" | "order">
  ) {
    const { chain } = client
    if (desk.isListed(chain, intent.order)) return undefined
    // Without an answer of the node nothing is reserved here. The relayer reserves in any case.
    const fees = yield* Effect.option(client.feesPerGas)
    if (Option.isNone(fees)) return undefined
    const wei = worstCase({ gas: intent.gas, maxFeePerGas: fees.value.maxFeePerGas })
    const reservation = { intentId: intent.id, classes: desk.classes(chain, intent), wei }
    return (yield* desk.reserve(chain, [reservation])).get(intent.id)
  })
)
