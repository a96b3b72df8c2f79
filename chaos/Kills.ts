/** Processes die at every step of a sweep, and at any other moment, while a client goes on sweeping. */
import { Deferred, Effect, Fiber, Random, Schedule } from "effect"
import { type Call, pass } from "../test/support/FaultProxy.ts"
import { KILL_POINTS, type KillPoint, reaction } from "./KillPoints.ts"
import type * as Client from "./Client.ts"
import { AMOUNT_IN, TOKEN_IN, TOKEN_OUT, walletOn } from "./Holdings.ts"
import type { Slot } from "./Slot.ts"
import type { World } from "./World.ts"

/** Target and time of the kill of a round. */
type Kill =
  | { readonly _tag: "Point"; readonly point: KillPoint }
  | { readonly _tag: "Moment"; readonly millis: number }
  | { readonly _tag: "Database"; readonly millis: number }

export interface Round {
  readonly kill: Kill
  /** True if all processes die, false if only the one that reached the point dies. */
  readonly everybody: boolean
  readonly sweeps: ReadonlyArray<{
    readonly owner: number
    readonly ways: Ways
    /** True for a sweep of the owner's tokens on both chains under one signature. */
    readonly isWallet: boolean
    readonly delay: number
  }>
}

/** By which ways a sweep's tokens go: a swap, the bridge, or one after the other. */
interface Ways {
  readonly isSwapped: boolean
  readonly isBridged: boolean
}

/** Result of a round. */
export interface Killed {
  readonly name: string
  /** True if the named point was reached. Always true for other kills, which have a fixed time. */
  readonly reached: boolean
}

const SWEEPS = { from: 2, to: 4 }
const STAGGER_MILLIS = 60
const MOMENT_MILLIS = 500
/** Of all sweeps, the share that only crosses the bridge, and the share that is swapped before it. */
const BRIDGED_SHARE = 0.125
const SWAPPED_AND_BRIDGED_SHARE = 0.125
/** Of all sweeps, the share that is a wallet's. */
const WALLET_SHARE = 0.25

/** Between the named points, in each deck of them: kills at any moment, and of the database. */
const MOMENTS = 4
const DATABASES = 3

/** Maximum time to wait for a named point. The process is killed after it in any case. */
const POINT_MILLIS = 6_000

/** Between blocks: so that transactions are found waiting, mined and confirmed. */
const BLOCK_MILLIS = 150

/** Name of a kill of the database. */
export const DATABASE = "PostgreSQL"

const nameOf = (kill: Kill): string => {
  switch (kill._tag) {
    case "Point":
      return kill.point.name
    case "Moment":
      return "at any moment"
    case "Database":
      return DATABASE
  }
}

/** Every point comes once before any comes again. */
export const plan = Effect.fnUntraced(function* (count: number, owners: number) {
  const moment = Random.nextIntBetween(0, MOMENT_MILLIS)
  const kills: Array<Kill> = []
  while (kills.length < count) {
    const deck: Array<Kill> = KILL_POINTS.map((point) => ({ _tag: "Point", point }))
    for (let index = 0; index < MOMENTS; index++) deck.push({ _tag: "Moment", millis: yield* moment })
    for (let index = 0; index < DATABASES; index++) deck.push({ _tag: "Database", millis: yield* moment })
    kills.push(...(yield* Random.shuffle(deck)))
  }
  return yield* Effect.forEach(
    kills.slice(0, count),
    Effect.fnUntraced(function* (kill) {
      const sweeps = yield* Effect.replicateEffect(
        Effect.all({
          owner: Random.nextIntBetween(0, owners, { halfOpen: true }),
          ways: Effect.map(Random.next, (draw) => ({
            isSwapped: draw >= BRIDGED_SHARE,
            isBridged: draw < BRIDGED_SHARE + SWAPPED_AND_BRIDGED_SHARE
          })),
          isWallet: Effect.map(Random.next, (draw) => draw < WALLET_SHARE),
          delay: Random.nextIntBetween(0, STAGGER_MILLIS)
        }),
        yield* Random.nextIntBetween(SWEEPS.from, SWEEPS.to)
      )
      return { kill, everybody: yield* Random.nextBoolean, sweeps } satisfies Round
    })
  )
})

/** Blocks come on both chains until the scope closes. */
const mine = Effect.fnUntraced(function* ({ alpha, beta }: World) {
  for (const { dev } of [alpha, beta]) {
    yield* Effect.acquireRelease(
      dev.node.ask("mine when told", (node) => node.setAutomine(false)),
      () => Effect.orDie(dev.node.ask("mine at once", (node) => node.setAutomine(true)))
    )
    yield* dev.node
      .ask("mine", (node) => node.mine({ blocks: 1 }))
      .pipe(Effect.repeat(Schedule.spaced(BLOCK_MILLIS)), Effect.orDie, Effect.forkScoped)
  }
})

/** Notes that a process got there; false when it is too late to die for it. */
type Hit = (slot: Slot) => boolean

const arm = (slots: ReadonlyArray<Slot>, { sight }: KillPoint, caught: Hit) =>
  Effect.forEach(
    slots,
    Effect.fnUntraced(function* (slot) {
      const hit = () => caught(slot)
      switch (sight.at) {
        case "database":
          return slot.tap.set(sight, hit)
        case "backend":
          return slot.backend.set(sight, hit)
        case "node": {
          const react = (call: Call) => (sight.isSuch(call) ? reaction(sight.when, hit) : pass)
          yield* slot.alpha.react(react)
          return yield* slot.beta.react(react)
        }
        case "client":
          return undefined
      }
    }),
    { discard: true }
  )

const disarm = (slots: ReadonlyArray<Slot>) =>
  Effect.forEach(
    slots,
    Effect.fnUntraced(function* (slot) {
      slot.tap.unset()
      slot.backend.unset()
      yield* slot.alpha.react(() => pass)
      yield* slot.beta.react(() => pass)
    }),
    { discard: true }
  )

/** One kill while sweeps are submitted. All processes run again afterwards. */
export const playRound = Effect.fn("Kills.round")(function* (world: World, { everybody, kill, sweeps }: Round) {
  const { alpha, beta, client, crashDatabase, owners, slots } = world
  const slotOf = (index: number): Slot => {
    const slot = slots[index % slots.length]
    if (slot === undefined) throw new Error("a world has slots")
    return slot
  }
  const offered = yield* Effect.forEach(
    sweeps,
    ({ isWallet, owner, ways }, index): Effect.Effect<Client.Sweep | Client.Batch | undefined> => {
      const account = owners[owner]
      if (account === undefined) return Effect.die(new Error("there is no such owner"))
      const { url } = slotOf(index)
      return isWallet
        ? client.quoteBatch(url, account, { tokens: walletOn([alpha, beta]), destination: alpha, tokenOut: TOKEN_OUT })
        : client.quote(url, account, {
            chain: alpha.info,
            tokenIn: TOKEN_IN,
            amountIn: AMOUNT_IN,
            tokenOut: ways.isSwapped ? TOKEN_OUT : TOKEN_IN,
            ...(ways.isBridged ? { destChain: beta.info } : {})
          })
    },
    { concurrency: "unbounded" }
  )

  const caught = new Set<Slot>()
  const first = yield* Deferred.make<void>()
  let isOver = false
  const hit: Hit = (slot) => {
    if (isOver) return false
    caught.add(slot)
    Deferred.doneUnsafe(first, Effect.void)
    return true
  }
  if (kill._tag === "Point") yield* arm(slots, kill.point, hit)
  const submissions = yield* Effect.forEach(
    offered,
    Effect.fnUntraced(function* (sweep, index) {
      if (sweep === undefined) return
      yield* Effect.sleep(sweeps[index]?.delay ?? 0)
      const slot = slotOf(index)
      const answer = yield* client.submit(slot.url, sweep)
      if (answer === "acknowledged" && kill._tag === "Point" && kill.point.sight.at === "client") hit(slot)
    }),
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.forkChild)

  if (kill._tag === "Point") yield* Effect.timeoutOption(Deferred.await(first), POINT_MILLIS)
  else yield* Effect.sleep(kill.millis)
  isOver = true
  const reached = kill._tag !== "Point" || caught.size > 0
  if (kill._tag === "Database") yield* crashDatabase
  else {
    const isDying = (slot: Slot) => everybody || (caught.size > 0 ? caught.has(slot) : slot === slotOf(0))
    yield* Effect.forEach(slots.filter(isDying), ({ down }) => down, { concurrency: "unbounded", discard: true })
  }
  yield* disarm(slots)
  yield* Effect.forEach(slots, ({ up }) => up, { concurrency: "unbounded", discard: true })
  yield* Fiber.join(submissions)
  yield* client.followUp(slotOf(0).url)
  return { name: nameOf(kill), reached } satisfies Killed
})

/** Plays all rounds, then lets the service finish; false where it does not. */
export const run = Effect.fn("Kills.run")(function* (
  world: World,
  rounds: ReadonlyArray<Round>,
  impatient: boolean,
  tell: (done: number, killed: Killed) => Effect.Effect<void>
) {
  yield* Effect.forEach(world.slots, ({ up }) => up, { concurrency: "unbounded", discard: true })
  yield* mine(world)
  const killed = yield* Effect.forEach(rounds, (round, index) =>
    Effect.tap(playRound(world, round), (happened) => tell(index + 1, happened))
  )
  if (impatient) yield* world.endLeases
  const isQuiet = yield* world.quiet
  return { killed, isQuiet }
}, Effect.scoped)
