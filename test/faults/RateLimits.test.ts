/**
 * Two endpoints of a chain that refuse for the rate of requests, or that are dead for a while. `PACING_QUOTES`, `PACING_SWEEPS` and
 * `PACING_DEAD_SECONDS` set the size: 500, 200 and 60 are what an operator of hosted endpoints meets in a bad hour.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as ChainsFile from "../support/ChainsFile.ts"
import * as FaultProxy from "../support/FaultProxy.ts"
import { TestNetwork } from "../support/Network.ts"
import { freshOwner } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"
import * as Scene from "./Scene.ts"

const sizeOf = (name: string, size: number): number => Number(process.env[name] ?? size)

const QUOTES = sizeOf("PACING_QUOTES", 20)
const SWEEPS = sizeOf("PACING_SWEEPS", 6)
const DEAD_SECONDS = sizeOf("PACING_DEAD_SECONDS", 3)

/** Clients at a time. */
const CLIENTS = 4

/** Rounds in which a client of a sweep asks for its quote. */
const ROUNDS = 5

const TIMEOUT = 1_800_000

const CONCURRENTLY = { concurrency: CLIENTS } as const

/** Refuses this share of the calls, by a fixed sequence (a linear congruential generator). */
const refusing = (share: number, seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 < share ? FaultProxy.refuse(429) : FaultProxy.pass
  }
}

/** A scene whose first chain has two endpoints, each behind a proxy. */
const make = Effect.gen(function* () {
  const scene = yield* Scene.make()
  const { chains } = yield* TestNetwork
  const endpoints = [
    yield* FaultProxy.start(scene.alpha.dev.rpcUrl),
    yield* FaultProxy.start(scene.alpha.dev.rpcUrl)
  ] as const
  const chainsFile = yield* ChainsFile.write(chains, (dev) =>
    dev === scene.alpha.dev ? endpoints.map(({ url }) => url) : dev.rpcUrl
  )
  const route = { ...(yield* scene.route), chainsFile }
  const { client, output } = yield* scene.orchestrator(route)

  /** Statuses of many quotes. */
  const quotes = Effect.gen(function* () {
    const request = yield* scene.quoteRequest
    const answers = yield* Effect.forEach(
      Array.from({ length: QUOTES }),
      () => Effect.promise(() => client.post("/quote", SweepClient.quoteBody(request))),
      CONCURRENTLY
    )
    return answers.map(({ status }) => status)
  })

  const sweep = Effect.gen(function* () {
    const account = yield* freshOwner(scene.alpha, "DAI", "50")
    const request = { ...(yield* scene.quoteRequest), owner: account.address, destination: account.address }
    return yield* scene.quoteFor(client, account, request).pipe(
      // A client repeats a quote that failed.
      Effect.sandbox,
      Effect.retry({ times: ROUNDS }),
      Effect.orDie
    )
  })
  const submitted = Effect.gen(function* () {
    const made = yield* Effect.replicateEffect(sweep, SWEEPS, CONCURRENTLY)
    yield* Effect.forEach(made, (each) => scene.submit(client, each), CONCURRENTLY)
    return made
  })
  const delivered = (sweeps: ReadonlyArray<Scene.Sweep>) =>
    Effect.forEach(sweeps, (each) => scene.delivered(client, each), CONCURRENTLY)

  return { scene, client, endpoints, output, quotes, sweep, submitted, delivered }
})

/** Quotes and sweeps work as if nothing were wrong. */
const works = Effect.fnUntraced(function* ({
  delivered,
  endpoints,
  output,
  quotes,
  scene,
  submitted
}: Effect.Success<typeof make>) {
  // The first quotes of a process check its endpoints too, which a busy machine may not finish in a request's time.
  yield* quotes
  const statuses = yield* quotes
  const failed = statuses.filter((status) => status !== 200)
  const calls = yield* Effect.forEach(endpoints, ({ calls }) => calls)
  yield* Effect.logInfo("pacing").pipe(
    Effect.annotateLogs({
      quotes: QUOTES,
      failed: failed.join(" "),
      calls: calls.map(({ length }) => length).join("+")
    })
  )
  // Fewer than 1 %. Of a few quotes one may meet a moment in which the machine does something else.
  if (failed.length > Math.max(1, QUOTES / 100 - 1))
    assert.fail(`${failed.join(" ")}\n${(yield* output).slice(-40).join("\n")}`)
  assert.notInclude(failed, 403)
  yield* delivered(yield* submitted)
  const { settlements } = yield* scene.check
  assert.lengthOf(settlements, SWEEPS)
})

layer(Scene.layer, { excludeTestServices: true })("Endpoints of a chain", (it) => {
  it.effect(
    "that both refuse every fifth call for the rate fail no quote and no sweep",
    () =>
      Effect.gen(function* () {
        const made = yield* make
        const [first, second] = made.endpoints
        yield* first.react(refusing(0.2, 1))
        yield* second.react(refusing(0.2, 2))
        yield* works(made)
      }),
    TIMEOUT
  )

  it.effect(
    "of which one refuses everything fail no quote and no sweep",
    () =>
      Effect.gen(function* () {
        const made = yield* make
        const [first, second] = made.endpoints
        yield* first.react(() => FaultProxy.refuse(429))
        yield* works(made)
        const [refused, served] = [yield* first.calls, yield* second.calls]
        assert.isBelow(refused.length, served.length / 4)
      }),
    TIMEOUT
  )

  it.effect(
    "that are both dead for a while lose no sweep that was submitted",
    () =>
      Effect.gen(function* () {
        const { client, delivered, endpoints, scene, sweep } = yield* make
        const [before, during] = [
          yield* Effect.replicateEffect(sweep, SWEEPS, CONCURRENTLY),
          yield* Effect.replicateEffect(sweep, SWEEPS, CONCURRENTLY)
        ]
        yield* Effect.forEach(before, (each) => scene.submit(client, each), CONCURRENTLY)
        yield* Effect.forEach(endpoints, ({ react }) => react(() => FaultProxy.refuse(503)))
        // They were cleared a moment ago, so they are taken.
        yield* Effect.forEach(during, (each) => scene.submit(client, each), CONCURRENTLY)
        yield* Effect.sleep(`${DEAD_SECONDS} seconds`)
        yield* Effect.forEach(endpoints, ({ react }) => react(() => FaultProxy.pass))
        yield* delivered([...before, ...during])
        const { settlements } = yield* scene.check
        assert.lengthOf(settlements, 2 * SWEEPS)
      }),
    TIMEOUT
  )
})
