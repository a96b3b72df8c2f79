/** A run of attacks: one after another on one network and the same processes, beside honest users. */
import { Cause, Effect, Exit, FileSystem, Path } from "effect"
import { bytesToHex, type Hex } from "viem"
import * as World from "../World.ts"
import * as Alerts from "./Alerts.ts"
import * as Budgets from "./Budgets.ts"
import * as Clients from "./Clients.ts"
import { CROWD } from "./Crowd.ts"
import * as Fight from "./Fight.ts"
import * as Honest from "./Honest.ts"
import * as Ledger from "./Ledger.ts"
import * as Market from "./Market.ts"
import * as Reach from "./Reach.ts"
import * as Samples from "./Samples.ts"
import * as Verdict from "./Verdict.ts"
import { FEWEST_SAMPLES } from "../steps/Bars.ts"

export interface Options extends Fight.Options {
  readonly attacks: ReadonlyArray<Fight.Attack>
  /** Judges durations. False on a machine that other programs keep busy. */
  readonly isTimed: boolean
  /** Time without an attack before each, in milliseconds. */
  readonly calmMillis: number
  /** Holds the logs of the processes, which stay if a bar is missed. */
  readonly directory: string
}

/** Replicas of the service. */
const REPLICAS = 2

/** Honest sweeps that end before anything is measured: the first ones of a process take longer, and would hide a delay. */
const WARM_SWEEPS = 40

/** Ends the wait for them if they hang. The samples that follow show it. */
const WARM_MILLIS = 60_000

/** Ends an attack that hangs, in milliseconds. */
const ATTACK_MILLIS = 600_000

/** Samples of calm times that an attack is compared with, the latest ones. */
const COMPARED = 100

/** Time in which an attack is played again while it has too few samples to judge, in milliseconds. Its budgets are not renewed. */
const AGAIN_MILLIS = 45_000

const SETTINGS = {
  ...Clients.SETTINGS,
  // Defaults, which other chaos runs lift.
  BUILDER_FAILURE_BUDGET: "50",
  OWNER_FAILURE_BUDGET: "3",
  FIRST_SWEEPS_LOSS_BUDGET_WEI: "40000000000000000",
  REBROADCAST_SECONDS: "2",
  BUMP_SECONDS: "4"
}

interface Arena {
  readonly world: World.World
  readonly market: Market.Market
  readonly honest: Honest.Honest
  readonly alerts: Alerts.Alerts
}

/** Waits until so many honest sweeps have ended from now on. */
const warmed = (honest: Honest.Honest) =>
  Effect.suspend(() => {
    const until = honest.samples().length + WARM_SWEEPS
    return Effect.sleep("100 millis").pipe(Effect.repeat({ until: () => honest.samples().length >= until }))
  }).pipe(Effect.timeoutOption(WARM_MILLIS))

const arena = Effect.fnUntraced(function* ({ directory }: Options) {
  const path = yield* Path.Path
  const world = yield* World.make({
    directory,
    logFile: path.join(directory, "attacks.log"),
    confirmations: { alpha: 1, beta: 1 },
    slots: REPLICAS,
    owners: 0,
    env: SETTINGS,
    // Durations are judged here, and attackers see only what is sent.
    isTapped: false
  })
  const market = yield* Market.start(world.alpha)
  yield* Effect.forEach(world.slots, ({ up }) => up, { concurrency: "unbounded", discard: true })
  const honest = yield* Honest.start(world)
  yield* warmed(honest)
  return { world, market, honest, alerts: Alerts.make(world) } satisfies Arena
})

/** Starts the processes again with more settings. No honest sweep is under way meanwhile. */
const restarted = ({ honest, world: { slots } }: Arena, env: Readonly<Record<string, string>>) =>
  Effect.forEach(
    slots,
    (slot) =>
      Effect.andThen(
        slot.down,
        Effect.suspend(() => (slot.configure(env), slot.up))
      ),
    { concurrency: "unbounded", discard: true }
  ).pipe(honest.paused, Effect.andThen(warmed(honest)))

/** Has the settings of an attack, if it has any, until the scope closes. */
const configured = Effect.fnUntraced(function* (staged: Arena, { settings }: Fight.Attack) {
  if (settings === undefined) return
  const env = yield* settings(staged.world)
  yield* Effect.acquireRelease(restarted(staged, env), () => Effect.orDie(restarted(staged, {})))
})

const heightOf = ({ world: { alpha } }: Arena) => Ledger.height(alpha)

/** The lanes, and what they signed. */
const senderOf = ({ lanes, sql }: World.World) => ({
  lanes,
  versions: (hash: Hex) =>
    sql<{ raw: Uint8Array }>`
      SELECT raw FROM orchestrator.relay_attempts WHERE transaction_id =
        (SELECT transaction_id FROM orchestrator.relay_attempts WHERE hash = ${hash})`.pipe(
      Effect.map((rows) => rows.map(({ raw }) => bytesToHex(raw))),
      Effect.orDie
    )
})

/** Plays attacks in this arena. Durations of calm times are kept from one to the next. */
const makePlay = (staged: Arena, options: Options) => {
  const { alerts, honest, market, world } = staged
  let calm: ReadonlyArray<number> = []
  const honestOwners = new Set(honest.owners.map(({ address }) => address.toLowerCase()))

  return Effect.fnUntraced(function* (attack: Fight.Attack) {
    yield* configured(staged, attack)
    yield* Budgets.renew(world)
    const calmSince = performance.now()
    yield* Effect.sleep(options.calmMillis)
    // Sweeps that begin while it is calm end before the attack.
    yield* honest.settled
    const began = performance.now()
    const quiet = honest.samples().filter(({ since }) => since >= calmSince)
    calm = [...calm, ...Samples.durations(quiet)].slice(-COMPARED)
    yield* alerts.fresh
    const fromBlock = (yield* heightOf(staged)) + 1n
    const fight = yield* Fight.make(world, market, options)
    const beside = () => Samples.between(honest.samples(), began, performance.now())
    const waited = ({ since, until }: Honest.Sample) => market.rose(since, until)
    const isShort = () => {
      const judged = beside().filter((sample) => sample.failure === undefined && !waited(sample))
      return judged.length < FEWEST_SAMPLES && performance.now() - began < AGAIN_MILLIS
    }
    const exit = yield* (
      attack
        .play(fight)
        // Honest sweeps that wait for gas leave before the next time.
        .pipe(
          Effect.andThen(honest.settled),
          Effect.repeat({ while: () => options.isTimed && isShort() }),
          Effect.timeout(ATTACK_MILLIS),
          Effect.exit
        )
    )
    const ended = performance.now()
    yield* honest.settled
    const span = { fromBlock, toBlock: yield* heightOf(staged) }
    const ledger = yield* Ledger.read(world.alpha, senderOf(world), span, honestOwners)
    const loss = yield* ledger.lossOf(fight.ownerAddresses)
    const samples = Samples.between(honest.samples(), began, ended)
    const counts: Reach.Counts = {
      quoted: fight.tally.quoted,
      submitted: fight.tally.submitted,
      carried: loss.carried,
      settled: loss.settled,
      deeds: fight.tally.deeds,
      failedDeeds: fight.tally.failedDeeds,
      refused: Object.fromEntries(fight.tally.refused)
    }
    return {
      ...counts,
      name: attack.name,
      tokens: attack.tokens,
      attackerCost: yield* fight.purse.cost,
      relayerLoss: loss.paid - loss.earned,
      budget: attack.budget ?? (attack.tokens === "listed" ? Budgets.LISTED : Budgets.UNLISTED),
      before: calm,
      during: Samples.durations(samples.filter((sample) => !waited(sample))),
      slowest: Samples.slowest(samples.filter((sample) => !waited(sample))),
      slowestBlockMillis: Math.round(market.slowestBlock(began, ended)),
      waited: Samples.durations(samples.filter(waited)).length,
      honestFailures: Samples.failures(samples),
      alerts: yield* alerts.fresh,
      findings: [
        ...fight.findings,
        ...Reach.unreached(attack.expects, counts),
        ...(Exit.isSuccess(exit) ? [] : [`the attack broke off: ${Cause.pretty(exit.cause).split("\n")[0] ?? ""}`])
      ],
      seconds: Math.round((ended - began) / 100) / 10
    } satisfies Verdict.Outcome
  }, Effect.scoped)
}

/** Finds a difference between what the lanes paid since a block and what their transactions cost. */
const reconciled = Effect.fnUntraced(function* (
  { world }: Arena,
  before: { readonly block: bigint; readonly wei: bigint },
  toBlock: bigint
) {
  const span = { fromBlock: before.block + 1n, toBlock }
  const ledger = yield* Ledger.read(world.alpha, senderOf(world), span, new Set())
  const paid = before.wei - (yield* Ledger.balances(world.alpha, world.lanes, toBlock))
  return paid === ledger.paid ? [] : [`the lanes paid ${paid} wei, and their transactions cost ${ledger.paid} wei`]
})

type Tell = (line: string) => Effect.Effect<void>

const told = Effect.fnUntraced(function* (outcome: Verdict.Outcome, title: string, timing: Verdict.Timing, tell: Tell) {
  const refused = Object.entries(outcome.refused).map(([cause, count]) => `${count} × ${cause}`)
  yield* tell(`${title}: ${outcome.name}, ${outcome.seconds} s`)
  for (const line of Verdict.table([outcome])) yield* tell(`  ${line}`)
  if (refused.length > 0) yield* tell(`  refused: ${refused.join(", ")}`)
  if (outcome.slowest !== undefined) {
    const { quote, settlement, submission } = outcome.slowest
    yield* tell(
      `  the slowest honest sweep: ${quote} ms for its quote, ${submission} for its submission, ${settlement} until it settled`
    )
  }
  if (outcome.slowestBlockMillis !== undefined) {
    yield* tell(`  the slowest block of the chain: ${outcome.slowestBlockMillis} ms after the one before`)
  }
  if (outcome.failedDeeds.length > 0) {
    yield* tell(`  failed deeds: ${outcome.failedDeeds.length}, first: ${outcome.failedDeeds[0] ?? ""}`)
  }
  if (outcome.alerts.length > 0) yield* tell(`  alerts: ${outcome.alerts.join(", ")}`)
  const unjudged = Verdict.unjudged(outcome, timing)
  if (unjudged !== undefined) yield* tell(`  not judged: ${unjudged}`)
  for (const bar of Verdict.missed(outcome, timing)) yield* tell(`  missed: ${bar}`)
})

/** Plays the attacks after the control, if times are judged, and compares what the lanes paid with their transactions. */
export const play = Effect.fnUntraced(function* (options: Options, tell: Tell) {
  const { attacks, isTimed } = options
  const staged = yield* arena(options)
  const { world } = staged
  const block = yield* Ledger.steadyHeight(world.alpha)
  const before = { block, wei: yield* Ledger.balances(world.alpha, world.lanes, block) }
  const playOne = makePlay(staged, options)
  const controls: Array<Verdict.Outcome> = []
  if (isTimed) {
    const control = yield* playOne(CROWD)
    controls.push(control)
    yield* told(control, "control", { isTimed: false }, tell)
  }
  const timing: Verdict.Timing = { isTimed, crowd: controls.flatMap(({ during }) => during) }
  const outcomes: Array<Verdict.Outcome> = []
  for (const attack of attacks) {
    const outcome = yield* playOne(attack)
    outcomes.push(outcome)
    yield* told(outcome, `${outcomes.length} of ${attacks.length}`, timing, tell)
  }
  const missed = [
    ...controls.flatMap(Verdict.unsettled),
    ...controls.flatMap((outcome) => Verdict.missed(outcome, { isTimed: false })),
    ...outcomes.flatMap((outcome) => Verdict.missed(outcome, timing)),
    ...(yield* reconciled(staged, before, yield* Ledger.steadyHeight(world.alpha)))
  ]
  return { controls, missed, outcomes }
}, Effect.scoped)

/** Plays the attacks and tells of them line by line. The last line is JSON. */
export const run = Effect.fn("Attacks.run")(function* (options: Options, tell: Tell) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(options.directory, { recursive: true })
  const directory = yield* fs.makeTempDirectory({ directory: options.directory, prefix: "attacks-" })
  const logsKept = tell(`logs of the processes: ${directory}`)
  const { controls, missed, outcomes } = yield* play({ ...options, directory }, tell).pipe(
    Effect.onError(() => logsKept)
  )
  for (const line of Verdict.table([...controls, ...outcomes])) yield* tell(line)
  for (const bar of missed) yield* tell(`missed: ${bar}`)
  if (missed.length === 0) {
    yield* tell("every bar holds")
    yield* fs.remove(directory, { recursive: true, force: true })
  } else yield* logsKept
  yield* tell(
    JSON.stringify({
      chaos: "attacks",
      controls: controls.map(Verdict.asJson),
      attacks: outcomes.map(Verdict.asJson),
      missed
    })
  )
  return { outcomes, missed }
})
