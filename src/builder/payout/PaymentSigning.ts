/** Signs payments with the vault's key. */
import { Effect } from "effect"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { paymentData, permitTypedData } from "../../domain/PayoutPayment.ts"
import { TRANSACTION_GAS_CAP } from "../../domain/RelayGas.ts"
import { PayoutRegister } from "../../ports/builder/PayoutRegister.ts"
import { VaultKey } from "../../ports/builder/VaultKey.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as PaymentChecks from "./PaymentChecks.ts"
import type { PaymentPlan } from "./PaymentPlan.ts"

export interface SigningOptions {
  /** Seconds in which a payment can be mined. */
  readonly lifetimeSeconds: number
}

/** Makes `sign`, which signs a payment and has it recorded. */
export const make = Effect.fnUntraced(function* (options: SigningOptions) {
  const register = yield* PayoutRegister
  const vault = yield* VaultKey
  const { afford, clear, simulate } = yield* PaymentChecks.make(vault.address)

  /** Returns the batch with the recorded payment, which is not broadcast yet. */
  return Effect.fnUntraced(function* (
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
})
