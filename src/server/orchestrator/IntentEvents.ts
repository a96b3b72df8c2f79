/** States of intents and of sweeps as events. */
import { Schema, Stream } from "effect"
import { IntentView } from "../../api/orchestrator/Schemas.ts"
import { SweepView } from "../../api/orchestrator/SweepApi.ts"
import { isTerminal } from "../../domain/Intent.ts"
import type { Told } from "./EventStream.ts"
import type { IntentStates, ShownState } from "./IntentStates.ts"

const encodeIntent = Schema.encodeSync(Schema.fromJsonString(IntentView))

const encodeSweep = Schema.encodeSync(Schema.fromJsonString(SweepView))

export const ofIntent = (state: ShownState): Told => ({
  id: state.status,
  data: encodeIntent(state),
  isFinal: isTerminal(state.status)
})

/** States of the intents of a sweep, in signing order. */
export interface ShownSweep {
  readonly id: string
  readonly intents: ReadonlyArray<ShownState>
}

export const ofSweep = (sweep: ShownSweep): Told => ({
  id: sweep.intents.map(({ status }) => status).join(","),
  data: encodeSweep(sweep),
  isFinal: sweep.intents.every(({ status }) => isTerminal(status))
})

/** The current state of a sweep, and every later one, until all its intents are final. */
export const followSweep = ({ follow }: IntentStates, sweep: ShownSweep): Stream.Stream<Told> =>
  Stream.mergeAll(sweep.intents.map(follow), { concurrency: "unbounded" }).pipe(
    Stream.mapAccum(
      () => sweep,
      (before, state) => {
        const after = { ...before, intents: before.intents.map((each) => (each.id === state.id ? state : each)) }
        return [after, [ofSweep(after)]] as const
      }
    ),
    Stream.changesWith((one, other) => one.data === other.data)
  )
