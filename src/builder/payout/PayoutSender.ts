/**
 * Pays a batch with the vault's key, on the machine that has it: signs, records, broadcasts, and books. The backend stores each
 * signed version before it is broadcast, so that the next run, on any machine, finishes what a crashed run began.
 */
import { Clock, Context, Effect, Layer, Option, Ref, Schedule, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import type { PayoutPayment } from "../../domain/PayoutPayment.ts"
import { PayoutRegister } from "../../ports/builder/PayoutRegister.ts"
import { PayoutClosed } from "../../ports/builder/Payouts.ts"
import { VaultKey } from "../../ports/builder/VaultKey.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as PaymentApproval from "./PaymentApproval.ts"
import { observe } from "./PaymentObserving.ts"
import * as PaymentPlan from "./PaymentPlan.ts"
import { type PaymentRefused, refused } from "./PaymentRefused.ts"
import * as PaymentSigning from "./PaymentSigning.ts"

/** The payment is broadcast and not confirmed yet. */
export class PaymentPending extends Schema.TaggedError<PaymentPending>()("PaymentPending", { id: Schema.String }) {
  override get message(): string {
    return `the payment of batch ${this.id} is not confirmed yet. Run the command again to continue; nothing is paid twice`
  }
}

/** Events of a payment, for the person who waits for it. */
export type PaymentProgress =
  | { readonly _tag: "Approving"; readonly token: Address.Address; readonly permit2: Address.Address }
  | { readonly _tag: "Approved"; readonly txHash: Hash }
  | { readonly _tag: "Recorded"; readonly txHash: Hash; readonly total: bigint; readonly lines: number }
  | { readonly _tag: "Broadcast"; readonly txHash: Hash }
  | { readonly _tag: "Mined"; readonly txHash: Hash }

export interface Options extends PaymentSigning.SigningOptions, PaymentApproval.ApprovalOptions {
  /** Milliseconds that one run waits for the payment to be confirmed. */
  readonly patienceMillis: number
}

const DEFAULTS: Options = {
  pollMillis: 1_000,
  patienceMillis: 600_000,
  bumpMillis: 60_000,
  lifetimeSeconds: 3_600
}

/** A version with fewer seconds left than this is replaced. */
const MARGIN_SECONDS = 60n

type Tell = (progress: PaymentProgress) => Effect.Effect<void>

/** The version that this run broadcast last, and when. */
type LastBroadcast = Ref.Ref<{ readonly txHash?: Hash; readonly atMs: number }>

const broadcast = Effect.fnUntraced(function* (
  last: LastBroadcast,
  tell: Tell,
  client: ChainClient,
  { raw, txHash }: PayoutPayment
) {
  yield* client.send(raw).pipe(
    // The node may have passed the transaction on, whatever it answered. The next look tells.
    Effect.catchTag("SendRejected", (rejected) =>
      rejected.reason === "Invalid" || rejected.reason === "TooLarge" || rejected.reason === "GasAboveBlock"
        ? Effect.fail(rejected)
        : Effect.annotateLogs(Effect.logWarning("payout.rejected"), { txHash, detail: rejected.message })
    )
  )
  const { txHash: before } = yield* Ref.get(last)
  if (before !== txHash) yield* tell({ _tag: "Broadcast", txHash })
  yield* Ref.set(last, { txHash, atMs: yield* Clock.currentTimeMillis })
})

/** One look at a batch, with its client and what is to be done. */
interface Look {
  readonly batch: PayoutBatch
  readonly client: ChainClient
  readonly seen: PaymentPlan.Observation
  readonly last: LastBroadcast
  readonly tell: Tell
}

/** Makes `act(look, plan)`, which carries out a plan. Returns the batch once it is paid. */
const makeAct = Effect.fnUntraced(function* (options: Options) {
  const register = yield* PayoutRegister
  const vault = yield* VaultKey
  const approve = yield* PaymentApproval.make(options)
  const sign = yield* PaymentSigning.make(options)

  const book = (id: string, txHash: Hash) =>
    register.markPaid(id, txHash).pipe(
      Effect.asSome,
      // The backend's node may be behind this one.
      Effect.catchTag("PaymentUnproven", (unproven) =>
        unproven.reason === "not_mined" || unproven.reason === "not_confirmed"
          ? Effect.succeedNone
          : Effect.fail(unproven)
      )
    )

  const signNext = Effect.fnUntraced(function* (
    { batch, client, last, seen, tell }: Look,
    plan: PaymentPlan.PaymentPlan & { readonly _tag: "Sign" }
  ) {
    const recorded = yield* sign(client, batch, plan, seen.head.timestamp).pipe(
      Effect.asSome,
      // Another run recorded a payment at the same time. This one continues with that.
      Effect.catchTag("PaymentInFlight", () => Effect.succeedNone)
    )
    const payment = Option.getOrUndefined(recorded)?.payments?.at(-1)
    if (payment === undefined) return
    yield* tell({ _tag: "Recorded", txHash: payment.txHash, total: batch.total, lines: batch.lines.length })
    yield* broadcast(last, tell, client, payment)
  })

  return Effect.fnUntraced(function* (look: Look, plan: PaymentPlan.PaymentPlan) {
    const { batch, client, last, seen, tell } = look
    const { chain } = client
    const newest = batch.payments?.at(-1)
    switch (plan._tag) {
      case "Book":
        yield* tell({ _tag: "Mined", txHash: plan.txHash })
        return yield* book(batch.id, plan.txHash)
      case "Wait":
        return Option.none()
      case "Broadcast":
        if (newest !== undefined) yield* broadcast(last, tell, client, newest)
        return Option.none()
      case "Approve":
        yield* tell({ _tag: "Approving", token: batch.token, permit2: chain.permit2 })
        for (const amount of plan.amounts) {
          const txHash = yield* approve(client, batch.token, amount)
          // Another transaction of the vault was mined instead, and may have changed the allowance.
          if (Option.isNone(txHash)) break
          yield* tell({ _tag: "Approved", txHash: txHash.value })
        }
        return Option.none()
      case "Sign":
        yield* signNext(look, plan)
        return Option.none()
      case "Underfunded":
        return yield* refused(
          `the vault ${vault.address} holds ${seen.balance} of ${batch.token} on ${chain.name}; the batch pays ${seen.total}`
        )
      case "Stray":
        return yield* refused(
          `a transaction that is not recorded spent the batch's Permit2 nonce. Find it among those of ${vault.address}, ` +
            `then mark the batch paid with it`
        )
    }
  })
})

const makeSend = Effect.fnUntraced(function* (options: Options) {
  const act = yield* makeAct(options)
  const chains = yield* Chains
  const register = yield* PayoutRegister
  const vault = yield* VaultKey

  /** A refusal counts only while the batch is as it was seen. Otherwise the payment of another run explains it. */
  const unlessOvertaken = Effect.fnUntraced(function* (seen: PayoutBatch, refusal: PaymentRefused) {
    const now = yield* register.get(seen.id)
    const isUnchanged = now.status === seen.status && now.payments?.length === seen.payments?.length
    return isUnchanged ? yield* refusal : Option.none<PayoutBatch>()
  })

  /** Looks once and acts once. Returns the batch once it is paid. */
  const step = Effect.fnUntraced(function* (id: string, last: LastBroadcast, tell: Tell) {
    const batch = yield* register.get(id)
    if (batch.status === "paid") return Option.some(batch)
    if (batch.status === "failed") return yield* new PayoutClosed({ id, status: batch.status })
    const client = yield* chains.get(batch.chainId)
    const { chain } = client
    if (chain.builderVault !== vault.address) {
      return yield* refused(`VAULT_KEY is the key of ${vault.address}; ${chain.name}'s vault is ${chain.builderVault}`)
    }
    const { atMs, txHash } = yield* Ref.get(last)
    const look = observe(client, batch, vault.address, batch.payments?.at(-1)?.txHash === txHash ? atMs : 0)
    const first = yield* look
    // A node that is mining the payment may mix the states of two blocks for a moment, so only a second look counts.
    const seen = PaymentPlan.isPassedOver(first) ? yield* look : first
    const plan = PaymentPlan.plan(seen, { bumpMillis: options.bumpMillis, marginSeconds: MARGIN_SECONDS })
    return yield* act({ batch, client, seen, last, tell }, plan).pipe(
      Effect.catchTag("PaymentRefused", (refusal) => unlessOvertaken(batch, refusal))
    )
  })

  return Effect.fn("PayoutSender.send")(function* (id: string, tell: Tell) {
    const last: LastBroadcast = yield* Ref.make<{ readonly txHash?: Hash; readonly atMs: number }>({ atMs: 0 })
    const done = yield* step(id, last, tell).pipe(
      Effect.catchTag("ChainUnavailable", ({ message: detail }) =>
        Effect.logWarning("payout.chain_unavailable").pipe(
          Effect.annotateLogs({ detail }),
          Effect.as(Option.none<PayoutBatch>())
        )
      ),
      Effect.repeat({ schedule: Schedule.spaced(options.pollMillis), until: Option.isSome }),
      Effect.timeoutOrElse({
        duration: options.patienceMillis,
        orElse: () => Effect.fail(new PaymentPending({ id }))
      })
    )
    return yield* Option.isSome(done) ? Effect.succeed(done.value) : new PaymentPending({ id })
  })
})

export class PayoutSender extends Context.Service<
  PayoutSender,
  {
    /** Pays the batch and books it, or continues a payment that another run began. Returns the paid batch. */
    readonly send: Effect.Success<ReturnType<typeof makeSend>>
  }
>()("sweep/builder/PayoutSender") {
  static readonly layer = (options: Partial<Options> = {}) =>
    Layer.effect(
      PayoutSender,
      Effect.map(makeSend({ ...DEFAULTS, ...options }), (send) => ({ send }))
    )
}
