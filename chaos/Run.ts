/** One chaos run: kills, then steps, then reorganisations, and after each the checker's judgement. */
import { Clock, Effect, FileSystem, Path, Random } from "effect"
import * as Checker from "./Checker.ts"
import * as Kills from "./Kills.ts"
import { KILL_POINTS } from "./KillPoints.ts"
import * as Reorgs from "./Reorgs.ts"
import * as Deck from "./steps/Deck.ts"
import * as Play from "./steps/Play.ts"
import { DEFAULT_CHAINS } from "../src/devnet/Network.ts"
import * as World from "./World.ts"

export interface Options {
  /** Number of kills. */
  readonly kills: number
  /** Of all choices that the run makes; when they strike depends on the machine as well. */
  readonly seed: string
  /** Reorganisations of every depth up to this. */
  readonly reorgs: number
  /** Number of random steps of every kind. Default: 0. */
  readonly steps?: number
  /** Kinds of the steps. Default: all. */
  readonly only?: ReadonlyArray<Deck.Kind>
  /** Judges the times of responses and settlements. False on a machine that other programs keep busy. Default: true. */
  readonly isTimed?: boolean
  /** Ends the leases of dead processes when the last one has died, instead of waiting for that. */
  readonly impatient?: boolean
  /** Holds the logs of the processes and of the client in a directory of their own, which stays if a rule was violated. */
  readonly directory: string
}

/** Owners for so many kills: most sweep more than once. */
const KILLS_PER_OWNER = 2
const FEWEST_OWNERS = 8

const PROGRESS_EVERY = 10

const seconds = (sinceMillis: number) =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.round((now - sinceMillis) / 100) / 10)

/** Number of batches of more than one leg whose submission was acknowledged. */
const acceptedBatches = ({ acknowledged, batches }: Checker.Observed): number => {
  const known = new Set(acknowledged)
  return batches.filter((ids) => ids.length > 1 && ids.every((id) => known.has(id))).length
}

/** Result of a checked part of a run. */
const judge = (observed: Checker.Observed, contradicted: ReadonlyArray<string>) => {
  const ended = (status: string) => observed.intents.filter((intent) => intent.status === status).length
  return {
    acknowledged: observed.acknowledged.length,
    batches: acceptedBatches(observed),
    delivered: ended("delivered"),
    failed: ended("failed"),
    transactions: observed.mined.length,
    accruals: observed.outbox.filter(({ key }) => key.startsWith("accrual:")).length,
    lost: Checker.lost(observed).length,
    double: Checker.double(observed).length,
    findings: [
      ...Checker.findings(observed),
      ...contradicted.map((key) => `the backend was told different things under ${key}`)
    ]
  }
}

/** A busy machine may miss a named point; one that is missed again and again is not where it is looked for any more. */
const FEWEST_TRIES = 3

/** Every named point was reached at least once, or the run did not test what it says. */
const unreached = (killed: ReadonlyArray<Kills.Killed>): ReadonlyArray<string> =>
  KILL_POINTS.flatMap(({ name }) => {
    const tries = killed.filter((each) => each.name === name)
    return tries.length < FEWEST_TRIES || tries.some(({ reached }) => reached)
      ? []
      : [`no process ever got to "${name}", in ${tries.length} tries`]
  })

const kills = Effect.fnUntraced(function* (
  { directory, impatient = false, kills }: Options,
  tell: (line: string) => Effect.Effect<void>
) {
  const began = yield* Clock.currentTimeMillis
  const path = yield* Path.Path
  const owners = FEWEST_OWNERS + Math.ceil(kills / KILLS_PER_OWNER)
  const rounds = yield* Kills.plan(kills, owners)
  const world = yield* World.make({
    directory,
    logFile: path.join(directory, "kills.log"),
    confirmations: { alpha: 2, beta: 1 },
    slots: 2,
    owners
  })
  const { isQuiet, killed } = yield* Kills.run(world, rounds, impatient, (done) =>
    Effect.gen(function* () {
      if (done % PROGRESS_EVERY !== 0 && done !== kills) return
      const acknowledged = world.client.acknowledged().length
      yield* tell(`${done} of ${kills} kills, ${acknowledged} sweeps acknowledged, ${yield* seconds(began)} s`)
    })
  )
  const judged = judge(yield* world.observe, world.backend.contradicted())
  const atPoints = killed.filter(({ name }) => KILL_POINTS.some((point) => point.name === name))
  return {
    kills: killed.length,
    atNamedPoints: atPoints.filter(({ reached }) => reached).length,
    namedPoints: new Set(atPoints.map(({ name }) => name)).size,
    missed: atPoints.filter(({ reached }) => !reached).length,
    ofDatabase: killed.filter(({ name }) => name === Kills.DATABASE).length,
    ...judged,
    findings: [...(isQuiet ? [] : ["the service did not come to rest"]), ...unreached(killed), ...judged.findings],
    seconds: yield* seconds(began)
  }
}, Effect.scoped)

const reorgs = Effect.fnUntraced(function* (
  { directory, reorgs: depths }: Options,
  tell: (line: string) => Effect.Effect<void>
) {
  const began = yield* Clock.currentTimeMillis
  const path = yield* Path.Path
  const planned = yield* Reorgs.plan(depths)
  const confirmations = depths + 1
  const world = yield* World.make({
    directory,
    logFile: path.join(directory, "reorgs.log"),
    confirmations: { alpha: confirmations, beta: 1 },
    slots: 1,
    owners: Reorgs.ownersFor(depths),
    env: Reorgs.SETTINGS
  })
  const played = yield* Reorgs.run(world, planned, confirmations, (done) =>
    Effect.gen(function* () {
      if (done % PROGRESS_EVERY !== 0 && done !== planned.length) return
      const { depth = 0 } = planned[done - 1] ?? {}
      yield* tell(`${done} of ${planned.length} reorganisations, depth ${depth}, ${yield* seconds(began)} s`)
    })
  )
  const judged = judge(yield* world.observe, world.backend.contradicted())
  return {
    depths,
    reorganisations: planned.length,
    unseen: planned.filter(({ unseen }) => unseen).length,
    ...judged,
    findings: [...atRest(played.isQuiet), ...played.findings, ...judged.findings],
    seconds: yield* seconds(began)
  }
}, Effect.scoped)

/** Late responses that are listed. The bar has their number. */
const LISTED = 10

const steps = Effect.fnUntraced(function* (
  { directory, isTimed = true, only = Deck.ALL_KINDS, steps: count = 0 }: Options,
  tell: (line: string) => Effect.Effect<void>
) {
  const began = yield* Clock.currentTimeMillis
  const [{ id: alpha }, { id: beta }] = DEFAULT_CHAINS
  const planned = yield* Deck.plan(count, only, { chainIds: { alpha, beta } })
  const {
    bars,
    contradicted,
    found,
    late,
    observed,
    steps: played
  } = yield* Play.run(planned, { directory, isTimed }, tell)
  for (const { figure, name, verdict } of bars) yield* tell(`bar ${verdict}: ${name}: ${figure}`)
  const judged = judge(observed, contradicted)
  return {
    steps: played,
    kinds: new Set(planned.slice(0, played).map(({ kind }) => kind)).size,
    bars,
    ...judged,
    findings: [
      ...bars.flatMap(({ figure, name, verdict }) => (verdict === "violated" ? [`${name}: ${figure}`] : [])),
      ...Object.values(found).flat(),
      ...late
        .slice(0, LISTED)
        .map(
          ({ isAnswered, millis, route, step }) =>
            `${step}: ${route} ${isAnswered ? "answered" : "gave up"} after ${Math.round(millis)} ms`
        ),
      ...judged.findings
    ],
    seconds: yield* seconds(began)
  }
})

const atRest = (isQuiet: boolean): ReadonlyArray<string> => (isQuiet ? [] : ["the service did not come to rest"])

/** The common fields of both parts. */
type Judged = ReturnType<typeof judge> & { readonly seconds: number }

const summary = (what: string, judged: Judged): string => {
  const { accruals, acknowledged, batches, delivered, double, failed, findings, lost, transactions } = judged
  return [
    `${what} in ${judged.seconds} s: ${acknowledged} sweeps acknowledged, in ${batches} batches and alone,`,
    `${delivered} delivered, ${failed} failed,`,
    `${lost} lost, ${double} settled twice; ${transactions} transactions mined, ${accruals} accruals;`,
    findings.length === 0 ? "every rule holds" : `${findings.length} findings`
  ].join(" ")
}

/** Plays a run and tells of it line by line. The last line of each part is JSON. */
export const run = Effect.fn("Chaos.run")(function* (options: Options, tell: (line: string) => Effect.Effect<void>) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(options.directory, { recursive: true })
  const directory = yield* fs.makeTempDirectory({ directory: options.directory, prefix: "chaos-" })
  yield* tell(`seed ${options.seed}`)
  const findings: Array<string> = []
  const report = Effect.fnUntraced(function* (part: string, what: string, judged: Judged) {
    findings.push(...judged.findings)
    yield* tell(summary(what, judged))
    for (const finding of judged.findings) yield* tell(`violated: ${finding}`)
    yield* tell(JSON.stringify({ chaos: part, seed: options.seed, ...judged }))
  })
  const own = { ...options, directory }
  const seeded = Random.withSeed(options.seed)
  const logsKept = tell(`what the processes said is in ${directory}`)
  yield* Effect.gen(function* () {
    if (options.kills > 0) {
      const killed = yield* seeded(kills(own, tell))
      yield* report("kills", `${killed.kills} kills`, killed)
    }
    if ((options.steps ?? 0) > 0) {
      const played = yield* seeded(steps(own, tell))
      yield* report("steps", `${played.steps} steps of ${played.kinds} kinds`, played)
    }
    if (options.reorgs > 0) {
      const reorganised = yield* seeded(reorgs(own, tell))
      yield* report(
        "reorgs",
        `${reorganised.reorganisations} reorganisations of depth 1 to ${options.reorgs}`,
        reorganised
      )
    }
  }).pipe(Effect.onError(() => logsKept))
  if (findings.length > 0) yield* logsKept
  // Logs are only kept for a failed run.
  else yield* fs.remove(directory, { recursive: true, force: true })
  return { findings }
})
