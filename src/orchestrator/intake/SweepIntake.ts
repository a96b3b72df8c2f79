/** Accepts many orders that their owner signed once (domain/SweepBatch): all of them or none, stored before the response. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Signature from "../../domain/Signature.ts"
import * as SweepBatch from "../../domain/SweepBatch.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { NewLeg } from "../../ports/orchestrator/Sweeps.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import { type TooBusy, RequestTurns } from "../shared/RequestTurns.ts"
import * as Counting from "./Counting.ts"
import * as Covering from "./Covering.ts"
import * as Flying from "./Flying.ts"
import type { Accepted } from "./Intake.ts"
import * as Reserving from "./Reserving.ts"
import { type Leg, type Legs, makeCheckParties, makeCheckSignatures, type Signed } from "./SweepChecks.ts"
import { refuse, SubmissionRefused } from "./SubmissionRefused.ts"

/** A batch that an owner signed. */
export interface SweepSubmission extends Signed {
  /** In signing order, each once. */
  readonly quoteIds: ReadonlyArray<string>
  /** Network of the client. */
  readonly network?: string | undefined
}

export interface AcceptedSweep {
  readonly id: string
  /** In signing order. */
  readonly intents: ReadonlyArray<Accepted>
}

export class SweepIntake extends Context.Service<
  SweepIntake,
  {
    /** Checks and stores a sweep. Fails with {@link SubmissionRefused} at the first check that fails. */
    readonly submit: (submission: SweepSubmission) => Effect.Effect<AcceptedSweep, SubmissionRefused | StoreUnavailable>
    /** An identical sweep that was accepted earlier, in its present state; none when there is none. */
    readonly accepted: (submission: SweepSubmission) => Effect.Effect<Option.Option<AcceptedSweep>, StoreUnavailable>
  }
>()("sweep/orchestrator/SweepIntake") {
  static readonly layer = Layer.effect(
    SweepIntake,
    Effect.gen(function* () {
      const accept = yield* makeAccept
      const intents = yield* Intents
      const legsOf = yield* makeLegsOf
      const turns = yield* RequestTurns

      const submit = Effect.fn("SweepIntake.submit")(
        function* (submission: SweepSubmission) {
          const legs = yield* legsOf(submission.quoteIds)
          const orders = legs.map(({ intent }) => intent.order)
          const asker = { owner: legs[0].intent.order.owner, swaps: orders, network: submission.network }
          return yield* turns.take(asker)(accept(legs, submission)).pipe(Effect.catchTag("TooBusy", tooBusy))
        },
        Counting.counted,
        Priority.at("intake")
      )

      const accepted = Effect.fn("SweepIntake.accepted")(function* ({ quoteIds, signature }: SweepSubmission) {
        const found = yield* intents.findAll(quoteIds)
        const known = new Map(found.map((intent) => [intent.id, intent]))
        const sweepId = found[0]?.submission?.batch?.sweepId
        const signed = Signature.normalized(signature)
        const isSame = quoteIds.every((id, index) => {
          const submission = known.get(id)?.submission
          const batch = submission?.batch
          return (
            submission?.signature === signed &&
            batch?.sweepId === sweepId &&
            batch?.leg === index &&
            batch.legHashes.length === quoteIds.length
          )
        })
        if (sweepId === undefined || !isSame) return Option.none<AcceptedSweep>()
        const legs = quoteIds.flatMap((id): ReadonlyArray<Accepted> => {
          const intent = known.get(id)
          if (intent === undefined) return []
          const { status, txHash } = intent
          return [{ id, status, ...(txHash === undefined ? {} : { txHash }) }]
        })
        return Option.some<AcceptedSweep>({ id: sweepId, intents: legs })
      })

      return SweepIntake.of({ submit, accepted })
    })
  ).pipe(Layer.provide([StandingAlerts.layer, RequestTurns.layer]))
}

const tooBusy = ({ message, retryAfterMillis }: TooBusy) =>
  Effect.fail(new SubmissionRefused({ reason: "busy", detail: message, retryAfterMillis }))

/** Makes `accept(legs, submission)`, which makes the checks that need the chains, and stores the sweep. */
const makeAccept = Effect.gen(function* () {
  const intents = yield* Intents
  const checkParties = yield* makeCheckParties
  const checkSignatures = yield* makeCheckSignatures
  const { orRelease, reserve } = yield* Reserving.make
  const fly = yield* Flying.make
  const waitsFor = yield* Covering.make
  const random = yield* SecureRandom.SecureRandom

  /** Reserves the exposure of all legs. */
  const reserveAll = Effect.fnUntraced(function* (legs: Legs, network: string | undefined, holder: string) {
    for (const { client, intent } of legs) {
      const lack = yield* reserve(client, { ...intent, ...(network === undefined ? {} : { network }) }, holder)
      if (lack === undefined) continue
      return yield* new SubmissionRefused({
        reason: "budget_spent",
        detail: `the budget of ${lack.spent} has no room for ${intent.id}`,
        retryAfterMillis: ExposureDesk.pauseOf(lack)
      })
    }
  })

  /** Reserves what the sweep may cost, and stores it. */
  const store = Effect.fnUntraced(function* (
    legs: Legs,
    { authorizations, network, signature }: SweepSubmission,
    holder: string
  ) {
    yield* reserveAll(legs, network, holder)
    yield* fly(
      legs.map(({ intent }) => intent),
      holder
    )
    const waits = yield* Effect.forEach(legs, ({ client, intent }) => waitsFor(client, intent), {
      concurrency: "unbounded"
    })
    const id = yield* random.uuidV4()
    const stored = legs.map(({ client: { chain }, intent }, index): NewLeg => {
      const authorization = authorizations.find(({ chainId }) => chainId === chain.id)
      const waitingFor = waits[index]
      return {
        intentId: intent.id,
        legHash: SweepBatch.legHash({ chainId: chain.id, order: intent.order }),
        ...(authorization === undefined ? {} : { authorization }),
        ...(waitingFor === undefined ? {} : { waitingFor })
      }
    })
    yield* intents
      .submitSweep({
        id,
        owner: legs[0].intent.order.owner,
        signature: Signature.normalized(signature),
        legs: stored,
        ...(network === undefined ? {} : { network })
      })
      .pipe(
        Effect.catchTag("IllegalTransition", ({ from }) =>
          Effect.fail(refuse("already_submitted", `an intent is ${from}`))
        )
      )
    return { id, stored }
  })

  return Effect.fnUntraced(function* (legs: Legs, submission: SweepSubmission) {
    yield* checkParties(legs)
    yield* checkSignatures(legs, submission)
    const { id, stored } = yield* orRelease(legs)((holder) => store(legs, submission, holder))
    for (const { intent } of legs) yield* StageTimes.reached("submitted", intent, intent.createdAtMs)
    yield* Effect.logInfo("sweep.batch_submitted").pipe(Effect.annotateLogs({ sweepId: id, intents: stored.length }))
    return {
      id,
      intents: stored.map(({ intentId, waitingFor }) => ({
        id: intentId,
        status: "submitted" as const,
        ...(waitingFor === undefined ? {} : { waitingFor })
      }))
    }
  })
})

/** Makes `legsOf(quoteIds)`: the open quotes of one owner, with their chains. */
const makeLegsOf = Effect.gen(function* () {
  const chains = yield* Chains
  const intents = yield* Intents

  return Effect.fnUntraced(function* (quoteIds: ReadonlyArray<string>) {
    const known = new Map((yield* intents.findAll(quoteIds)).map((intent) => [intent.id, intent]))
    // Precedes all other checks. A client whose response was lost repeats the request, perhaps after the expiry. Any other reason
    // would tell it to have the owner sign again, and both sweeps would settle.
    for (const id of quoteIds) {
      const { status = "quoted" } = known.get(id) ?? {}
      if (status !== "quoted") return yield* refuse("already_submitted", `the intent ${id} is ${status}`)
    }
    const nowMs = yield* Clock.currentTimeMillis
    const legs = yield* Effect.forEach(quoteIds, (id) =>
      Effect.gen(function* () {
        const intent = known.get(id)
        if (intent === undefined) return yield* refuse("unknown_quote", id)
        const { quote } = intent
        if (nowMs >= quote.expiresAtMs) return yield* refuse("expired_quote", `${id} expired at ${quote.expiresAtMs}`)
        const client = yield* chains
          .get(quote.sourceChainId)
          .pipe(Effect.mapError((error) => refuse("unknown_quote", error.message)))
        return { intent, client } satisfies Leg
      })
    )
    const [first, ...others] = legs
    if (first === undefined) return yield* refuse("unknown_quote", "the sweep has no quotes")
    if (others.some(({ intent }) => intent.order.owner !== first.intent.order.owner)) {
      return yield* refuse("different_owners", "the quotes are of several owners")
    }
    return [first, ...others] satisfies Legs
  })
})
