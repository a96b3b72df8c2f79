/** Handles one claim on one lane: sends what is ready, postpones what is not, and ends what must not be sent. */
import { Effect, Option, Schema } from "effect"
import * as ChainMoney from "../../domain/ChainMoney.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { Settlements } from "../settle/Settlements.ts"
import { look } from "../shared/ChainView.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as Dispatch from "./Dispatch.ts"
import * as FeeCoverWait from "./FeeCoverWait.ts"
import type { Lane } from "./Lanes.ts"
import * as Market from "./Market.ts"
import * as Postponement from "./Postponement.ts"
import * as Preparation from "./Preparation.ts"
import type { Signed, Unfit } from "./Prepared.ts"

/**
 * Makes `refuse` for claimed intents that must not be sent, and `makeRoom`, which ends the reservations that submissions with unlisted
 * tokens have made. A sweep reserves again before it is signed.
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

  return { makeRoom, refuse }
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
  const dispatch = yield* Dispatch.make
  const { postpone, putOff } = yield* Postponement.make
  const prepare = yield* Preparation.make
  const { makeRoom, refuse } = yield* makeUnsent
  const recent = yield* RecentIntents
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
    const sent = yield* dispatch(client, conditions, ready)
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
    return sent
  })
})
