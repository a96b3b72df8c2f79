/** Plays steps one after another, and checks after each that the service is at rest, its books are right and no alert stays. */
import { Cause, Effect, Exit, Path } from "effect"
import * as SweepClient from "../../test/support/SweepClient.ts"
import * as Checker from "../Checker.ts"
import { AMOUNT_IN, TOKEN_IN, TOKEN_OUT } from "../Holdings.ts"
import * as World from "../World.ts"
import * as Alarms from "./Alarms.ts"
import * as Bars from "./Bars.ts"
import * as Books from "./Books.ts"
import * as BuilderBackend from "./BuilderBackend.ts"
import { ownersFor, type Planned } from "./Deck.ts"
import { CONFIRMATIONS } from "./KillsAndReorgs.ts"
import * as Miner from "./Miner.ts"
import * as Prober from "./Prober.ts"
import type { Stage } from "./Step.ts"
import * as Traffic from "./Traffic.ts"

/** Owners of the sweeps beside the faults. */
const TRAFFIC_OWNERS = 40

/**
 * Before so many steps, a round of the baseline is taken. Other programs on the machine then slow both sides of the ratio alike,
 * even if they come and go during the run.
 */
const STEPS_PER_ROUND = 25

/** Fewest bursts of a round. There is one for each step that follows it, so that both sides have like numbers of samples. */
const FEWEST_BURSTS = 4

/** Findings of one step that are printed at once. The end lists all. */
const LISTED = 10

/** The errors of a cause and what caused them, on one line. */
const reasonOf = (cause: Cause.Cause<unknown>): string =>
  Cause.pretty(cause)
    .split("\n")
    .filter((line) => !/^\s*at /u.test(line))
    .map((line) => line.trim())
    .join(" ")

/** Findings after steps, by bar; `others` belong to no bar. */
export interface Found {
  readonly others: Array<string>
  readonly unbalanced: Array<string>
  readonly falseAlerts: Array<string>
  readonly lastingAlerts: Array<string>
}

const stage = Effect.fnUntraced(function* (steps: number, directory: string, isTimed: boolean) {
  const path = yield* Path.Path
  const logFile = path.join(directory, "steps.log")
  const reserved = ownersFor(steps)
  const world = yield* World.make({
    directory,
    logFile,
    confirmations: { alpha: CONFIRMATIONS, beta: 1 },
    slots: 2,
    owners: reserved + TRAFFIC_OWNERS,
    env: { REBROADCAST_SECONDS: "1" }
  })
  yield* Effect.forEach(world.slots, ({ up }) => up, { concurrency: "unbounded", discard: true })
  const builder = yield* BuilderBackend.start(world, logFile)
  const miners = { alpha: yield* Miner.start(world.alpha), beta: yield* Miner.start(world.beta) }
  const prober = Prober.make(isTimed)
  yield* probing(world, prober, builder)
  const traffic = Traffic.make(world, reserved, isTimed)
  return { world, miners, traffic, prober, builder, alarms: Alarms.make(world) } satisfies Stage
})

const probing = Effect.fnUntraced(function* (
  { alpha, owners, slots }: World.World,
  prober: Prober.Prober,
  builder: BuilderBackend.BuilderBackend
) {
  const owner = owners.at(-1)?.address ?? "0x"
  const sweep = { owner, chain: alpha.info, tokenIn: TOKEN_IN, amountIn: AMOUNT_IN, tokenOut: TOKEN_OUT }
  // Without a hint, the service has to ask all chains for the source.
  const { route: _, ...unhinted } = SweepClient.quoteBody(sweep)
  for (const slot of slots) yield* prober.probe(slot, Prober.orchestratorProbes(owner, unhinted))
  yield* prober.probe(builder.target, Prober.builderProbes(BuilderBackend.TOKEN))
})

/** A round of settle times of both chains without any fault, before so many steps. */
const baseline = Effect.fnUntraced(function* ({ traffic, world: { alpha, beta } }: Stage, steps: number) {
  const bursts = Math.max(FEWEST_BURSTS, steps)
  // The first quotes and sweeps of a process are slower than all others, and steps may have started processes anew.
  for (const place of [alpha, beta]) yield* traffic.healthy(place)
  const results = yield* Effect.forEach(Array.from({ length: bursts }), (_, index) =>
    traffic.healthy(index % 2 === 0 ? alpha : beta)
  )
  return { times: results.flatMap(({ times }) => times), findings: results.flatMap(({ findings }) => findings) }
})

/** Intents that failed since the last call. */
const failures = ({ world: { sql } }: Stage) => {
  const known = new Set<string>()
  return Effect.map(
    sql<{ id: string; reason: string }>`
      SELECT id, failure_reason || ': ' || coalesce(failure_detail, '') AS reason FROM orchestrator.intents
      WHERE status = 'failed'`,
    (rows) => {
      const fresh = rows.filter(({ id }) => !known.has(id))
      for (const { id } of fresh) known.add(id)
      return fresh.map(({ id, reason }) => `${id} failed: ${reason}`)
    }
  )
}

const shown = ({ details, key, message }: Alarms.Alarm) => `${key}: ${message} ${JSON.stringify(details)}`

/** Makes the check after a step. False if the service does not come to rest. */
const makeChecked = (staged: Stage, found: Found) => {
  const failed = failures(staged)
  const known = new Map<string, bigint>()
  // Requests that a fault swallowed may time out, and raise their alert, when the next step has begun.
  let previous: Planned["step"] | undefined
  return Effect.fnUntraced(function* ({ step }: Planned) {
    const { alarms, world } = staged
    const within = (each: string) => `${step.name}: ${each}`
    yield* world.client.followUp(world.slots[0]?.url ?? "")
    const isQuiet = yield* world.quiet
    if (!isQuiet) found.others.push(within("the service did not come to rest"))
    const lasting = yield* alarms.lasting
    found.lastingAlerts.push(...lasting.map((alarm) => within(`stays: ${shown(alarm)}`)))
    const raised = yield* alarms.raised
    found.falseAlerts.push(
      ...raised
        .filter((alarm) => !step.explains(alarm) && previous?.explains(alarm) !== true)
        .map((alarm) => within(shown(alarm)))
    )
    previous = step
    const unexpected = yield* failed
    if (!step.mayFail) found.others.push(...unexpected.map(within))
    for (const { chain, wei } of yield* Books.differences(world)) {
      // A difference stays, so only its change belongs to this step.
      const fresh = wei - (known.get(chain) ?? 0n)
      if (fresh > 0n) found.unbalanced.push(within(`${fresh} wei of ${chain} are paid and not booked`))
      if (fresh < 0n) found.unbalanced.push(within(`${-fresh} wei of ${chain} are booked and not paid`))
      known.set(chain, wei)
    }
    return isQuiet
  })
}

/** Tells findings that were not told before. */
const makeTellFresh = (found: Found, tell: (line: string) => Effect.Effect<void>) => {
  const told = new Set<string>()
  return Effect.gen(function* () {
    const all = Object.values(found).flat()
    const fresh = all.filter((known) => !told.has(known))
    for (const finding of fresh.slice(0, LISTED)) yield* tell(`found: ${finding}`)
    if (fresh.length > LISTED) yield* tell(`found: ${fresh.length - LISTED} more in this step`)
    for (const finding of all) told.add(finding)
  })
}

export interface Played {
  readonly observed: Checker.Observed
  readonly contradicted: ReadonlyArray<string>
  readonly bars: ReadonlyArray<Bars.Bar>
  readonly found: Found
  readonly late: ReadonlyArray<Bars.Response>
  /** Steps that were played. Fewer than planned if the service did not come to rest. */
  readonly steps: number
}

/** Plays all steps. One after which the service does not come to rest is the last. */
export const run = Effect.fn("Steps.run")(function* (
  planned: ReadonlyArray<Planned>,
  { directory, isTimed }: { readonly directory: string; readonly isTimed: boolean },
  tell: (line: string) => Effect.Effect<void>
) {
  const staged = yield* stage(planned.length, directory, isTimed)
  const { prober, world } = staged
  const found: Found = { others: [], unbalanced: [], falseAlerts: [], lastingAlerts: [] }
  yield* staged.alarms.raised
  const settle = { baseline: new Array<number>(), beside: new Array<number>() }
  const check = makeChecked(staged, found)
  const tellFresh = makeTellFresh(found, tell)
  let steps = 0
  for (const each of planned) {
    const { step } = each
    if (steps % STEPS_PER_ROUND === 0) {
      prober.note("baseline")
      const round = yield* baseline(staged, Math.min(STEPS_PER_ROUND, planned.length - steps))
      settle.baseline.push(...round.times)
      found.others.push(...round.findings.map((finding) => `baseline: ${finding}`))
      yield* tell(`baseline: ${round.times.length} sweeps, p99 ${Bars.percentile(round.times, 0.99)} ms`)
    }
    prober.note(step.name)
    const began = performance.now()
    const exit = yield* Effect.exit(Effect.scoped(step.play(staged)))
    steps += 1
    if (Exit.isSuccess(exit)) {
      settle.beside.push(...exit.value.beside)
      found.others.push(...exit.value.findings.map((finding) => `${step.name}: ${finding}`))
    } else found.others.push(`${step.name}: ${reasonOf(exit.cause)}`)
    const isQuiet = yield* check(each)
    const seconds = ((performance.now() - began) / 1_000).toFixed(1)
    yield* tell(`${steps} of ${planned.length}: ${step.name}, ${seconds} s`)
    yield* tellFresh
    if (!isQuiet) break
  }
  const observed = yield* world.observe
  const { asked, late, slowest } = prober.report()
  const counted = {
    settle,
    asked,
    late: late.length,
    slowest,
    lost: Checker.lost(observed),
    sentTwice: [...Checker.double(observed), ...(yield* Books.sentTwice(world))],
    calledFailed: Books.calledFailed(observed),
    ...found
  }
  const contradicted = world.backend.contradicted()
  const bars = Bars.judge(counted, isTimed)
  return { observed, contradicted, bars, found, late: isTimed ? late : [], steps } satisfies Played
}, Effect.scoped)
