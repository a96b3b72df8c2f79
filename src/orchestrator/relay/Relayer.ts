/**
 * Sends what owners signed: claims submitted intents, checks that each would settle now, packs them into transactions, stores
 * and broadcasts those. The watcher takes over from there. Every step leaves rows from which a restart continues.
 */
import { Array, Clock, Context, Effect, Exit, Fiber, Latch, Layer, Result, Scope, Semaphore, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { nameOf, worksOn } from "../../domain/Role.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import { type ChainClient, Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { LoopDelay } from "../../runtime/LoopDelay.ts"
import { LoopProgress } from "../../runtime/LoopProgress.ts"
import { Settlements } from "../settle/Settlements.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { SentHere } from "../shared/SentHere.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as BuilderFailures from "./BuilderFailures.ts"
import { Claimer } from "../shared/Claimer.ts"
import * as ClaimHandling from "./ClaimHandling.ts"
import * as FeeCoverWait from "./FeeCoverWait.ts"
import * as Gate from "./Gate.ts"
import * as Gathering from "./Gathering.ts"
import { LaneLoads } from "./LaneLoads.ts"
import * as LaneTurns from "./LaneTurns.ts"
import { OwnerBlocks } from "./OwnerBlocks.ts"
import * as Postponement from "./Postponement.ts"
import type { Signed } from "./Prepared.ts"

/** Time that a stopping process has to give back its claims, in milliseconds. Leases that remain expire. */
const GIVE_BACK_MILLIS = 2_000

/**
 * One of so many claims takes the oldest. The others take sweeps that were never put off first, so that sweeps whose budget is spent
 * do not stand before them in any number.
 */
const OLDEST_EVERY = 4

/** Intents that were claimed together. */
export interface Claim {
  /** Name of the claimer. Each claim has its own, since a process may claim an intent again after a lease that it has outlived. */
  readonly worker: string
  readonly intents: ReadonlyArray<Intent>
}

/** Result of one pass over a chain's queue. */
export interface RelayReport {
  /** Intents that the pass claimed. */
  readonly claimed: number
  /** Sweeps that it sent. */
  readonly sent: number
}

const NOTHING: RelayReport = { claimed: 0, sent: 0 }

export class Relayer extends Context.Service<
  Relayer,
  {
    /** Claims and relays once on a chain. Safe beside other passes, in this process and others. */
    readonly runOnce: (
      chainId: number
    ) => Effect.Effect<RelayReport, UnsupportedChain | ChainUnavailable | StoreUnavailable>
    /** Leases up to one batch of the chain's queue. */
    readonly claim: (client: ChainClient) => Effect.Effect<Claim, ChainUnavailable | StoreUnavailable>
    /** Sends, postpones or ends each claimed intent. Returns the number of sweeps it sent. */
    readonly relay: (client: ChainClient, claimed: Claim) => Effect.Effect<number, ChainUnavailable | StoreUnavailable>
    /** True if the last claim found every lane of the chain full. A new block frees some. */
    readonly isFull: (client: ChainClient) => boolean
  }
>()("sweep/orchestrator/Relayer") {
  /** Runs only when its methods are called. */
  static readonly layerOnDemand = Layer.effect(
    Relayer,
    Effect.gen(function* () {
      const chains = yield* Chains
      const intents = yield* Intents
      const isOpen = yield* Gate.make
      const ownerBlocks = yield* OwnerBlocks
      const { postpone, postponeUnanswered } = yield* Postponement.make
      const pauses = yield* Pauses.make
      const relayOn = yield* ClaimHandling.make
      const settings = yield* OrchestratorSettings
      const lanes = yield* LaneTurns.make
      const { review: reviewBuilders } = yield* BuilderFailures.make
      const { review: reviewWaiting } = yield* FeeCoverWait.make
      const name = `relayer-${yield* (yield* SecureRandom.SecureRandom).uuidV4()}`

      let claims = 0
      let turns = 0

      /** The claimed sweeps that are not paused. The others go back to the queue, since a pause ends no sweep. */
      const running = Effect.fnUntraced(function* (claimed: ReadonlyArray<Intent>) {
        const [others, paused] = yield* Effect.partition(claimed, (intent) =>
          Effect.flatMap(pauses.ofIntent(intent), (subject) =>
            subject === undefined ? Effect.succeed(intent) : Effect.fail(intent.id)
          )
        )
        yield* postpone(paused)
        return others
      })

      /** Those that have their signatures. The store sets others aside, and one that it returns all the same must not hold these. */
      const withSignatures = Effect.fnUntraced(function* (claimed: ReadonlyArray<Intent>) {
        const [signed, unsigned] = Array.partition(claimed, (intent) =>
          intent.submission === undefined
            ? Result.fail(intent.id)
            : Result.succeed<Signed>({ ...intent, submission: intent.submission })
        )
        if (unsigned.length > 0) {
          yield* Effect.logError("relay.unsigned").pipe(Effect.annotateLogs({ intents: unsigned.join(",") }))
          yield* postpone(unsigned)
        }
        return signed
      })

      const relay = Effect.fnUntraced(function* (client: ChainClient, { intents: all }: Claim) {
        const claimed = yield* withSignatures(yield* running(all))
        if (claimed.length === 0) return 0
        const ids = claimed.map(({ id }) => id)
        // Beside the checks that need no lane, since it asks the node and the database.
        const lane = yield* Effect.forkChild(lanes.next(client))
        return yield* relayOn(client, Fiber.join(lane), claimed).pipe(
          Effect.catchTags({
            ChainUnavailable: (error) => Effect.as(postponeUnanswered(client, ids, error), 0),
            NoLane: () => Effect.as(postpone(ids), 0)
          })
        )
      }, asClaimer)

      const claim = Effect.fnUntraced(function* (client: ChainClient) {
        const { id: chainId } = client.chain
        yield* ownerBlocks.review(client)
        yield* reviewWaiting(client)
        yield* reviewBuilders(client)
        const worker = `${name}-${claims++}`
        if (!(yield* isOpen(client))) return { worker, intents: [] }
        // While no lane can send, the queue is left to other workers. While all are full, sweeps gather there for the next batches.
        if (!(yield* lanes.hasLane(client))) return { worker, intents: [] }
        const { batch: limit, leaseMillis } = settings.relayer
        const order = turns++ % OLDEST_EVERY === OLDEST_EVERY - 1 ? "oldest" : "fresh"
        return yield* claimWhole(intents, { chainId, worker, leaseMillis, limit, order })
      })

      const runOnce = Effect.fn("Relayer.runOnce")(function* (chainId: number) {
        const client = yield* chains.get(chainId)
        const claimed = yield* claim(client)
        const { length } = claimed.intents
        return length === 0 ? NOTHING : { claimed: length, sent: yield* relay(client, claimed) }
      })

      return { runOnce, claim, relay, isFull: lanes.isFull }
    })
  ).pipe(
    Layer.provide([
      Settlements.layer,
      RenewedAlerts.layerOnDemand,
      StandingAlerts.layer,
      RecentIntents.layer,
      KeptVersions.layer,
      SentHere.layer,
      OwnerBlocks.layer,
      LaneLoads.layer,
      ChainLosses.layer
    ])
  )

  /** As {@link layer}, with a given delay of the event loop. */
  static readonly layerNoDeps = Layer.effectDiscard(
    Effect.gen(function* () {
      const chains = yield* Chains
      const share = yield* ProcessShare
      for (const client of chains.all) if (worksOn(share, "relay", client.chain.id)) yield* runOn(client)
    })
  ).pipe(Layer.provideMerge(Relayer.layerOnDemand))

  /** Runs on the chains of this process until the scope closes: at each submission, and every `pollMillis`. */
  static readonly layer = Relayer.layerNoDeps.pipe(Layer.provide(LoopDelay.layer))
}

/** Releases the leases of a stopping process, so that other processes need not wait until they expire. */
const giveBack = (intents: Intents["Service"], { intents: claimed, worker }: Claim) =>
  intents
    .release(
      claimed.map(({ id }) => id),
      { worker }
    )
    .pipe(Effect.timeoutOption(GIVE_BACK_MILLIS), Effect.ignore)

const leased = (intents: Intents["Service"], options: Parameters<Intents["Service"]["claim"]>[0]) =>
  Effect.map(intents.claim(options), (found): Claim => ({ worker: options.worker, intents: found }))

/** Releases what is not sent as the worker that claimed it. */
const asClaimer = <A, E, R>(relayed: Effect.Effect<A, E, R>, _client: ChainClient, { worker }: Claim) =>
  Effect.provideService(relayed, Claimer, worker)

/**
 * Claims. If interrupted, it waits for the database's answer, which may have leased intents already, and gives those back.
 */
const claimWhole = (intents: Intents["Service"], options: Parameters<Intents["Service"]["claim"]>[0]) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(leased(intents, options)), (claiming) =>
      Effect.onInterrupt(restore(Fiber.join(claiming)), () =>
        Fiber.await(claiming).pipe(
          Effect.timeout(GIVE_BACK_MILLIS),
          Effect.flatMap((exit) => (Exit.isSuccess(exit) ? giveBack(intents, exit.value) : Effect.void)),
          Effect.ignore,
          Effect.ensuring(Effect.sync(() => claiming.interruptUnsafe()))
        )
      )
    )
  )

/** Starts the loop of one chain. */
const runOn = Effect.fnUntraced(function* (client: ChainClient) {
  const { chain } = client
  const intents = yield* Intents
  const delay = yield* LoopDelay
  const keys = yield* RelayerKeys
  const { claim, isFull, relay } = yield* Relayer
  const { batch, batchesPerLane, gatherMillis, leaseMillis, pollMillis } = (yield* OrchestratorSettings).relayer
  const supervised = Background.supervisor("relayer", { chain: chain.name })
  const wake = yield* Latch.make()
  yield* intents.wakes(chain.id).pipe(
    Stream.runForEach(() => wake.open),
    Effect.forkScoped
  )
  // Natural batching: while every place is taken, arrivals gather in the queue, and the next claim takes them together.
  const places = yield* Semaphore.make(keys.lanes(chain.id).length * batchesPerLane)

  /** Batches on their way. It closes after the loop has ended, since that would claim what they give back. */
  const flights = yield* Effect.acquireRelease(Scope.make(), Scope.close)

  /** UNIX milliseconds of the newest claim that found something and left nothing. */
  let claimedAt = Number.NEGATIVE_INFINITY
  /** A first sweep waits for nobody. Those that come right after it wait a moment, and share the cost of one transaction. */
  const gathered = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const left = Gathering.leftMillis(Gathering.gatherMillis(gatherMillis, delay.millis()), { claimedAt, now })
    return left > 0 ? Effect.sleep(left) : Effect.void
  })

  let isAwaiting = false
  /** Wakes the loop at the next head. */
  const wakeAtNextHead = Effect.suspend(() => {
    if (isAwaiting) return Effect.void
    isAwaiting = true
    const next = Effect.andThen(Stream.runHead(Stream.drop(client.heads, 1)), wake.open)
    return Effect.forkIn(
      Effect.ensuring(
        next,
        Effect.sync(() => (isAwaiting = false))
      ),
      flights
    )
  })

  /** Claims one batch and relays it in a fiber of its own, which frees the place at its end. */
  const round = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const claimed = yield* restore(claim(client))
      const { length } = claimed.intents
      if (length === 0) {
        yield* places.release(1)
        if (isFull(client)) yield* wakeAtNextHead
        return
      }
      claimedAt = Gathering.leavesMore(length, batch) ? Number.NEGATIVE_INFINITY : yield* Clock.currentTimeMillis
      // After the lease others may claim the intents, so a node that does not answer must not hold the place for longer.
      const relayed = Effect.timeout(delay.measured(relay(client, claimed)), leaseMillis)
      yield* supervised(Effect.onInterrupt(relayed, () => giveBack(intents, claimed))).pipe(
        Effect.ensuring(places.release(1)),
        // A fiber that is interrupted before it starts would give nothing back.
        Effect.forkIn(flights, { startImmediately: true })
      )
      // A claim skips rows that other workers are claiming, so a batch may be full for this queue with fewer than `batch` intents.
      if (2 * length > batch) yield* wake.open
    })
  ).pipe(Effect.onError(() => places.release(1)))

  yield* Background.loop(
    supervised,
    {
      pauseMillis: pollMillis,
      wake,
      admission: Effect.andThen(places.take(1), gathered),
      ended: yield* (yield* LoopProgress).follow(nameOf({ role: "relay", chainId: chain.id }))
    },
    Priority.at("relay")(round)
  )
})
