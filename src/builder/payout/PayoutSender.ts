/**
 * Pays a batch with the vault's key, on the machine that has it: sign, record, then broadcast, then book. The backend keeps
 * each signed version before it leaves, so that a run that dies anywhere is finished by the next one, on any machine.
 */
import { Clock, Context, Effect, Layer, Option, Ref, Schedule, Schema } from "effect"
import { encodeFunctionData, erc20Abi, hexToBigInt } from "viem"
import type * as Address from "../../domain/Address.ts"
import { type Hash, size } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import {
  isSpent,
  paymentData,
  type PayoutPayment,
  permitTypedData,
  readPayment,
  spentData
} from "../../domain/PayoutPayment.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { PayoutRegister } from "../../ports/builder/PayoutRegister.ts"
import { PayoutClosed } from "../../ports/builder/Payouts.ts"
import { VaultKey } from "../../ports/builder/VaultKey.ts"
import * as PaymentChecks from "./PaymentChecks.ts"
import * as PaymentPlan from "./PaymentPlan.ts"

/** The payment is out and not settled yet; the next run goes on with it. */
export class PaymentPending extends Schema.TaggedError<PaymentPending>()("PaymentPending", { id: Schema.String }) {
  override get message(): string {
    return `the payment of batch ${this.id} is not settled yet; run the command again to go on, nothing is paid twice`
  }
}

/** What happened, for the person who waits. */
export type Progress =
  | { readonly _tag: "Approving"; readonly token: Address.Address; readonly permit2: Address.Address }
  | { readonly _tag: "Approved"; readonly txHash: Hash }
  | { readonly _tag: "Recorded"; readonly txHash: Hash; readonly total: bigint; readonly lines: number }
  | { readonly _tag: "Broadcast"; readonly txHash: Hash }
  | { readonly _tag: "Mined"; readonly txHash: Hash }

export interface Options {
  /** How often the chain is looked at. */
  readonly pollMillis: number
  /** How long one run waits for the payment to settle. */
  readonly patienceMillis: number
  /** A version that is not mined within this is replaced with higher fees. */
  readonly bumpMillis: number
  /** How long a version can be mined, in seconds. */
  readonly lifetimeSeconds: number
}

export const defaults: Options = {
  pollMillis: 1_000,
  patienceMillis: 600_000,
  bumpMillis: 60_000,
  lifetimeSeconds: 3_600
}

/** Of a version's life: one that has less left is replaced, in seconds. */
const MARGIN_SECONDS = 60n

const REBROADCAST_MILLIS = 15_000

const send = (options: Options) =>
  Effect.gen(function* () {
    const chains = yield* Chains
    const register = yield* PayoutRegister
    const vault = yield* VaultKey
    const { afford, clear, simulate } = yield* PaymentChecks.make(vault.address)

    const refused = (detail: string) => new PaymentChecks.PaymentRefused({ detail })

    const read = Effect.fnUntraced(function* (
      client: ChainClient,
      token: Address.Address,
      call: Parameters<typeof encodeFunctionData<typeof erc20Abi, "allowance" | "balanceOf">>[0]
    ) {
      const data = yield* client.call({ to: token, data: encodeFunctionData(call), block: "latest" })
      if (size(data) !== 32) return yield* refused(`${token} on ${client.chain.name} is not a token`)
      return hexToBigInt(data)
    })

    const observe = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch, broadcastAtMs: number) {
      const { chain } = client
      const payer = { vault: vault.address, permit2: chain.permit2 }
      const versions = yield* Effect.forEach(batch.payments ?? [], (payment) =>
        versionOf(client, batch, payer, payment)
      )
      const { allowance, balance, bitmap, head, latest, market, pending } = yield* Effect.all(
        {
          head: client.block("latest"),
          latest: client.transactionCount(vault.address, "latest"),
          pending: client.transactionCount(vault.address, "pending"),
          bitmap: client.call({ to: chain.permit2, data: spentData(batch.id, vault.address), block: "latest" }),
          balance: read(client, batch.token, { abi: erc20Abi, functionName: "balanceOf", args: [vault.address] }),
          allowance: read(client, batch.token, {
            abi: erc20Abi,
            functionName: "allowance",
            args: [vault.address, chain.permit2]
          }),
          market: client.feesPerGas
        },
        { concurrency: "unbounded" }
      )
      if (Option.isNone(head)) {
        return yield* new ChainUnavailable({ chainId: chain.id, method: "eth_getBlockByNumber", detail: "no block" })
      }
      if (size(bitmap) !== 32) return yield* refused(`Permit2 is not at ${chain.permit2} on ${chain.name}`)
      const nowMs = yield* Clock.currentTimeMillis
      return {
        versions,
        isSpent: isSpent(batch.id, hexToBigInt(bitmap)),
        head: head.value,
        confirmations: chain.confirmations,
        accountNonce: { latest, pending },
        balance,
        allowance,
        total: batch.total,
        market,
        nowMs,
        isBroadcast: nowMs - broadcastAtMs < REBROADCAST_MILLIS
      } satisfies PaymentPlan.Observation
    })

    const versionOf = Effect.fnUntraced(function* (
      client: ChainClient,
      batch: PayoutBatch,
      payer: Parameters<typeof readPayment>[1],
      { raw, recordedAtMs }: PayoutPayment
    ) {
      const signed = readPayment(batch, payer, raw)
      if (Option.isNone(signed)) {
        return yield* refused(
          `a recorded payment of batch ${batch.id} was signed by another vault than ${vault.address}`
        )
      }
      const receipt = yield* client.receipt(signed.value.txHash)
      return { ...signed.value, recordedAtMs, receipt: Option.getOrUndefined(receipt) }
    })

    /** Signs a version and has it recorded. It has not left yet. */
    const sign = Effect.fnUntraced(function* (
      client: ChainClient,
      batch: PayoutBatch,
      { fees, nonce, replaces }: Extract<PaymentPlan.PaymentPlan, { readonly _tag: "Sign" }>,
      timestamp: bigint
    ) {
      const { permit2 } = client.chain
      const deadline = timestamp + BigInt(options.lifetimeSeconds)
      yield* clear(client, batch)
      const permit = permitTypedData(batch, { permit2, vault: vault.address }, deadline)
      const data = paymentData(batch, vault.address, deadline, yield* vault.signPermit(permit))
      // On the pending state, a version that waits has spent the nonce already.
      const gas = replaces === undefined ? yield* simulate(client, batch, data) : replaces.gas
      yield* afford(client, gas, fees)
      const { maxFeePerGas, maxPriorityFeePerGas } = fees
      const { raw } = yield* vault.signTransaction({
        chainId: batch.chainId,
        nonce,
        to: permit2,
        data,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas
      })
      return yield* register.record(batch.id, raw, batch.payments?.length ?? 0)
    })

    const approve = Effect.fnUntraced(function* (client: ChainClient, token: Address.Address, amount: bigint) {
      const data = encodeFunctionData({
        abi: erc20Abi,
        functionName: "approve",
        args: [client.chain.permit2, amount]
      })
      const [simulated] = yield* client.simulate([{ from: vault.address, to: token, data }])
      if (simulated?.success !== true) return yield* refused(`the token ${token} refuses to approve Permit2`)
      const fees = yield* client.feesPerGas
      const { maxFeePerGas, maxPriorityFeePerGas } = fees
      const gas = PaymentChecks.withMargin(simulated.gasUsed)
      yield* afford(client, gas, fees)
      const { hash, raw } = yield* vault.signTransaction({
        chainId: client.chain.id,
        nonce: yield* client.transactionCount(vault.address, "pending"),
        to: token,
        data,
        gas,
        maxFeePerGas,
        maxPriorityFeePerGas
      })
      yield* client.send(raw).pipe(
        Effect.catchTag("SendRejected", (rejected) =>
          // Another transaction took the nonce meanwhile: what it did is seen in the next look.
          rejected.reason === "NonceTooLow" || rejected.reason === "Underpriced" ? Effect.void : Effect.fail(rejected)
        )
      )
      yield* client
        .receipt(hash)
        .pipe(
          Effect.repeat({ schedule: Schedule.spaced(options.pollMillis), until: Option.isSome }),
          Effect.timeoutOption(options.bumpMillis)
        )
      return hash
    })

    return Effect.fn("PayoutSender.send")(function* (id: string, tell: (progress: Progress) => Effect.Effect<void>) {
      const broadcast = yield* Ref.make<{ readonly txHash?: Hash; readonly atMs: number }>({ atMs: 0 })

      const hand = Effect.fnUntraced(function* (client: ChainClient, { raw, txHash }: PayoutPayment) {
        yield* client.send(raw).pipe(
          // Whatever the answer, the bytes may be out: the next look tells.
          Effect.catchTag("SendRejected", (rejected) =>
            rejected.reason === "Invalid" ? Effect.fail(rejected) : Effect.logWarning(rejected.message)
          )
        )
        const { txHash: before } = yield* Ref.get(broadcast)
        if (before !== txHash) yield* tell({ _tag: "Broadcast", txHash })
        yield* Ref.set(broadcast, { txHash, atMs: yield* Clock.currentTimeMillis })
      })

      /** One look and one deed; the batch once it is paid. */
      const step = Effect.fnUntraced(function* () {
        const batch = yield* register.get(id)
        if (batch.status === "paid") return Option.some(batch)
        if (batch.status === "failed") return yield* new PayoutClosed({ id, status: batch.status })
        const client = yield* chains.get(batch.chainId)
        const { chain } = client
        if (chain.builderVault !== vault.address) {
          return yield* refused(
            `VAULT_KEY is the key of ${vault.address}; ${chain.name}'s vault is ${chain.builderVault}`
          )
        }
        const newest = batch.payments?.at(-1)
        const { atMs, txHash } = yield* Ref.get(broadcast)
        const seen = yield* observe(client, batch, newest?.txHash === txHash ? atMs : 0)
        const plan = PaymentPlan.plan(seen, { bumpMillis: options.bumpMillis, marginSeconds: MARGIN_SECONDS })
        switch (plan._tag) {
          case "Book":
            yield* tell({ _tag: "Mined", txHash: plan.txHash })
            return yield* register.markPaid(id, plan.txHash).pipe(
              Effect.asSome,
              // The backend's own node may be behind this one.
              Effect.catchTag("PaymentUnproven", (unproven) =>
                unproven.reason === "not_mined" || unproven.reason === "not_confirmed"
                  ? Effect.succeedNone
                  : Effect.fail(unproven)
              )
            )
          case "Wait":
            return Option.none()
          case "Broadcast":
            if (newest !== undefined) yield* hand(client, newest)
            return Option.none()
          case "Approve":
            yield* tell({ _tag: "Approving", token: batch.token, permit2: chain.permit2 })
            for (const amount of plan.amounts) {
              yield* tell({ _tag: "Approved", txHash: yield* approve(client, batch.token, amount) })
            }
            return Option.none()
          case "Sign": {
            const recorded = yield* sign(client, batch, plan, seen.head.timestamp).pipe(
              Effect.asSome,
              // Somebody else recorded one at the same time: theirs is the one to go on with.
              Effect.catchTag("PaymentInFlight", () => Effect.succeedNone)
            )
            const payment = Option.getOrUndefined(recorded)?.payments?.at(-1)
            if (payment === undefined) return Option.none()
            yield* tell({ _tag: "Recorded", txHash: payment.txHash, total: batch.total, lines: batch.lines.length })
            yield* hand(client, payment)
            return Option.none()
          }
          case "Underfunded":
            return yield* refused(
              `the vault ${vault.address} holds ${seen.balance} of ${batch.token} on ${chain.name}; the batch pays ${seen.total}`
            )
          case "Stray":
            return yield* refused(
              `the batch's Permit2 nonce is spent by a transaction that is not recorded: find it among those of ` +
                `${vault.address}, then mark the batch paid with it`
            )
        }
      })

      const done = yield* step().pipe(
        // A node that does not answer says nothing: look again.
        Effect.catchTag("ChainUnavailable", (unavailable) =>
          Effect.as(Effect.logWarning(unavailable.message), Option.none<PayoutBatch>())
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
    /** Pays the batch and books it, or goes on with what another run began. The paid batch. */
    readonly send: Effect.Success<ReturnType<typeof send>>
  }
>()("sweep/builder/PayoutSender") {
  static readonly layer = (options: Partial<Options> = {}) =>
    Layer.effect(
      PayoutSender,
      Effect.map(send({ ...defaults, ...options }), (sender) => ({ send: sender }))
    )
}
