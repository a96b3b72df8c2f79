/**
 * Sends what owners signed: claims submitted intents, makes sure that each would settle now, signs, stores, and only then
 * broadcasts. What happens afterwards is the watcher's; a crash at any point leaves a row from which it carries on.
 */
import { Clock, Context, Effect, Latch, Layer, Option, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Address from "../domain/Address.ts"
import { choose } from "../domain/AuthorizationChoice.ts"
import { accountCode, designator } from "../domain/Delegation.ts"
import { size } from "../domain/Hex.ts"
import { sweepGasLimit } from "../domain/RelayGas.ts"
import type { Cause } from "../domain/SweepVerdict.ts"
import { type ChainClient, Chains, type ChainUnavailable, type UnsupportedChain } from "../ports/Chains.ts"
import { type Intent, Intents, type Submission } from "../ports/Intents.ts"
import { type IntentTaken, RelayTransactions } from "../ports/RelayTransactions.ts"
import type { SigningFailed, UnsignedTransaction } from "../ports/RelayerKeys.ts"
import { Screening } from "../ports/Screening.ts"
import type { StoreUnavailable } from "../ports/Store.ts"
import { SweepContracts } from "../ports/SweepContracts.ts"
import { survive } from "./Background.ts"
import { look } from "./ChainView.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import * as RelayBroadcast from "./RelayBroadcast.ts"
import * as RelayLanes from "./RelayLanes.ts"
import * as RelaySigning from "./RelaySigning.ts"
import { describe, Settlements } from "./Settlements.ts"
import { StandingAlerts } from "./StandingAlerts.ts"

/** Intents that one pass claims, and prepares side by side. */
const CLAIM = 16

/** How long an intent rests that could not be sent for a passing reason. */
const RETRY_MILLIS = 3_000

/** What one pass did with the intents that it claimed. */
export interface RelayReport {
  readonly claimed: number
  readonly sent: number
}

/** What became of one claimed intent. `postponed` is claimed again later. */
type Outcome = "sent" | "ended" | "postponed"

/** How an intent is to be sent, or why not; `text` is for people. */
type Preparation =
  | { readonly _tag: "Ready"; readonly content: Omit<UnsignedTransaction, "nonce"> }
  | { readonly _tag: "Unfit"; readonly cause: Cause; readonly text: string }
  | { readonly _tag: "Later"; readonly text: string }

export class Relayer extends Context.Service<
  Relayer,
  {
    /** One pass over a chain's queue. Safe to run at any time, also beside other passes and in other processes. */
    readonly runOnce: (
      chainId: number
    ) => Effect.Effect<RelayReport, UnsupportedChain | ChainUnavailable | StoreUnavailable>
  }
>()("sweep/orchestrator/Relayer") {
  /** Works when told to. */
  static readonly layerOnDemand = Layer.effect(
    Relayer,
    Effect.gen(function* () {
      const alerts = yield* StandingAlerts
      const broadcast = yield* RelayBroadcast.make
      const chains = yield* Chains
      const contracts = yield* SweepContracts
      const intents = yield* Intents
      const screening = yield* Screening
      const settings = yield* OrchestratorSettings
      const settlements = yield* Settlements
      const signAttempt = yield* RelaySigning.make
      const transactions = yield* RelayTransactions
      const usableLanes = yield* RelayLanes.make
      const worker = `relayer-${yield* (yield* SecureRandom.SecureRandom).uuidV4()}`

      /** Chains whose lanes were all well when last looked at. */
      const healthy = new Set<number>()

      const postpone = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
        yield* intents.release(ids, (yield* Clock.currentTimeMillis) + RETRY_MILLIS)
      })

      const isUnsent = Effect.fnUntraced(function* (intent: Intent) {
        const current = yield* intents.find(intent.id)
        return Option.exists(current, ({ status, txHash }) => status === "submitted" && txHash === intent.txHash)
      })

      /** A clearance that is older than its lifetime is asked for again; without an answer, nothing is sent. */
      const screen = Effect.fnUntraced(function* (client: ChainClient, { order, submittedAtMs = 0 }: Intent) {
        const age = (yield* Clock.currentTimeMillis) - submittedAtMs
        if (age <= settings.clearanceLifetimeMillis) return "clear" as const
        const parties = [order.owner, order.destination, order.builder].filter((party) => !Address.isZero(party))
        return yield* screening.clear(client.chain.id, [...new Set(parties)]).pipe(
          Effect.as("clear" as const),
          Effect.catchTag("ScreeningBlocked", (blocked) => Effect.succeed(blocked.cause))
        )
      })

      const prepare = Effect.fn("Relayer.prepare")(function* (
        client: ChainClient,
        lane: Address.Address,
        intent: Intent,
        { authorization, signature }: Submission
      ): Effect.fn.Return<Preparation, ChainUnavailable> {
        const { chain } = client
        const { order } = intent
        const screened = yield* screen(client, intent)
        if (screened === "listed") {
          return unfit("screening_blocked", "a party to the order is listed")
        }
        if (screened === "unavailable") return { _tag: "Later", text: "screening gave no answer" }

        const [code, latest, pending, fees] = yield* Effect.all(
          [
            client.code(order.owner),
            client.transactionCount(order.owner, "latest"),
            client.transactionCount(order.owner, "pending"),
            client.feesPerGas
          ],
          { concurrency: "unbounded" }
        )
        const choice = choose({
          account: accountCode(code),
          authorization,
          accountNonce: { latest, pending },
          chainId: chain.id,
          delegate: chain.contracts.delegate
        })
        if (choice._tag === "Refuse") return unfit(choice.reason, choice.detail)
        if (choice._tag === "Later") return { _tag: "Later", text: "the owner has a pending transaction" }

        const authorizationList = choice._tag === "Attach" ? [authorization] : []
        const data = contracts.encodeExecute(order, signature)
        const [simulated] = yield* client.simulate(
          [{ from: lane, to: order.owner, data }],
          choice._tag === "Attach"
            ? { codeOverrides: [{ address: order.owner, code: designator(chain.contracts.delegate) }] }
            : {}
        )
        // An account without our code accepts any call and does nothing, so the returned amount is asked for as well.
        if (simulated?.success !== true || size(simulated.returnData) !== 32) {
          const revert = contracts.decodeRevert(simulated?.returnData ?? "0x")
          if (revert.name === "NonceUsed" || revert.name === "Expired") {
            return { _tag: "Unfit", cause: { _tag: "Unsent" }, text: revert.text }
          }
          const balance = yield* contracts.balanceOf(client, order.tokenIn, order.owner)
          return unfit(balance < order.amountIn ? "insufficient_balance" : "simulation_failed", revert.text)
        }
        return {
          _tag: "Ready",
          content: {
            chainId: chain.id,
            to: order.owner,
            data,
            gas: sweepGasLimit({
              simulated: simulated.gasUsed,
              quoted: intent.gas,
              authorizations: authorizationList.length
            }),
            maxFeePerGas: fees.maxFeePerGas,
            maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            authorizationList
          }
        }
      })

      const send = Effect.fn("Relayer.send")(function* (
        client: ChainClient,
        lane: Address.Address,
        intent: Intent,
        content: Omit<UnsignedTransaction, "nonce">
      ) {
        // The newest block's count, not the pending one: a foreign pending transaction may never be mined.
        const chainNonce = yield* client.transactionCount(lane, "latest")
        const transaction = yield* transactions.allocate({
          chainId: client.chain.id,
          lane,
          chainNonce,
          intentIds: [intent.id],
          sign: (nonce) => signAttempt(lane, { ...content, nonce })
        })
        yield* alerts.clear(signingFailedKey(client, lane))
        for (const attempt of transaction.attempts) yield* broadcast(client, transaction, attempt)
      })

      const relay = Effect.fn("Relayer.relay")(
        function* (
          client: ChainClient,
          lane: Address.Address,
          intent: Intent
        ): Effect.fn.Return<Outcome, ChainUnavailable | SigningFailed | IntentTaken | StoreUnavailable> {
          if (intent.submission === undefined) return yield* Effect.die(new Error("a claimed intent has no signatures"))
          const preparation = yield* prepare(client, lane, intent, intent.submission)
          switch (preparation._tag) {
            case "Ready":
              yield* send(client, lane, intent, preparation.content)
              return "sent"
            case "Later":
              yield* Effect.logWarning("sweep postponed").pipe(Effect.annotateLogs({ detail: preparation.text }))
              yield* postpone([intent.id])
              return "postponed"
            case "Unfit": {
              // A worker whose lease had ended may have sent it meanwhile, and caused what was just seen.
              if (!(yield* isUnsent(intent))) return "ended"
              const view = yield* look(client)
              const resolution = yield* settlements.resolve(view, intent, preparation.cause, preparation.text)
              if (resolution !== "retry" && resolution !== "undecided") return "ended"
              yield* postpone([intent.id])
              return "postponed"
            }
          }
        },
        (effect, client, lane, intent) =>
          effect.pipe(
            Effect.catchTags({
              // Nothing is known to have happened, and nothing is lost: the intent is claimed again.
              ChainUnavailable: (error) =>
                Effect.logWarning("sweep postponed: the node did not answer").pipe(
                  Effect.annotateLogs({ detail: error.message }),
                  Effect.andThen(postpone([intent.id])),
                  Effect.as<Outcome>("postponed")
                ),
              SigningFailed: (error) =>
                alerts
                  .raise({
                    key: signingFailedKey(client, lane),
                    severity: "critical",
                    kind: "signing_failed",
                    message: `Lane ${lane} on ${client.chain.name} cannot sign: check its key or KMS.`,
                    details: { chainId: client.chain.id, lane, detail: error.detail }
                  })
                  .pipe(Effect.andThen(postpone([intent.id])), Effect.as<Outcome>("postponed")),
              // Another worker sent it after this one's lease had ended.
              IntentTaken: () => Effect.succeed<Outcome>("ended")
            }),
            Effect.annotateLogs(describe(client, intent))
          )
      )

      const lanesOf = Effect.fnUntraced(function* (client: ChainClient) {
        const usable = yield* usableLanes(client)
        if (usable.length > 0) healthy.add(client.chain.id)
        else healthy.delete(client.chain.id)
        return usable
      })

      const runOnce = Effect.fn("Relayer.runOnce")(function* (chainId: number) {
        const client = yield* chains.get(chainId)
        // While no lane can send, the queue is left to workers that can.
        if (!healthy.has(chainId) && (yield* lanesOf(client)).length === 0) return { claimed: 0, sent: 0 }

        const { leaseMillis } = settings.relayer
        const claimed = yield* intents.claim({ chainId, worker, leaseMillis, limit: CLAIM })
        if (claimed.length === 0) return { claimed: 0, sent: 0 }
        const lanes = yield* lanesOf(client).pipe(Effect.tapError(() => postpone(claimed.map((intent) => intent.id))))
        const outcomes = yield* Effect.forEach(
          claimed,
          (intent, index) => {
            const lane = lanes[index % lanes.length]
            return lane === undefined
              ? Effect.as(postpone([intent.id]), "postponed" as const)
              : relay(client, lane, intent)
          },
          { concurrency: CLAIM }
        )
        return { claimed: claimed.length, sent: outcomes.filter((outcome) => outcome === "sent").length }
      })

      return { runOnce }
    })
  ).pipe(Layer.provide(Settlements.layer), Layer.provide(StandingAlerts.layer))

  /** Works on every chain for as long as the scope lives: when woken, and on a timer. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const chains = yield* Chains
      const intents = yield* Intents
      const relayer = yield* Relayer
      const { pollMillis } = (yield* OrchestratorSettings).relayer
      for (const { chain } of chains.all) {
        const work = yield* Latch.make()
        yield* intents.wakes.pipe(
          Stream.runForEach(() => work.open),
          Effect.forkScoped
        )
        // The latch is closed before the queue is read, so that a wake during the pass is not lost.
        yield* work.close.pipe(
          Effect.andThen(relayer.runOnce(chain.id)),
          Effect.tap(({ claimed }) => (claimed === CLAIM ? work.open : Effect.void)),
          (pass) => survive(`relayer on ${chain.name}`, pass),
          Effect.andThen(Effect.timeoutOption(work.await, pollMillis)),
          Effect.forever,
          Effect.forkScoped
        )
      }
    })
  ).pipe(Layer.provideMerge(Relayer.layerOnDemand))
}

const signingFailedKey = ({ chain }: ChainClient, lane: Address.Address): string => `signing_failed:${chain.id}:${lane}`

const unfit = (reason: (Cause & { readonly _tag: "Refused" })["reason"], text: string): Preparation => ({
  _tag: "Unfit",
  cause: { _tag: "Refused", reason },
  text
})
