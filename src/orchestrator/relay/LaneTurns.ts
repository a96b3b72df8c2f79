/** Decides which lane sends the next batch: each in its turn, but none whose transactions are held up while another is free. */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Front, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Lanes from "./Lanes.ts"

/**
 * Time after which all lanes of a chain are looked at again. In between, a batch looks only at the lane that sends it: a look takes three
 * requests for each lane, which were more than half of all requests to the nodes of a busy service with four lanes.
 */
const LOOK_MILLIS = 2_000

/**
 * Time after which the fronts of a chain are read again while one of them holds its lane up: then lanes are held up and freed from one
 * moment to the next. That takes one statement, and no request.
 */
const FRONTS_MILLIS = 100

/** Usable lanes of a chain at the last look at all of them. */
interface Look {
  /** UNIX milliseconds. */
  readonly atMs: number
  readonly lanes: ReadonlyArray<Address.Address>
}

/** Fronts of a chain at their last reading. */
interface Reading {
  /** UNIX milliseconds. */
  readonly atMs: number
  readonly fronts: ReadonlyArray<Front>
}

/**
 * True if a lane's front keeps the lane's next transaction out of blocks: no block can include some of it at this base fee, in wei per
 * gas, or it has waited for so long that it should have been replaced.
 */
const isHeldUp = (
  { createdAtMs, maxFeePerGas }: Pick<Front, "createdAtMs" | "maxFeePerGas">,
  now: { readonly baseFeePerGas: bigint; readonly nowMs: number; readonly bumpMillis: number }
): boolean => maxFeePerGas < now.baseFeePerGas || now.nowMs - createdAtMs >= now.bumpMillis

/** Makes `hasLane(client)`, true if some lane of the chain may send, and `next(client)`, the lane for a batch; undefined without one. */
export const make = Effect.gen(function* () {
  const { bumpMillis } = (yield* OrchestratorSettings).relayer
  const transactions = yield* RelayTransactions
  const usableLanes = yield* Lanes.make

  const looks = new Map<number, Look>()
  const readings = new Map<number, Reading>()
  let turn = 0

  const readFronts = Effect.fnUntraced(function* ({ chain }: ChainClient) {
    const atMs = yield* Clock.currentTimeMillis
    const fronts = yield* transactions.fronts(chain.id)
    readings.set(chain.id, { atMs, fronts })
    return fronts
  })

  const lookAtAll = Effect.fnUntraced(function* (client: ChainClient) {
    const atMs = yield* Clock.currentTimeMillis
    const [usable] = yield* Effect.all([usableLanes(client), readFronts(client)], { concurrency: "unbounded" })
    looks.set(client.chain.id, { atMs, lanes: usable.map(({ address }) => address) })
    return usable
  })

  /** Those of the lanes that are not held up, or all of them if all are. A head that is not known holds up none. */
  const freeAmong = Effect.fnUntraced(function* (client: ChainClient, lanes: ReadonlyArray<Address.Address>) {
    const reading = readings.get(client.chain.id)
    if (reading === undefined || reading.fronts.length === 0) return lanes
    const nowMs = yield* Clock.currentTimeMillis
    const head = Option.flatten(yield* Effect.option(client.recentHead(LOOK_MILLIS)))
    const baseFeePerGas = Option.match(head, { onNone: () => 0n, onSome: (block) => block.baseFeePerGas })
    const heldUpBy = (fronts: ReadonlyArray<Front>) =>
      fronts.flatMap((front) => (isHeldUp(front, { baseFeePerGas, nowMs, bumpMillis }) ? [front.lane] : []))
    const known = heldUpBy(reading.fronts)
    const isOld = known.length > 0 && nowMs - reading.atMs >= FRONTS_MILLIS
    const heldUp = isOld ? heldUpBy(yield* readFronts(client)) : known
    const free = lanes.filter((lane) => !heldUp.includes(lane))
    return free.length === 0 ? lanes : free
  })

  const inTurn = Effect.fnUntraced(function* (client: ChainClient, lanes: ReadonlyArray<Address.Address>) {
    const free = yield* freeAmong(client, lanes)
    return free[turn++ % free.length]
  })

  /** While no lane may send, all are looked at again at each call. */
  const hasLane = Effect.fnUntraced(function* (client: ChainClient) {
    return (looks.get(client.chain.id)?.lanes ?? []).length > 0 || (yield* lookAtAll(client)).length > 0
  })

  const next = Effect.fnUntraced(function* (client: ChainClient) {
    const nowMs = yield* Clock.currentTimeMillis
    const look = looks.get(client.chain.id)
    const isRecent = look !== undefined && nowMs - look.atMs < LOOK_MILLIS
    const known = isRecent ? yield* inTurn(client, look.lanes) : undefined
    const [lane] = known === undefined ? [] : yield* usableLanes(client, [known])
    if (lane !== undefined) return lane
    const usable = yield* lookAtAll(client)
    const chosen = yield* inTurn(
      client,
      usable.map(({ address }) => address)
    )
    return usable.find(({ address }) => address === chosen)
  })

  return { hasLane, next }
})
