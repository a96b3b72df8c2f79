/** Accepts a signed order: makes the spec's checks in the spec's order, and stores the submission before it answers. */
import { Clock, Context, Effect, Equal, Fiber, Layer, Option } from "effect"
import { type Address, zero } from "../../domain/Address.ts"
import * as Destination from "../../domain/Destination.ts"
import * as Generations from "../../domain/Generations.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { IntentStatus, WaitingFor } from "../../domain/Intent.ts"
import * as Signature from "../../domain/Signature.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { OrderSubmission } from "../../ports/orchestrator/Submission.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { Signatures } from "../../ports/orchestrator/Signatures.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import * as FeeRecipients from "../shared/FeeRecipients.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import * as Pauses from "../shared/Pauses.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { type TooBusy, RequestTurns } from "../shared/RequestTurns.ts"
import * as Counting from "./Counting.ts"
import * as Covering from "./Covering.ts"
import * as Flying from "./Flying.ts"
import * as Reserving from "./Reserving.ts"
import { authorizationRefusal, countedFeeRefusal, refuse, SubmissionRefused } from "./SubmissionRefused.ts"

export interface Accepted {
  readonly id: string
  readonly status: IntentStatus
  readonly txHash?: Hash
  /** Cause for which it waits before it is sent. Absent if there is none to tell. */
  readonly waitingFor?: WaitingFor
}

const asAccepted = ({ id, status, txHash }: Intent): Accepted => ({
  id,
  status,
  ...(txHash === undefined ? {} : { txHash })
})

/** Makes `requireOwner(intent, submission)`, which refuses signatures of any other account. */
const makeRequireOwner = Effect.map(Signatures, (signatures) =>
  Effect.fnUntraced(function* ({ order, orderDigest }: Intent, { authorization, signature }: OrderSubmission) {
    const [signer, authority] = yield* Effect.all([
      signatures.recover(orderDigest, signature),
      signatures.recoverAuthority(authorization)
    ])
    if (Option.getOrUndefined(signer) !== order.owner) {
      return yield* refuse("bad_signature", "the order was not signed by its owner")
    }
    if (Option.getOrUndefined(authority) !== order.owner) {
      return yield* refuse("bad_authorization", "the authorization was not signed by the order's owner")
    }
  })
)

/** Makes `refuseCountedFee(client, order, delegate)`, which refuses an order one of whose fees would count as its output. */
const makeRefuseCountedFee = Effect.map(FeeRecipients.make, (recipientOf) =>
  Effect.fnUntraced(function* (client: ChainClient, order: SweepOrder, delegate: Address) {
    const { chain } = client
    // The delegate of an earlier generation is asked for its recipient only where that can matter.
    if (!Destination.countsFees(chain, order, [order.destination])) return
    // New quotes are for the current delegate, whose recipient is known.
    const recipient = yield* recipientOf(client, delegate).pipe(
      Effect.mapError(({ message }) => refuse("expired_quote", message))
    )
    const refusal = countedFeeRefusal(
      chain,
      order,
      Option.getOrElse(recipient, () => chain.feeRecipient)
    )
    if (refusal !== undefined) return yield* refusal
  })
)

/** Makes `accept(client, intent, submission)`, which makes the checks that need the chain, and stores the submission. */
const makeAccept = Effect.gen(function* () {
  const intents = yield* Intents
  const screening = yield* Screening
  const fly = yield* Flying.make
  const { orRelease, reserve } = yield* Reserving.make
  const waitsFor = yield* Covering.make
  const requireOwner = yield* makeRequireOwner
  const refuseCountedFee = yield* makeRefuseCountedFee
  const pauses = yield* Pauses.make

  /** Reserves what the submission may cost, and stores it. */
  const store = Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Intent,
    { network, ...submission }: OrderSubmission & { readonly network: string | undefined },
    comparison: Effect.Effect<WaitingFor | undefined>,
    holder: string
  ) {
    const lack = yield* reserve(client, { ...intent, ...(network === undefined ? {} : { network }) }, holder)
    if (lack !== undefined) {
      return yield* new SubmissionRefused({
        reason: "budget_spent",
        detail: `the budget of ${lack.spent} has no room for it`,
        retryAfterMillis: ExposureDesk.pauseOf(lack)
      })
    }
    yield* fly([intent], holder)
    const waitingFor = yield* comparison
    const submitted = yield* intents
      .submit(intent.id, submission, network, waitingFor)
      .pipe(
        Effect.catchTag("IllegalTransition", (illegal) =>
          Effect.fail(refuse("already_submitted", `the intent is ${illegal.from}`))
        )
      )
    return { ...asAccepted(submitted), ...(waitingFor === undefined ? {} : { waitingFor }) }
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Intent,
    { authorization, network, signature: returned }: OrderSubmission & { readonly network?: string | undefined }
  ) {
    const { chain } = client
    const { id, order } = intent
    // Beside the screening, so that it is not a further round trip.
    const comparison = yield* Effect.forkChild(waitsFor(client, intent))
    const parties = [order.owner, order.destination]
    yield* screening
      .clear(chain.id, order.builder === zero ? parties : [...parties, order.builder])
      .pipe(
        Effect.mapError(({ cause }) =>
          refuse(cause === "listed" ? "screening_blocked" : "screening_unavailable", cause)
        )
      )
    const own = Generations.known(chain, order.nonce)
    if (own === undefined) {
      return yield* refuse("wrong_delegate", `the quote is for contracts that the settings of ${chain.name} lack`)
    }
    const refusal = authorizationRefusal(chain, authorization, own.delegate)
    if (refusal !== undefined) return yield* refusal
    yield* refuseCountedFee(client, order, own.delegate)
    const paused = yield* pauses.ofIntent(intent)
    if (paused !== undefined) return yield* refuse("chain_paused", Pauses.explained(paused))

    const signature = Signature.normalized(returned)
    yield* requireOwner(intent, { signature, authorization })

    const submitted = yield* orRelease([{ client, intent }])((holder) =>
      store(client, intent, { signature, authorization, network }, Fiber.join(comparison), holder)
    )
    yield* StageTimes.reached("submitted", intent, intent.createdAtMs)
    yield* Effect.logInfo("sweep.submitted").pipe(
      Effect.annotateLogs({ intentId: id, chainId: chain.id, deadline: order.deadline.toString() })
    )
    return submitted
  })
})

export class Intake extends Context.Service<
  Intake,
  {
    /**
     * Checks and stores a submission. Fails with {@link SubmissionRefused} at the first check that fails, and with `TooBusy` if it
     * waits too long for its turn.
     */
    readonly submit: (
      submission: OrderSubmission & {
        readonly quoteId: string
        /** Network of the client. */
        readonly network?: string | undefined
      }
    ) => Effect.Effect<Accepted, SubmissionRefused | StoreUnavailable | TooBusy>
    /** The state of an identical submission that was accepted earlier; none when there is none. */
    readonly accepted: (
      submission: OrderSubmission & { readonly quoteId: string }
    ) => Effect.Effect<Option.Option<Accepted>, StoreUnavailable>
  }
>()("sweep/orchestrator/Intake") {
  static readonly layer = Layer.effect(
    Intake,
    Effect.gen(function* () {
      const accept = yield* makeAccept
      const chains = yield* Chains
      const intents = yield* Intents
      const turns = yield* RequestTurns

      const submit = Effect.fn("Intake.submit")(
        function* (submission: OrderSubmission & { readonly quoteId: string; readonly network?: string | undefined }) {
          const { network, quoteId } = submission
          const found = yield* intents.find(quoteId)
          if (Option.isNone(found)) return yield* refuse("unknown_quote", quoteId)
          const { order, quote, status } = found.value
          const nowMs = yield* Clock.currentTimeMillis
          if (nowMs >= quote.expiresAtMs) return yield* refuse("expired_quote", `expired at ${quote.expiresAtMs}`)
          if (status !== "quoted") return yield* refuse("already_submitted", `the intent is ${status}`)
          const client = yield* chains
            .get(quote.sourceChainId)
            .pipe(Effect.mapError((error) => refuse("unknown_quote", error.message)))
          return yield* turns.take({ owner: order.owner, swaps: [order], network })(
            accept(client, found.value, submission)
          )
        },
        Counting.counted,
        Priority.at("intake")
      )

      const accepted = Effect.fn("Intake.accepted")(function* ({
        authorization,
        quoteId,
        signature
      }: OrderSubmission & { readonly quoteId: string }) {
        const submission: OrderSubmission = { signature: Signature.normalized(signature), authorization }
        return Option.map(
          Option.filter(yield* intents.find(quoteId), (intent) => Equal.equals(intent.submission, submission)),
          asAccepted
        )
      })

      return Intake.of({ submit, accepted })
    })
  ).pipe(Layer.provide([StandingAlerts.layer, RequestTurns.layer]))
}
