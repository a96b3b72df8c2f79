/**
 * Reserves the exposure of a submission with unlisted tokens before it is accepted. So no more sweeps are accepted than their budget
 * can pay for, and each accepted one can be sent. Releases what a submission that stops has reserved.
 */
import { Duration, Effect, Exit, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { worstCase } from "../../domain/Exposure.ts"
import { BridgeFlights } from "../../ports/orchestrator/BridgeFlights.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as Flying from "./Flying.ts"
import * as PresentPrices from "./PresentPrices.ts"

/** Time limit of a release. A reservation that is left then expires: of exposure after 15 minutes, of a bridge after 10. */
const RELEASE_LIMIT = Duration.seconds(2)

/**
 * Makes `reserve(client, intent, holder)`, which returns the class without room; undefined if the submission can be accepted. Makes
 * `orRelease(legs)`, which wraps the effect that reserves and stores a submission, and gives it the holder of its reservations. If that
 * fails or is interrupted, the reservations of intents that are still quoted end, unless an identical submission holds them too. Otherwise
 * one client could hold a budget or a bridge without a sweep, by leaving again and again.
 */
export const make = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const exposures = yield* Exposures
  const flights = yield* BridgeFlights
  const random = yield* SecureRandom.SecureRandom
  const presentOf = yield* PresentPrices.make

  const reserve = Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Pick<Intent, "attributed" | "gas" | "id" | "network" | "order" | "runsOthersCode">,
    holder: string
  ) {
    const { chain } = client
    const { gas, order } = intent
    if (desk.isListed(chain, intent)) return undefined
    // Without an answer of the node nothing is reserved here. The relayer reserves in any case.
    const present = yield* Effect.option(presentOf(client, order))
    if (Option.isNone(present)) return undefined
    const { dataFeeOf, maxFeePerGas } = present.value
    const wei = worstCase({ gas, maxFeePerGas, dataFee: dataFeeOf(order, gas) })
    const reservation = { intentId: intent.id, classes: desk.classes(chain, intent), wei }
    return (yield* desk.reserve(chain, [reservation], holder)).get(intent.id)
  })

  const orRelease = (
    legs: ReadonlyArray<{
      readonly client: ChainClient
      readonly intent: Pick<Intent, "id" | "order" | "quote" | "runsOthersCode">
    }>
  ) => {
    const ids = legs.flatMap(({ client, intent }) => (desk.isListed(client.chain, intent) ? [] : [intent.id]))
    const flown = legs.flatMap(({ intent }) => (Flying.isFlown(intent.quote) ? [intent.id] : []))
    const limited = (release: Effect.Effect<void, StoreUnavailable>) => Effect.ignore(within(RELEASE_LIMIT)(release))
    return Effect.fnUntraced(function* <A, E, R>(submitting: (holder: string) => Effect.Effect<A, E, R>) {
      const holder = yield* random.uuidV4()
      // Runs also after an interruption. The limits hold although a finalizer cannot be interrupted.
      const release = Effect.all(
        [
          ids.length === 0 ? Effect.void : limited(exposures.releaseQuoted(ids, holder)),
          flown.length === 0 ? Effect.void : limited(flights.releaseQuoted(flown, holder))
        ],
        { concurrency: "unbounded", discard: true }
      )
      return yield* Effect.onExit(submitting(holder), (exit) => (Exit.isSuccess(exit) ? Effect.void : release))
    })
  }

  return { reserve, orRelease }
})
