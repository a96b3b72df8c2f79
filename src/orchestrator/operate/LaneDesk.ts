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
const KINDS_OF_ALERTS = ["lane_low", "lane_delegated", "signing_failed"] satisfies ReadonlyArray<AlertKind>

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
    /** Moves the rest of a retired lane to another lane. A repeated request sends the same transaction again. */
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

const makeView = Effect.gen(function* () {
  const book = yield* LaneBook
  const chains = yield* Chains
  const keys = yield* RelayerKeys
  const known = yield* makeKnown

  return Effect.fnUntraced(function* (address: Address.Address) {
    const { states, withKey } = yield* known
    const inFlight = yield* book.inFlight(address)
    const onChain = Effect.fnUntraced(function* ({ balance, chain }: ChainClient) {
      const wei = Option.getOrNull(yield* answered(balance(address)))
      return { chainId: chain.id, name: chain.name, balance: wei, inFlight: inFlight.get(chain.id) ?? 0 }
    })
    const record = states.get(address)
    return {
      address,
      state: record?.state ?? "active",
      sinceMs: record?.sinceMs ?? null,
      hasKey: withKey.has(address),
      isAnswering: yield* keys.isAnswering(address),
      chains: yield* Effect.forEach(chains.all, onChain, { concurrency: "unbounded" })
    } satisfies LaneView
  })
})

/**
 * Makes `emptying(lane)`: true if a transfer of the lane's rest is not mined, or if its chain does not answer and this process has not
 * seen it mined before.
 */
const makeEmptying = Effect.gen(function* () {
  const book = yield* LaneBook
  const chains = yield* Chains
  /** Nonces of the newest transfers that were seen mined, by chain and lane. */
  const seen = new Map<string, bigint>()

  return Effect.fnUntraced(function* (lane: Address.Address) {
    const last = yield* book.lastWithdrawals(lane)
    const open = yield* Effect.filter(
      chains.all,
      Effect.fnUntraced(function* ({ chain, transactionCount }) {
        const nonce = last.get(chain.id)
        if (nonce === undefined) return false
        const count = yield* answered(transactionCount(lane, "latest"))
        const key = `${chain.id}:${lane}`
        if (Option.isNone(count)) return seen.get(key) !== nonce
        const isMined = count.value > nonce
        // A reorg may have dropped it.
        if (isMined) seen.set(key, nonce)
        else seen.delete(key)
        return !isMined
      }),
      { concurrency: "unbounded" }
    )
    return open.length > 0
  })
})

const make = Effect.gen(function* () {
  const alerts = yield* Alerts
  const book = yield* LaneBook
  const chains = yield* Chains
  const emptying = yield* makeEmptying
  const known = yield* makeKnown
  const viewOf = yield* makeView
  const moveRest = yield* LaneRest.make
  const { laneRestRecipients } = (yield* OrchestratorSettings).relayer

  const requireKnown = Effect.fnUntraced(function* (lane: Address.Address) {
    const found = yield* known
    return found.lanes.has(lane) ? found : yield* new UnknownLane()
  })

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
    const isEmptying = to === "active" && state !== "active" && (yield* emptying(lane))
    const facts = { state, sinceMs, inFlight, hasOther, isEmptying }
    const against = refusal(to, facts, yield* Clock.currentTimeMillis)
    if (against !== undefined) return yield* new LaneRefused({ reason: against })
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

  const empty: LaneDesk["Service"]["empty"] = Effect.fn("LaneDesk.empty")(function* (lane, wanted, { actor, reason }) {
    const { states, withKey } = yield* requireKnown(lane)
    const { chainId, recipient } = wanted
    const isActiveLane =
      recipient !== lane && withKey.has(recipient) && (states.get(recipient)?.state ?? "active") === "active"
    if (states.get(lane)?.state !== "retired") return yield* new LaneRefused({ reason: "not_retired" })
    if (!withKey.has(lane)) return yield* new LaneRefused({ reason: "no_key" })
    const isAllowed = isActiveLane || laneRestRecipients.includes(recipient)
    const moved = yield* moveRest(yield* chains.get(chainId), lane, { address: recipient, isAllowed }, (amount) => ({
      actor,
      action: "lane.empty",
      subject: lane,
      details: { chainId: String(chainId), recipient, amountWei: amount.toString(), reason }
    })).pipe(
      Effect.catchTags({
        LaneInUse: () => Effect.fail(new LaneRefused({ reason: "not_retired" })),
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

  return LaneDesk.of({
    list: Effect.gen(function* () {
      const { lanes } = yield* known
      return yield* Effect.forEach([...lanes], viewOf, { concurrency: "unbounded" })
    }),
    move,
    empty,
    log: book.log(LOGGED)
  })
})
