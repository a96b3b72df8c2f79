/**
 * Decides which lane sends the next batch: each in its turn, but none that has no room, none whose transactions are held up while another
 * is free, and none that is too poor while another can pay.
 */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import { payers } from "../../domain/LaneChoice.ts"
import { hasSlot } from "../../domain/LaneSlots.ts"
import type { Front } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Block, ChainClient } from "../../ports/shared/Chains.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { LaneLoads } from "./LaneLoads.ts"
import * as Lanes from "./Lanes.ts"
import * as LaneShortages from "./LaneShortages.ts"

/**
 * Time after which all lanes of a chain are looked at again. In between, a batch looks only at the lane that sends it: a look takes three
 * requests for each lane, which were more than half of all requests to the nodes of a busy service with four lanes.
 */
const LOOK_MILLIS = 2_000

/**
 * Time after which all lanes of a chain are looked at again also if no batch needs a lane, while an alert about one of them stands, in
 * milliseconds. Otherwise it would stand on an idle chain after a refill. Without an alert an idle chain costs no requests.
 */
const ALERTED_LOOK_MILLIS = 60_000

/**
 * Time after which the fronts of a chain are read again while one of them holds its lane up: then lanes are held up and freed from one
 * moment to the next. That takes one statement, and no request.
 */
const FRONTS_MILLIS = 100

/** Usable lanes of a chain at the last look at all of them. */
interface Look {
  /** UNIX milliseconds. */
  readonly atMs: number
  readonly lanes: ReadonlyArray<Lanes.Lane>
  /** Present if no lane had room: the newest head that was known before. Only another one can free a slot. */
  readonly full?: { readonly head: Option.Option<Block["hash"]> }
}

/**
 * True if a lane's front keeps the lane's next transaction out of blocks: no block can include some of it at this base fee, in wei per
 * gas, or it has waited for so long that it should have been replaced.
 */
const isHeldUp = (
  { createdAtMs, maxFeePerGas }: Pick<Front, "createdAtMs" | "maxFeePerGas">,
  now: { readonly baseFeePerGas: bigint; readonly nowMs: number; readonly bumpMillis: number }
): boolean => maxFeePerGas < now.baseFeePerGas || ageOf(now.nowMs, createdAtMs) >= now.bumpMillis

const hasSame = Option.makeEquivalence<Block["hash"]>((one, other) => one === other)

const headOf = (client: ChainClient) => Effect.map(Effect.option(client.recentHead(LOOK_MILLIS)), Option.flatten)

/** Makes `payersAmong(client, lanes)`: those that can pay for a sweep, by their last known balances and by what sweeps have cost. */
const makePayersAmong = Effect.gen(function* () {
  const loads = yield* LaneLoads
  const shortages = yield* LaneShortages.make

  return Effect.fnUntraced(function* ({ chain }: ChainClient, lanes: ReadonlyArray<Lanes.Lane>) {
    if (lanes.length < 2) return lanes
    const cost = loads.newestCost(chain.id)
    const needs = [...(yield* shortages(chain)), ...(cost === undefined ? [] : [cost])]
    const purses = lanes.map((lane) => ({ lane, free: lane.balance - loads.of(chain.id, lane).reserved }))
    return payers(purses, needs).map(({ lane }) => lane)
  })
})

/**
 * Makes `hasLane(client)`, true if some lane of the chain may send, `isFull(client)`, true if none may because all have as many pending
 * transactions as they may, and `next(client)`, the lane for a batch; undefined without one.
 */
export const make = Effect.gen(function* () {
  const loads = yield* LaneLoads
  const { relayer } = yield* OrchestratorSettings
  const { bumpMillis } = relayer
  const hasAlert = yield* Lanes.makeHasAlert
  const payersAmong = yield* makePayersAmong
  const usableLanes = yield* Lanes.make

  const looks = new Map<number, Look>()
  /** UNIX milliseconds of the last readings of alerts, by chain. */
  const reviewed = new Map<number, number>()
  let turn = 0

  const lookAtAll = Effect.fnUntraced(function* (client: ChainClient) {
    const atMs = yield* Clock.currentTimeMillis
    const [lanes] = yield* Effect.all([usableLanes(client), loads.read(client.chain.id)], { concurrency: "unbounded" })
    looks.set(client.chain.id, { atMs, lanes })
    return lanes
  })

  /** Lanes with a slot, and with enough balance beside what their pending transactions may cost. */
  const withRoom = ({ chain }: ChainClient, lanes: ReadonlyArray<Lanes.Lane>) =>
    lanes.filter((lane) => {
      const { nextNonce, reserved } = loads.of(chain.id, lane)
      return (
        hasSlot(nextNonce, lane.nonce) &&
        (reserved === 0n || lane.balance - reserved >= ChainLimits.minLaneBalance(relayer, chain))
      )
    })

  /** Those of the lanes that are not held up, or all of them if all are. A head that is not known holds up none. */
  const freeAmong = Effect.fnUntraced(function* (client: ChainClient, lanes: ReadonlyArray<Lanes.Lane>) {
    const reading = loads.reading(client.chain.id)
    if (reading === undefined || reading.fronts.length === 0) return lanes
    const nowMs = yield* Clock.currentTimeMillis
    const head = yield* headOf(client)
    const baseFeePerGas = Option.match(head, { onNone: () => 0n, onSome: (block) => block.baseFeePerGas })
    const heldUpBy = (fronts: ReadonlyArray<Front>) =>
      fronts.flatMap((front) => (isHeldUp(front, { baseFeePerGas, nowMs, bumpMillis }) ? [front.lane] : []))
    const known = heldUpBy(reading.fronts)
    const isOld = known.length > 0 && ageOf(nowMs, reading.atMs) >= FRONTS_MILLIS
    const heldUp = isOld ? heldUpBy(yield* loads.read(client.chain.id)) : known
    const free = lanes.filter(({ address }) => !heldUp.includes(address))
    return free.length === 0 ? lanes : free
  })

  const inTurn = Effect.fnUntraced(function* (client: ChainClient, lanes: ReadonlyArray<Lanes.Lane>) {
    const able = yield* payersAmong(client, yield* freeAmong(client, withRoom(client, lanes)))
    return able[turn++ % able.length]
  })

  /** True once a minute, if no look was more recent and an alert stands that a look may end. */
  const isAlerted = Effect.fnUntraced(function* ({ chain }: ChainClient, { atMs }: Look, nowMs: number) {
    if (Math.min(ageOf(nowMs, atMs), ageOf(nowMs, reviewed.get(chain.id) ?? atMs)) < ALERTED_LOOK_MILLIS) return false
    reviewed.set(chain.id, nowMs)
    return yield* hasAlert(chain)
  })

  /**
   * While no lane may send, all are looked at again at each call. If that is because they are full, they are looked at again when a new
   * block is known, and every two seconds. While some lane may send, all are looked at again every minute if an alert about one of them
   * stands.
   */
  const hasLane = Effect.fnUntraced(function* (client: ChainClient) {
    const { id } = client.chain
    const known = looks.get(id)
    const atMs = yield* Clock.currentTimeMillis
    const hadRoom = known !== undefined && withRoom(client, known.lanes).length > 0
    if (hadRoom && !(yield* isAlerted(client, known, atMs))) return true
    const head = Option.map(yield* headOf(client), ({ hash }) => hash)
    const isSame = known?.full !== undefined && hasSame(known.full.head, head) && ageOf(atMs, known.atMs) < LOOK_MILLIS
    if (isSame) return false
    // An idle chain whose node does not answer is no failure. The next batch asks the node itself.
    const lanes = yield* hadRoom
      ? Effect.catchTag(lookAtAll(client), "ChainUnavailable", () => Effect.succeed(known.lanes))
      : lookAtAll(client)
    if (withRoom(client, lanes).length > 0) return true
    if (lanes.length > 0) looks.set(id, { atMs, lanes, full: { head } })
    return false
  })

  const isFull = ({ chain }: ChainClient): boolean => looks.get(chain.id)?.full !== undefined

  const next = Effect.fnUntraced(function* (client: ChainClient) {
    const nowMs = yield* Clock.currentTimeMillis
    const look = looks.get(client.chain.id)
    const isRecent = look !== undefined && ageOf(nowMs, look.atMs) < LOOK_MILLIS
    const known = isRecent ? yield* inTurn(client, look.lanes) : undefined
    const [lane] = known === undefined ? [] : yield* usableLanes(client, [known.address])
    return lane ?? (yield* inTurn(client, yield* lookAtAll(client)))
  })

  return { hasLane, isFull, next }
})
