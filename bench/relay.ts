/**
 * Measures the throughput of sweeps: signed intents of new accounts through `POST /intents` of a real orchestrator process
 * until delivery, on a node with one block per second and 200M gas per block. The same run measures the node alone.
 *
 * The quotes are inserted through the store beforehand, since quoting is not what is measured.
 *
 *     bun bench/relay.ts [--count N] [--rate N] [--seconds N] [--replicas 1] [--profile DIR]
 */
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import * as Ceiling from "./relay/Ceiling.ts"
import { run } from "./relay/Run.ts"
import * as Scene from "./relay/Scene.ts"
import * as Sweeps from "./relay/Sweeps.ts"

const { values } = parseArgs({
  options: {
    /** Intents of the flood, and transactions of the node's own run. */
    count: { type: "string", default: "5000" },
    /** Intents a second of the steady run that latencies are read from. */
    rate: { type: "string", default: "50" },
    /** Duration of the steady run in seconds. 0 skips it. */
    seconds: { type: "string", default: "15" },
    /** 1: floods two replicas as well. */
    replicas: { type: "string", default: "0" },
    profile: { type: "string" }
  }
})

const CONNECTIONS = 64
const WARM_UP = 2_000

/** Attempts of a client, a second apart: a service without CPU time refuses with 503 what it cannot answer in time. */
const ATTEMPTS = 20

/** Responses with 503 so far. */
let refused = 0

const submit = async (url: string, signed: string): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${url}/intents`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: signed
    })
    const text = await response.text()
    // After a 503, a submission may have been stored all the same.
    if (response.status === 201 || (response.status === 403 && attempt > 1)) return
    if (response.status !== 503 || attempt === ATTEMPTS) {
      throw new Error(`POST /intents answered ${response.status} ${text}`)
    }
    refused++
    await Bun.sleep(1_000)
  }
}

/** As fast as the replicas take them; returns the seconds until the last was accepted. */
const flood = async (urls: ReadonlyArray<string>, signed: ReadonlyArray<string>): Promise<number> => {
  const queue = signed.values()
  const started = performance.now()
  const connection = async (url: string) => {
    for (const each of queue) await submit(url, each)
  }
  const each = CONNECTIONS / urls.length
  await Promise.all(urls.flatMap((url) => Array.from({ length: each }, () => connection(url))))
  return (performance.now() - started) / 1_000
}

/** Floods all replicas of the scene, after a flood that warms them up. */
const flooded = Effect.fnUntraced(function* (scene: Scene.Scene, sweeps: ReadonlyArray<Sweeps.Sweep>) {
  const urls = scene.services.map(({ url }) => url)
  const flooding = (signed: ReadonlyArray<string>) => flood(urls, signed)
  yield* run(scene, sweeps.slice(0, WARM_UP), flooding)
  return yield* run(scene, sweeps.slice(WARM_UP), flooding)
})

/** At a steady rate, whatever the service does meanwhile. */
const pace = async (url: string, signed: ReadonlyArray<string>, perSecond: number): Promise<void> => {
  const started = performance.now()
  const sent = signed.map(async (each, index) => {
    await Bun.sleep(started + (index * 1_000) / perSecond - performance.now())
    await submit(url, each)
  })
  await Promise.all(sent)
}

const rounded = (value: unknown): unknown => {
  if (typeof value === "number") return Math.round(value * 1_000) / 1_000
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]))
}

const report = (figures: unknown) => Console.error(JSON.stringify(rounded(figures ?? null), null, 2))

const bench = Effect.gen(function* () {
  const count = Number(values.count)
  const perSecond = Number(values.rate)
  const paced = perSecond * Number(values.seconds)
  const isReplicated = values.replicas === "1"
  const floods = (isReplicated ? 2 : 1) * (WARM_UP + count)
  yield* Console.error(`signing ${floods + paced + count} sweeps`)
  const scene = yield* Scene.start({ served: floods + paced, direct: count, profile: values.profile })
  const { dev, direct, served, services } = scene
  const [{ url }] = services
  const [first, steadily, second] = [
    served.slice(0, WARM_UP + count),
    served.slice(WARM_UP + count, WARM_UP + count + paced),
    served.slice(WARM_UP + count + paced)
  ]

  yield* Console.error(`flooding with ${count}`)
  const one = yield* flooded(scene, first)
  yield* report(one)
  const steady = paced === 0 ? undefined : yield* run(scene, steadily, (signed) => pace(url, signed, perSecond))
  yield* report(steady)
  const two = isReplicated ? yield* flooded(yield* Scene.replicated(scene), second) : undefined
  yield* report(two)
  const arrived = yield* Effect.promise(() => Sweeps.arrived(dev, served))
  const nodeAlone = yield* Effect.promise(() => Ceiling.measure(dev, direct))

  yield* Console.log(
    JSON.stringify(
      rounded({
        bench: "relay",
        count,
        arrived,
        expected: served.length,
        refused,
        nodeAlone,
        shareOfNode: one.settledPerSecond / nodeAlone.sweepsPerSecond,
        steadyShareOfNode: one.steadyPerSecond / nodeAlone.sweepsPerSecond,
        flood: one,
        ...(steady === undefined ? {} : { ratePerSecond: perSecond, paced: steady }),
        ...(two === undefined
          ? {}
          : { twoReplicas: two, twoReplicasOfOne: two.settledPerSecond / one.settledPerSecond })
      })
    )
  )
})

bench.pipe(Effect.scoped, Effect.provide([BunServices.layer, Logger.layer([])]), BunRuntime.runMain)
