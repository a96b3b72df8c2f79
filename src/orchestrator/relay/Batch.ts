/** Handles one claim on one lane: sends what is ready, postpones what is not, and ends what must not be sent. */
import { Effect, Option, Schema } from "effect"
import * as ChainMoney from "../../domain/ChainMoney.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { Settlements } from "../settle/Settlements.ts"
import { look } from "../shared/ChainView.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { intentFields } from "../shared/LogFields.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as Dispatch from "./Dispatch.ts"
import * as FeeCoverWait from "./FeeCoverWait.ts"
import type { Lane } from "./Lanes.ts"
import * as Market from "./Market.ts"
import * as NonceUse from "./NonceUse.ts"
import * as Postponement from "./Postponement.ts"
import * as Preparation from "./Preparation.ts"
import type { Later, Ready, Signed, Unfit } from "./Prepared.ts"

/** Makes `send`, with an alert for a lane that cannot sign. */
const makeSending = Effect.fnUntraced(function* ({ send }: Effect.Success<typeof Dispatch.make>) {
  const alerts = yield* StandingAlerts
  const { postpone } = yield* Postponement.make

  return Effect.fnUntraced(function* (
    client: ChainClient,
    conditions: NonceUse.Conditions,
    parcel: NonceUse.Parcel,
    before: Array<Ready>
  ) {
    const { lane } = conditions
    return yield* send(client, conditions, parcel, before).pipe(
      Effect.tap(alerts.clear(LaneAlerts.signingKey(client.chain.id, lane))),
      Effect.catchTags({
        SigningFailed: (error) =>
          alerts
            .raise({
              key: LaneAlerts.signingKey(client.chain.id, lane),
              severity: "critical",
              kind: "signing_failed",
              message: `Lane ${lane} on ${client.chain.name} cannot sign. It takes no new batches until it signs again. Check its key in RELAYER_KEYS and its signer.`,
              details: { chainId: client.chain.id, lane, detail: error.detail }
            })
            .pipe(Effect.andThen(postpone(NonceUse.idsOf(parcel))), Effect.as(0)),
        // Another worker sent some of them after this one's lease had ended. The others are free again.
        IntentTaken: () => Effect.as(postpone(NonceUse.idsOf(parcel)), 0),
        // The operator has drained the lane meanwhile. Another lane takes them.
        LaneClosed: () => Effect.as(postpone(NonceUse.idsOf(parcel)), 0),
        // Other processes, or other batches of this one, have used its last slots or its balance meanwhile.
        LaneFull: () => Effect.as(postpone(NonceUse.idsOf(parcel)), 0)
      })
    )
  })
})

/**
 * Makes `refuse` and `putOff` for claimed intents that are not sent now, and `makeRoom`, which ends the reservations that submissions
 * with unlisted tokens have made. A sweep reserves again before it is signed.
 */
const makeUnsent = Effect.gen(function* () {
  const desk = yield* ExposureDesk.make
  const intents = yield* Intents
  const { postpone, postponeUnanswered } = yield* Postponement.make
  const settlements = yield* Settlements

  const isUnsent = Effect.fnUntraced(function* (intent: Intent) {
    const current = yield* intents.find(intent.id)
    return Option.exists(current, ({ status, txHash }) => status === "submitted" && txHash === intent.txHash)
  })

  /** Gives up an intent that must not be sent, unless the chain shows that it has settled or ended already. */
  const refuse = Effect.fn("Relayer.refuse")(
    function* (client: ChainClient, { cause, intent, text }: Unfit) {
      // After this worker's lease ended, another may have sent the intent and caused what preparation saw.
      if (!(yield* isUnsent(intent))) return
      const resolution = yield* settlements.resolve(yield* look(client), intent, cause, text)
      if (resolution === "retry" || resolution === "undecided") yield* postpone([intent.id])
    },
    (effect, client, { intent }) =>
      Effect.catchTag(effect, "ChainUnavailable", (error) => postponeUnanswered(client, [intent.id], error))
  )

  const makeRoom = ({ chain }: ChainClient, sweeps: ReadonlyArray<Intent>) =>
    Effect.ignore(desk.release(sweeps.flatMap((intent) => (desk.isListed(chain, intent) ? [] : [intent.id]))))

  const putOff = Effect.fnUntraced(function* (client: ChainClient, waiting: ReadonlyArray<Later>) {
    for (const { intent, text } of waiting) {
      yield* Effect.logWarning("sweep.postponed").pipe(
        Effect.annotateLogs({ ...intentFields(client, intent), detail: text })
      )
    }
    for (const [pauseMillis, each] of Map.groupBy(waiting, (one) => one.pauseMillis)) {
      yield* postpone(
        each.map(({ intent }) => intent.id),
        pauseMillis
      )
    }
  })

  return { makeRoom, putOff, refuse }
})

/** The newest block. No confirmed one is needed, so one endpoint's answer is enough. */
const headOf = Effect.fnUntraced(function* (client: ChainClient) {
  const head = yield* client.block("latest")
  if (Option.isSome(head)) return head.value
  return yield* new ChainUnavailable({ chainId: client.chain.id, method: "eth_getBlockByNumber", detail: "no head" })
})

/** No lane of the chain may send now. */
export class NoLane extends Schema.TaggedError<NoLane>()("NoLane", { chainId: Schema.Number }) {
  override get message(): string {
    return `no lane of chain ${this.chainId} may send now`
  }
}

/**
 * Makes `relayOn(client, choosing, claimed)`, which returns the number of sweeps it sent. `choosing` returns the lane to send on, or
 * undefined if none may send. Nothing has been decided for any of the sweeps when it fails with `NoLane`.
 */
export const make = Effect.gen(function* () {
  const dispatching = yield* Dispatch.make
  const { postpone } = yield* Postponement.make
  const prepare = yield* Preparation.make
  const { makeRoom, putOff, refuse } = yield* makeUnsent
  const recent = yield* RecentIntents
  const send = yield* makeSending(dispatching)
  const { wait } = yield* FeeCoverWait.make

  return Effect.fn("Relayer.relay")(function* <E>(
    client: ChainClient,
    choosing: Effect.Effect<Lane | undefined, E>,
    claimed: ReadonlyArray<Signed>
  ) {
    const market = yield* Market.make(client)
    const chosen = Effect.flatMap(choosing, (found) =>
      found === undefined ? Effect.fail(new NoLane({ chainId: client.chain.id })) : Effect.succeed(found)
    )
    const [lane, prepared, , head] = yield* Effect.all(
      [
        chosen,
        prepare(
          client,
          Effect.map(chosen, ({ address }) => address),
          claimed,
          market
        ),
        market.fees,
        headOf(client)
      ],
      { concurrency: "unbounded" }
    )
    const believed = yield* market.fees
    const fees = ChainMoney.isWithinLimit(believed) ? believed : yield* market.confirmed
    const conditions = { head, fees, lane: lane.address, laneBalance: lane.balance, laneNonce: lane.nonce }
    const ready = ChainMoney.isWithinLimit(fees)
      ? prepared.flatMap((each) => (each._tag === "Ready" ? [each.ready] : []))
      : yield* Effect.as(
          postpone(prepared.flatMap((each) => (each._tag === "Ready" ? [each.ready.intent.id] : []))),
          []
        )
    recent.remember(ready.map(({ intent }) => intent))
    const sent = yield* dispatching.dispatch(client, conditions, ready, (parcel, before) =>
      send(client, conditions, parcel, before)
    )
    const waiting = prepared.filter((each) => each._tag === "Waiting")
    const put = prepared.filter((each) => each._tag === "Later")
    // Before others may claim them, and reserve.
    yield* makeRoom(
      client,
      [...waiting, ...put.filter(({ givesRoom }) => givesRoom)].map(({ intent }) => intent)
    )
    yield* wait(client, waiting)
    yield* putOff(client, put)
    for (const each of prepared) if (each._tag === "Unfit") yield* refuse(client, each)
    return sent.reduce((sum, count) => sum + count, 0)
  })
})
