/**
 * Lanes for the operator: their states, and the way of a lane out of use. A drained lane takes no new batches, a retired one has nothing in
 * flight, and its rest is moved to another lane. Every change is recorded.
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { AlertKind } from "../../domain/AlertKind.ts"
import {
  LaneRefusal,
  type LaneState,
  type LaneTransfer,
  type LaneView,
  type OperatorRecord,
  refusal
} from "../../domain/LaneState.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { type ChainClient, Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as LaneRest from "./LaneRest.ts"
import { answered } from "./Probe.ts"
import * as WaitingTransfers from "./WaitingTransfers.ts"

/** The lane cannot be changed as asked. */
export class LaneRefused extends Schema.TaggedError<LaneRefused>()("LaneRefused", {
  reason: LaneRefusal,
  detail: Schema.optionalKey(Schema.String)
}) {}

/** Neither a key nor a record of the lane is known. */
export class UnknownLane extends Schema.TaggedError<UnknownLane>()("UnknownLane", {}) {}

/** Who asks for a change, and why. */
export interface Change {
  readonly actor: string
  readonly reason: string
}

/** Alerts about a lane that is to take batches. */
const KINDS_OF_ALERTS = [
  "lane_low",
  "lane_delegated",
  "nonce_doubted",
  "signing_failed"
] satisfies ReadonlyArray<AlertKind>

/** Alerts about a lane's transactions, of which a retired lane has none left to end them. */
const KINDS_IN_FLIGHT = ["gas_price", "transaction_rejected"] satisfies ReadonlyArray<AlertKind>

/** Keys of the alerts of a kind about a lane. */
const keysOf = (kind: AlertKind, chainId: number, lane: Address.Address): ReadonlyArray<string> => {
  const key = `${kind}:${chainId}:${lane}`
  return kind === "lane_low" ? [key, LaneAlerts.shortKey(chainId, lane)] : [key]
}

export class LaneDesk extends Context.Service<
  LaneDesk,
  {
    /** Every lane with a key in this process or with a record. */
    readonly list: Effect.Effect<ReadonlyArray<LaneView>, StoreUnavailable>
    /** Changes the state of a lane. Repeating a change does nothing. */
    readonly move: (
      lane: Address.Address,
      to: LaneState,
      change: Change
    ) => Effect.Effect<LaneView, LaneRefused | UnknownLane | StoreUnavailable>
    /**
     * Moves the rest of a retired lane to another lane. A repeated request sends the same transaction again, or one to the same recipient
     * that replaces it if no block can include it.
     */
    readonly empty: (
      lane: Address.Address,
      wanted: { readonly chainId: number; readonly recipient: Address.Address },
      change: Change
    ) => Effect.Effect<LaneTransfer, LaneRefused | UnknownLane | UnsupportedChain | ChainUnavailable | StoreUnavailable>
    /** The newest records of operators' changes. */
    readonly log: Effect.Effect<ReadonlyArray<OperatorRecord>, StoreUnavailable>
  }
>()("sweep/orchestrator/LaneDesk") {
  static readonly layer = Layer.effect(
    LaneDesk,
    // The methods are defined below.
    Effect.suspend(() => make)
  )
}

/** Records that `log` returns. */
const LOGGED = 200

/** Addresses of all lanes, those with a key first. */
const makeKnown = Effect.gen(function* () {
  const book = yield* LaneBook
  const chains = yield* Chains
  const keys = yield* RelayerKeys
  return Effect.gen(function* () {
    const states = yield* book.states
    const withKey = new Set(chains.all.flatMap(({ chain }) => keys.lanes(chain.id)))
    return { states, withKey, lanes: new Set([...withKey, ...states.keys()]) }
  })
})

/** Makes `requireKnown(lane)`, which fails for an account that is no lane. */
const makeRequireKnown = Effect.map(makeKnown, (known) =>
  Effect.fnUntraced(function* (lane: Address.Address) {
    const found = yield* known
    return found.lanes.has(lane) ? found : yield* new UnknownLane()
  })
)

const makeEmpty = Effect.gen(function* () {
  const chains = yield* Chains
  const moveRest = yield* LaneRest.make
  const requireKnown = yield* makeRequireKnown
  const { laneRestRecipients } = (yield* OrchestratorSettings).relayer

  const empty: LaneDesk["Service"]["empty"] = Effect.fn("LaneDesk.empty")(function* (lane, wanted, { actor, reason }) {
    const { states, withKey } = yield* requireKnown(lane)
    const { chainId, recipient } = wanted
    const isActiveLane =
      recipient !== lane && withKey.has(recipient) && (states.get(recipient)?.state ?? "active") === "active"
    if (states.get(lane)?.state !== "retired") return yield* new LaneRefused({ reason: "not_retired" })
    if (!withKey.has(lane)) {
      const detail = "add the lane's key to RELAYER_KEYS again, and restart the replicas. Then repeat the request"
      return yield* new LaneRefused({ reason: "no_key", detail })
    }
    const isAllowed = isActiveLane || laneRestRecipients.includes(recipient)
    const moved = yield* moveRest(yield* chains.get(chainId), lane, { address: recipient, isAllowed }, (version) => ({
      actor,
      action: "lane.empty",
      subject: lane,
      details: { chainId: String(chainId), recipient, ...version, reason }
    })).pipe(
      Effect.catchTags({
        LaneInUse: () => Effect.fail(new LaneRefused({ reason: "not_retired" })),
        TransferWaits: ({ detail, reason }) => Effect.fail(new LaneRefused({ reason, detail })),
        RecipientNotAllowed: () => Effect.fail(new LaneRefused({ reason: "recipient_not_allowed" })),
        OtherRecipient: ({ stored }) =>
          Effect.fail(
            new LaneRefused({
              reason: "recipient_not_allowed",
              detail: `a transfer to ${stored} is signed and not mined. Repeat the request with that recipient`
            })
          )
      })
    )
    return yield* Effect.mapError(Effect.fromOption(moved), () => new LaneRefused({ reason: "nothing_to_move" }))
  })

  return empty
})

const makeView = Effect.fnUntraced(function* (
  waitingOf: Effect.Success<typeof WaitingTransfers.make>,
  explain: Effect.Success<typeof WaitingTransfers.makeExplain>
) {
  const book = yield* LaneBook
  const chains = yield* Chains
  const keys = yield* RelayerKeys
  const known = yield* makeKnown

  return Effect.fnUntraced(function* (address: Address.Address) {
    const { states, withKey } = yield* known
    const inFlight = yield* book.inFlight(address)
    const record = states.get(address)
    const state = record?.state ?? "active"
    // An active lane has none: it would not have been activated.
    const waiting = state === "active" ? [] : yield* waitingOf(address)
    const onChain = Effect.fnUntraced(function* ({ balance, chain }: ChainClient) {
      const transfer = waiting.find(({ client }) => client.chain.id === chain.id)
      const [wei, text] = yield* Effect.all(
        [answered(balance(address)), transfer === undefined ? Effect.undefined : explain(transfer, state)],
        { concurrency: "unbounded" }
      )
      return {
        chainId: chain.id,
        name: chain.name,
        balance: Option.getOrNull(wei),
        inFlight: (inFlight.get(chain.id) ?? 0) + (transfer === undefined ? 0 : 1),
        ...(text === undefined ? {} : { waiting: text })
      }
    })
    return {
      address,
      state,
      sinceMs: record?.sinceMs ?? null,
      hasKey: withKey.has(address),
      isAnswering: yield* keys.isAnswering(address),
      chains: yield* Effect.forEach(chains.all, onChain, { concurrency: "unbounded" })
    } satisfies LaneView
  })
})

const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const book = yield* LaneBook
  const chains = yield* Chains
  const explain = yield* WaitingTransfers.makeExplain
  const known = yield* makeKnown
  const waitingOf = yield* WaitingTransfers.make
  const viewOf = yield* makeView(waitingOf, explain)
  const requireKnown = yield* makeRequireKnown

  /** Alerts of a lane that nobody uses would stand for ever. */
  const clearAlerts = (lane: Address.Address, kinds: ReadonlyArray<AlertKind>) =>
    Effect.forEach(
      chains.all.flatMap(({ chain }) => kinds.flatMap((kind) => keysOf(kind, chain.id, lane))),
      (key) => alerts.clear(key),
      { discard: true }
    )

  const move: LaneDesk["Service"]["move"] = Effect.fn("LaneDesk.move")(function* (lane, to, { actor, reason }) {
    const { states, withKey } = yield* requireKnown(lane)
    const { sinceMs, state } = states.get(lane) ?? { state: "active", sinceMs: 0 }
    const inFlight = [...(yield* book.inFlight(lane)).values()].reduce((sum, count) => sum + count, 0)
    const others = [...withKey].filter((each) => each !== lane)
    const hasOther = others.some((each) => (states.get(each)?.state ?? "active") === "active")
    const waiting = to === "active" && state !== "active" ? yield* waitingOf(lane) : []
    const facts = { state, sinceMs, inFlight, hasOther, isEmptying: waiting.length > 0 }
    const against = refusal(to, facts, yield* Clock.currentTimeMillis)
    if (against !== undefined) {
      const texts = yield* Effect.forEach(waiting, (each) => explain(each, state), { concurrency: "unbounded" })
      return yield* new LaneRefused({ reason: against, ...(texts.length === 0 ? {} : { detail: texts.join(" ") }) })
    }
    if (state !== to) {
      const record = { actor, action: `lane.${to}`, subject: lane, details: { from: state, reason } }
      // Meanwhile, another operator has made this change, or has drained the last other lane, or a transaction has come.
      if (yield* book.move(lane, state, to, record, others)) {
        yield* Effect.annotateLogs(Effect.logInfo("lane.changed"), { lane, from: state, to })
      } else if (((yield* book.states).get(lane)?.state ?? "active") !== to) {
        return yield* new LaneRefused({ reason: to === "draining" ? "last_lane" : "in_flight" })
      }
    }
    if (to !== "active") yield* clearAlerts(lane, KINDS_OF_ALERTS)
    if (to === "retired") yield* clearAlerts(lane, KINDS_IN_FLIGHT)
    return yield* viewOf(lane)
  })

  return LaneDesk.of({
    list: Effect.gen(function* () {
      const { lanes } = yield* known
      return yield* Effect.forEach([...lanes], viewOf, { concurrency: "unbounded" })
    }),
    move,
    empty: yield* makeEmpty,
    log: book.log(LOGGED)
  })
})
