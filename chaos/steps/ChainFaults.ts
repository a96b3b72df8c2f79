/** Steps in which one chain's node says nothing, or shows receipts and logs later than the state. */
import { Effect } from "effect"
import { pass, type Reaction, rewrite, swallow } from "../../test/support/FaultProxy.ts"
import type { Place } from "../Holdings.ts"
import type { Slot } from "../Slot.ts"
import type { Alarm } from "./Alarms.ts"
import { besides, joined, nothing, otherOf, settling, type Side, type Stage, type Step, stopped } from "./Step.ts"

/** Alerts about a stale chain are due after this. */
const STALE_MILLIS = 30_000

/** Time in which such an alert is raised after it is due. */
const ALERT_MILLIS = 15_000

export interface Silence {
  readonly side: Side
  /** `process`: the node's processes are stopped. `proxies`: it runs, and requests to it are swallowed. */
  readonly how: "process" | "proxies"
  readonly millis: number
}

const proxyOf = (slot: Slot, side: Side) => slot[side]

/** Every replica's requests to the chain meet this until the scope closes. */
const meeting = ({ world }: Stage, side: Side, reaction: (method: string) => Reaction) =>
  Effect.forEach(
    world.slots,
    (slot) =>
      Effect.acquireRelease(
        proxyOf(slot, side).react(({ method }) => reaction(method)),
        () => proxyOf(slot, side).react(() => pass)
      ),
    { discard: true }
  )

/** The chain says nothing until the scope closes. */
export const silence = (stage: Stage, { how, side }: Pick<Silence, "how" | "side">) =>
  how === "process" ? Effect.asVoid(stopped(stage.world[side].dev.node.pid)) : meeting(stage, side, () => swallow)

/** True for an alert about the chain: its nodes, its blocks, and screening by its oracle. */
export const isAbout =
  (chainId: number) =>
  ({ details, kind }: Alarm): boolean =>
    (kind.startsWith("chain_") || kind === "screening_unavailable") && details["chainId"] === chainId

/** The alert about the chain stands, once the chain has been silent for as long as that takes. */
const alerted = (stage: Stage, { millis }: Silence, { dev }: Place) =>
  millis < STALE_MILLIS
    ? Effect.succeed([])
    : settling(
        Effect.map(stage.alarms.standing, (alarms) =>
          alarms.some(isAbout(dev.chain.id)) ? [] : [`${dev.chain.name} was silent for ${millis} ms without an alert`]
        ),
        ALERT_MILLIS
      )

export const silentChain = (planned: Silence, chainId: number): Step => ({
  name: `silent chain ${planned.side} (${planned.how}, ${planned.millis} ms)`,
  explains: isAbout(chainId),
  mayFail: false,
  play: (stage) => {
    const { traffic, world } = stage
    const [silent, healthy] = [world[planned.side], world[otherOf(planned.side)]]
    return Effect.gen(function* () {
      // These settle while the chain is silent that they are to be delivered on.
      yield* Effect.forEach([1, 2], () => traffic.hindered(healthy, silent), { concurrency: 2, discard: true })
      return yield* Effect.gen(function* () {
        yield* silence(stage, planned)
        yield* Effect.forkScoped(traffic.hindered(silent))
        const played = yield* besides(stage, healthy, planned.millis)
        return joined([played, { ...nothing, findings: yield* alerted(stage, planned, silent) }])
      }).pipe(Effect.scoped)
    })
  }
})

export interface Lag {
  readonly side: Side
  readonly blocks: number
}

const LAGGING = new Set(["eth_getTransactionReceipt", "eth_getBlockReceipts", "eth_getLogs"])

/** Milliseconds between blocks, and for the sweeps to settle once the node shows them. */
const BLOCK_MILLIS = 200
const SETTLING_MILLIS = 4_000

const heightOf = (entry: unknown): bigint | undefined =>
  typeof entry === "object" && entry !== null && "blockNumber" in entry && typeof entry.blockNumber === "string"
    ? BigInt(entry.blockNumber)
    : undefined

/** Receipts and logs that a node shows if it has indexed no block above `height`. */
export const indexedTo =
  (height: bigint) =>
  (result: unknown): unknown => {
    const isShown = (entry: unknown) => (heightOf(entry) ?? 0n) <= height
    if (!Array.isArray(result)) return isShown(result) ? result : null
    return result.filter(isShown)
  }

const lagging =
  ({ dev }: Place, blocks: number) =>
  (method: string): Reaction =>
  (forward) =>
    LAGGING.has(method)
      ? Effect.promise(() => dev.node.client.getBlockNumber()).pipe(
          Effect.flatMap((head) =>
            rewrite((answer) =>
              answer.error === undefined ? { result: indexedTo(head - BigInt(blocks))(answer.result) } : answer
            )(forward)
          )
        )
      : forward

export const laggingLogs = ({ blocks, side }: Lag): Step => ({
  name: `receipts and logs of ${side} lag by ${blocks} blocks`,
  explains: () => false,
  mayFail: false,
  play: (stage) => {
    const { traffic, world } = stage
    const [slow, healthy] = [world[side], world[otherOf(side)]]
    return Effect.gen(function* () {
      yield* meeting(stage, side, lagging(slow, blocks))
      for (const destination of [undefined, undefined, healthy]) yield* traffic.hindered(slow, destination)
      // They arrive while the chain lags.
      return yield* besides(stage, healthy, blocks * BLOCK_MILLIS + SETTLING_MILLIS)
    }).pipe(Effect.scoped)
  }
})
