/**
 * Sends what owners signed: claims submitted intents, makes sure that each would settle now, puts those that would into one
 * transaction, signs, stores, and only then broadcasts. What happens afterwards is the watcher's; a crash at any point leaves
 * a row from which it carries on.
 */
import { Clock, Context, Effect, Latch, Layer, Option, Semaphore, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import type * as Address from "../../domain/Address.ts"
import { type ChainClient, Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { survivor } from "../../runtime/Background.ts"
import { look } from "../shared/ChainView.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as RelayDispatch from "./Dispatch.ts"
import * as RelayGate from "./Gate.ts"
import * as RelayLanes from "./Lanes.ts"
import * as RelayPreparation from "./Preparation.ts"
import { describe, Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** How long an intent rests that could not be sent for a passing reason. */
const RETRY_MILLIS = 3_000

/** How long a process that stops may take to give back what it had claimed; the leases end by themselves. */
const GIVE_BACK_MILLIS = 2_000

/** What one pass did with the intents that it claimed. */
export interface RelayReport {
  readonly claimed: number
  readonly sent: number
}

const NOTHING: RelayReport = { claimed: 0, sent: 0 }

type Unfit = Extract<RelayPreparation.Preparation, { readonly _tag: "Unfit" }>

export class Relayer extends Context.Service<
  Relayer,
  {
    /** One pass over a chain's queue: one claim. Safe to run at any time, also beside other passes and in other processes. */
    readonly runOnce: (
      chainId: number
    ) => Effect.Effect<RelayReport, UnsupportedChain | ChainUnavailable | StoreUnavailable>
    /** Claims what a batch can hold. */
    readonly claim: (client: ChainClient) => Effect.Effect<ReadonlyArray<Intent>, ChainUnavailable | StoreUnavailable>
    /** Sends what was claimed, or says what became of it; returns how many sweeps were sent. */
    readonly relay: (
      client: ChainClient,
      claimed: ReadonlyArray<Intent>
    ) => Effect.Effect<number, ChainUnavailable | StoreUnavailable>
  }
>()("sweep/orchestrator/Relayer") {
  /** Works when told to. */
  static readonly layerOnDemand = Layer.effect(
    Relayer,
    Effect.gen(function* () {
      const alerts = yield* StandingAlerts
      const chains = yield* Chains
      const dispatch = yield* RelayDispatch.make
      const intents = yield* Intents
      const isOpen = yield* RelayGate.make
      const prepare = yield* RelayPreparation.make
      const recent = yield* RecentIntents
      const settings = yield* OrchestratorSettings
      const settlements = yield* Settlements
      const usableLanes = yield* RelayLanes.make
      const worker = `relayer-${yield* (yield* SecureRandom.SecureRandom).uuidV4()}`

      /** Chains whose lanes were all well when last looked at. */
      const healthy = new Set<number>()
      let turn = 0

      const postpone = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        if (ids.length > 0) yield* intents.release(ids, (yield* Clock.currentTimeMillis) + RETRY_MILLIS)
      })

      const isUnsent = Effect.fnUntraced(function* (intent: Intent) {
        const current = yield* intents.find(intent.id)
        return Option.exists(current, ({ status, txHash }) => status === "submitted" && txHash === intent.txHash)
      })

      const lanesOf = Effect.fnUntraced(function* (client: ChainClient) {
        const usable = yield* usableLanes(client)
        if (usable.length > 0) healthy.add(client.chain.id)
        else healthy.delete(client.chain.id)
        return usable
      })

      /** Ends an intent that cannot be sent, unless the chain says otherwise. */
      const refuse = Effect.fn("Relayer.refuse")(function* (client: ChainClient, { cause, intent, text }: Unfit) {
        // A worker whose lease had ended may have sent it meanwhile, and caused what was just seen.
        if (!(yield* isUnsent(intent))) return
        const resolution = yield* settlements.resolve(yield* look(client), intent, cause, text)
        if (resolution === "retry" || resolution === "undecided") yield* postpone([intent.id])
      })

      const send = Effect.fnUntraced(function* (
        client: ChainClient,
        conditions: RelayDispatch.Conditions,
        parcel: RelayDispatch.Parcel
      ) {
        const { lane } = conditions
        return yield* dispatch.send(client, conditions, parcel).pipe(
          Effect.tap(alerts.clear(signingFailedKey(client, lane))),
          Effect.as(parcel.intentIds.length),
          Effect.catchTags({
            SigningFailed: (error) =>
              alerts
                .raise({
                  key: signingFailedKey(client, lane),
                  severity: "critical",
                  kind: "signing_failed",
                  message: `Lane ${lane} on ${client.chain.name} cannot sign: check its key or KMS.`,
                  details: { chainId: client.chain.id, lane, detail: error.detail }
                })
                .pipe(Effect.andThen(postpone(parcel.intentIds)), Effect.as(0)),
            // Another worker sent some of them after this one's lease had ended; the others are free again.
            IntentTaken: () => Effect.as(postpone(parcel.intentIds), 0)
          })
        )
      })

      const relayOn = Effect.fn("Relayer.relay")(function* (
        client: ChainClient,
        lane: RelayLanes.Lane,
        claimed: ReadonlyArray<RelayPreparation.Signed>
      ) {
        const [prepared, fees, head] = yield* Effect.all(
          [prepare(client, lane.address, claimed), client.feesPerGas, Effect.map(look(client), ({ head }) => head)],
          { concurrency: "unbounded" }
        )
        const conditions = { head, fees, lane: lane.address, laneBalance: lane.balance, laneNonce: lane.nonce }
        const ready = prepared.flatMap((each) => (each._tag === "Ready" ? [each.ready] : []))
        recent.remember(ready.map(({ intent }) => intent))
        const sent = yield* Effect.forEach(dispatch.parcels(client, conditions, ready), (parcel) =>
          send(client, conditions, parcel)
        )
        const later = prepared.flatMap((each) => (each._tag === "Later" ? [each] : []))
        for (const { intent, text } of later) {
          yield* Effect.logWarning("sweep postponed").pipe(
            Effect.annotateLogs({ ...describe(client, intent), detail: text })
          )
        }
        yield* postpone(later.map(({ intent }) => intent.id))
        for (const each of prepared) {
          if (each._tag === "Unfit") {
            yield* refuse(client, each).pipe(
              Effect.catchTag("ChainUnavailable", (error) => unanswered(client, [each.intent.id], error))
            )
          }
        }
        return sent.reduce((sum, count) => sum + count, 0)
      })

      /** Nothing is known to have happened, and nothing is lost: what was not sent is claimed again. */
      const unanswered = (client: ChainClient, ids: ReadonlyArray<string>, error: ChainUnavailable) =>
        Effect.logWarning("sweeps postponed: the node did not answer").pipe(
          Effect.annotateLogs({ chain: client.chain.name, intents: ids.join(","), detail: error.message }),
          Effect.andThen(postpone(ids))
        )

      const relay = Effect.fnUntraced(function* (client: ChainClient, claimed: ReadonlyArray<Intent>) {
        const ids = claimed.map(({ id }) => id)
        const lanes = yield* lanesOf(client).pipe(Effect.tapError(() => postpone(ids)))
        const lane = lanes[turn++ % lanes.length]
        if (lane === undefined) return yield* Effect.as(postpone(ids), 0)
        return yield* relayOn(client, lane, yield* Effect.forEach(claimed, withSignatures)).pipe(
          Effect.catchTag("ChainUnavailable", (error) => Effect.as(unanswered(client, ids, error), 0))
        )
      })

      const claim = Effect.fnUntraced(function* (client: ChainClient) {
        const { id: chainId } = client.chain
        if (!(yield* isOpen(client))) return []
        // While no lane can send, the queue is left to workers that can.
        if (!healthy.has(chainId) && (yield* lanesOf(client)).length === 0) return []
        const { batch: limit, leaseMillis } = settings.relayer
        return yield* intents.claim({ chainId, worker, leaseMillis, limit })
      })

      const runOnce = Effect.fn("Relayer.runOnce")(function* (chainId: number) {
        const client = yield* chains.get(chainId)
        const claimed = yield* claim(client)
        return claimed.length === 0 ? NOTHING : { claimed: claimed.length, sent: yield* relay(client, claimed) }
      })

      return { runOnce, claim, relay }
    })
  ).pipe(Layer.provide([Settlements.layer, StandingAlerts.layer, RecentIntents.layer]))

  /** Works on every chain for as long as the scope lives: when woken, and on a timer. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const chains = yield* Chains
      const intents = yield* Intents
      const keys = yield* RelayerKeys
      const { claim, relay } = yield* Relayer
      const { batch, batchesPerLane, pollMillis } = (yield* OrchestratorSettings).relayer
      for (const client of chains.all) {
        const { chain } = client
        const work = yield* Latch.make()
        yield* intents.wakes.pipe(
          Stream.runForEach(() => work.open),
          Effect.forkScoped
        )
        // Natural batching: while every place is taken, arrivals gather in the queue, and the next claim takes them together.
        const places = yield* Semaphore.make(keys.lanes(chain.id).length * batchesPerLane)
        const survive = survivor(`relayer on ${chain.name}`)

        /** A process that is told to stop leaves what it has not stored to others, without their waiting for its leases. */
        const giveBack = (claimed: ReadonlyArray<Intent>) =>
          intents.release(claimed.map(({ id }) => id)).pipe(Effect.timeoutOption(GIVE_BACK_MILLIS), Effect.ignore)

        /** Claims one batch and leaves it to a fiber of its own. */
        const next = Effect.gen(function* () {
          // The latch is closed before the queue is read, so that a wake meanwhile is not lost.
          yield* work.close
          const claimed = yield* claim(client)
          if (claimed.length === 0) {
            yield* places.release(1)
            return
          }
          yield* survive(relay(client, claimed)).pipe(
            Effect.onInterrupt(() => giveBack(claimed)),
            Effect.ensuring(places.release(1)),
            Effect.forkScoped
          )
          // A claim passes over what others are just taking, so a full one is not always full to the brim.
          if (2 * claimed.length > batch) yield* work.open
        }).pipe(Effect.onError(() => places.release(1)))

        yield* places
          .take(1)
          .pipe(
            Effect.andThen(survive(next)),
            Effect.andThen(Effect.timeoutOption(work.await, pollMillis)),
            Effect.forever,
            Effect.forkScoped
          )
      }
    })
  ).pipe(Layer.provideMerge(Relayer.layerOnDemand))
}

const signingFailedKey = ({ chain }: ChainClient, lane: Address.Address): string => `signing_failed:${chain.id}:${lane}`

const withSignatures = (intent: Intent): Effect.Effect<RelayPreparation.Signed> =>
  intent.submission === undefined
    ? Effect.die(new Error("a claimed intent has no signatures"))
    : Effect.succeed({ ...intent, submission: intent.submission })
