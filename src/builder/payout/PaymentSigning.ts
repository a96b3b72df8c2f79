/** Signs payments and approvals with the vault's key. */
import { Effect, Option, Schedule } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { paymentData, permitTypedData } from "../../domain/PayoutPayment.ts"
import { TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
import { PayoutRegister } from "../../ports/builder/PayoutRegister.ts"
import { VaultKey } from "../../ports/builder/VaultKey.ts"
import type { ChainClient, SendRefusal } from "../../ports/shared/Chains.ts"
import * as PaymentChecks from "./PaymentChecks.ts"
import type { PaymentPlan } from "./PaymentPlan.ts"
import { refused } from "./PaymentRefused.ts"

export interface SigningOptions {
  /** Pause between looks at the chain, in milliseconds. */
  readonly pollMillis: number
  /** A payment that is not mined within this many milliseconds is replaced with higher fees. */
  readonly bumpMillis: number
  /** Seconds in which a payment can be mined. */
  readonly lifetimeSeconds: number
}

/** Makes `sign`, which signs a payment and has it recorded, and `approve`, which sets Permit2's allowance. */
export const make = Effect.fnUntraced(function* (options: SigningOptions) {
  const register = yield* PayoutRegister
  const vault = yield* VaultKey
  const { afford, clear, simulate } = yield* PaymentChecks.make(vault.address)

  /** Returns the batch with the recorded payment, which is not broadcast yet. */
  const sign = Effect.fnUntraced(function* (
    client: ChainClient,
    batch: PayoutBatch,
    { fees, nonce, replaces }: Extract<PaymentPlan, { readonly _tag: "Sign" }>,
    timestamp: bigint
  ) {
    const { permit2 } = client.chain
    const deadline = timestamp + BigInt(options.lifetimeSeconds)
    yield* clear(client, batch)
    const permit = permitTypedData(batch, { permit2, vault: vault.address }, deadline)
    const data = paymentData(batch, vault.address, deadline, yield* vault.signPermit(permit))
    // A replacement has the content of the version that it replaces, and needs the same gas. One with too much is never mined.
    const isMinable = replaces !== undefined && replaces.gas <= TRANSACTION_GAS_CAP
    const gas = isMinable ? replaces.gas : yield* simulate(client, batch, data)
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

  /** Sends an approval and waits until it is mined, at most `bumpMillis`. Returns its hash. */
  const approve = Effect.fnUntraced(function* (client: ChainClient, token: Address.Address, amount: bigint) {
    const { permit2 } = client.chain
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [permit2, amount] })
    const estimate = yield* client
      .estimateGas({ from: vault.address, to: token, data })
      .pipe(Effect.catchTag("CallReverted", () => refused(`the token ${token} rejects an approval of Permit2`)))
    const fees = yield* client.feesPerGas
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const gas = PaymentChecks.withMargin(estimate)
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
        // Another transaction took the nonce meanwhile. The next look sees its effect.
        isTaken(rejected.reason) ? Effect.void : Effect.fail(rejected)
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

  return { sign, approve }
})

/** True when another transaction has the nonce, or the pool waits for a higher fee. */
const isTaken = (reason: SendRefusal): boolean =>
  reason === "NonceTooLow" ||
  reason === "ReplacementUnderpriced" ||
  reason === "Underpriced" ||
  reason === "FeeCapTooLow"
