/**
 * Reserves the exposure of a submission with unlisted tokens before it is accepted. So no more sweeps are accepted than their budget
 * can pay for, and each accepted one can be sent.
 */
import { Duration, Effect, Exit, Option } from "effect"
import { worstCase } from "../../domain/Exposure.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as PresentPrices from "./PresentPrices.ts"

/** Time limit of a release. A reservation that is left then ends 15 minutes after it was made. */
const RELEASE_LIMIT = Duration.seconds(2)

/**
 * Makes `reserve(client, intent)`, which returns the class without room; undefined if the submission can be accepted. Makes
 * `orRelease(legs)`, which wraps the effect that reserves and stores a submission. If that fails or is interrupted, the reservations
 * of intents that are still quoted end. Otherwise one client could hold a budget without a sweep, by leaving again and again.
 */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const exposures = yield* Exposures
  const presentOf = yield* PresentPrices.make

  const reserve = Effect.fnUntraced(function* (
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

  const orRelease = (
    legs: ReadonlyArray<{ readonly client: ChainClient; readonly intent: Pick<Intent, "id" | "order"> }>
  ) => {
    const ids = legs.flatMap(({ client, intent }) => (desk.isListed(client.chain, intent.order) ? [] : [intent.id]))
    // Runs also after an interruption. The limit holds although a finalizer cannot be interrupted.
    const release = Effect.ignore(within(RELEASE_LIMIT)(exposures.releaseQuoted(ids)))
    return <A, E, R>(submitting: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      ids.length === 0
        ? submitting
        : Effect.onExit(submitting, (exit) => (Exit.isSuccess(exit) ? Effect.void : release))
  }

  return { reserve, orRelease }
})
