/** One run: offers sweeps to the service, waits until all have ended, and reads the figures. */
import { Effect } from "effect"
import { cpuMillis } from "../ProcessTime.ts"
import { serverOf } from "../storage/Costs.ts"
import * as Figures from "./Figures.ts"
import type { Scene } from "./Scene.ts"
import type { Sweep } from "./Sweeps.ts"

const PATIENCE_MILLIS = 180_000

/** Body of `POST /intents`. */
const body = ({ authorization, intent, signature }: Sweep): string =>
  JSON.stringify({
    quoteId: intent.quote.id,
    signature,
    authorization: { ...authorization, nonce: authorization.nonce.toString() }
  })

/** Waits by the kept counts, since reading the sweeps again and again would be a part of PostgreSQL's CPU time. */
const ended = ({ sql }: Scene) =>
  sql<{ open: number }>`
    SELECT coalesce(sum(intents), 0)::int AS open FROM orchestrator.intent_count_sums
    WHERE status IN ('submitted', 'settled_source')`.pipe(
    Effect.delay("200 millis"),
    Effect.repeat({ until: ([row]) => row?.open === 0 }),
    Effect.timeout(PATIENCE_MILLIS)
  )

/** Gas that the lanes used in blocks after `from`, up to `to`. */
const gasOf = ({ dev, lanes }: Scene, from: bigint, to: bigint) =>
  Figures.gasOf(
    (blockNumber) =>
      dev.node.client
        .request<{
          Method: "eth_getBlockReceipts"
          Parameters: [string]
          ReturnType: ReadonlyArray<{ from: string; gasUsed: string }>
        }>({ method: "eth_getBlockReceipts", params: [`0x${blockNumber.toString(16)}`] })
        .then((receipts) => receipts.map(({ from, gasUsed }) => ({ from, gasUsed: BigInt(gasUsed) }))),
    lanes,
    from,
    to
  )

/** CPU milliseconds of each part so far, with all its processes. */
const spent = ({ dev, services, sql }: Scene) =>
  Effect.map(serverOf(sql), (postgres) => ({
    orchestrator: services.reduce((sum, { pid }) => sum + cpuMillis(pid), 0),
    postgres: cpuMillis(postgres),
    node: cpuMillis(dev.node.pid)
  }))

type Spent = Effect.Success<ReturnType<typeof spent>>

const perSweep = (from: Spent, to: Spent, sweeps: number): Spent => ({
  orchestrator: (to.orchestrator - from.orchestrator) / sweeps,
  postgres: (to.postgres - from.postgres) / sweeps,
  node: (to.node - from.node) / sweeps
})

/** `offer` submits the bodies. It may return the seconds until the last one was accepted. */
export const run = Effect.fnUntraced(function* (
  scene: Scene,
  sweeps: ReadonlyArray<Sweep>,
  offer: (signed: ReadonlyArray<string>) => Promise<number | void>
) {
  const { client } = scene.dev.node
  const ids = sweeps.map(({ intent }) => intent.quote.id)
  const signed = sweeps.map(body)
  const before = yield* spent(scene)
  const fromBlock = yield* Effect.promise(() => client.getBlockNumber())
  const seconds = yield* Effect.promise(() => offer(signed))
  const accepting = yield* spent(scene)
  yield* ended(scene)
  const settled = yield* spent(scene)
  const toBlock = yield* Effect.promise(() => client.getBlockNumber())
  const gas = yield* Effect.promise(() => gasOf(scene, fromBlock, toBlock))
  const figures = yield* Figures.read(scene.sql, ids)
  return {
    ...figures,
    ...(typeof seconds === "number" ? { acceptedPerSecond: sweeps.length / seconds } : {}),
    sweepsPerTransaction: figures.delivered / figures.transactions,
    gasPerSweep: Number(gas) / sweeps.length,
    cpuMsPerSweep: perSweep(before, settled, sweeps.length),
    cpuMsPerSweepWhileAccepting: perSweep(before, accepting, sweeps.length)
  }
})
