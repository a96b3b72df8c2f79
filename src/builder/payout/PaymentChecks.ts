/** What must hold before the vault's key signs a payment. */
import { Effect, Option, Schema } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../../domain/Payout.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { Screening } from "../../ports/shared/Screening.ts"

/** The batch cannot be paid like this; the message says why, and what to do. Nothing new was sent. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const named = (lines: ReadonlyArray<{ readonly builderId: string; readonly payoutAddress: string }>): string =>
  lines.map(({ builderId, payoutAddress }) => `${builderId} (${payoutAddress})`).join(", ")

const transfer = ({ amount, payoutAddress }: PayoutBatch["lines"][number]) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payoutAddress, amount] })

/** Half as much again as simulated: payouts are rare, and one that runs out of gas costs all of it. */
export const withMargin = (gas: bigint): bigint => (gas * 3n) / 2n

const SCREENINGS_AT_ONCE = 8

/** The checks of payments out of a vault. */
export const make = Effect.fnUntraced(function* (vault: Address.Address) {
  const screening = yield* Screening

  /** Refuses what should not be paid, or could not. */
  const clear = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch) {
    if ((yield* client.code(vault)) !== "0x") {
      return yield* new PaymentRefused({
        detail: `the vault ${vault} has code, so that Permit2 does not take its key's signature`
      })
    }
    const blocked = yield* Effect.filter(
      batch.lines,
      ({ payoutAddress }) => Effect.isFailure(screening.clear(batch.chainId, [payoutAddress])),
      { concurrency: SCREENINGS_AT_ONCE }
    )
    if (blocked.length > 0) {
      return yield* new PaymentRefused({ detail: `sanctions screening does not clear ${named(blocked)}` })
    }
  })

  /** The gas to send the payment with. Refuses one that would revert, or transfer less than it says. */
  const simulate = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch, data: Hex) {
    const [simulated] = yield* client.simulate([{ from: vault, to: client.chain.permit2, data }])
    if (simulated?.success !== true) {
      const each = yield* client.simulate(
        batch.lines.map((line) => ({ from: vault, to: batch.token, data: transfer(line) }))
      )
      const failing = batch.lines.filter((_, index) => each[index]?.success !== true)
      return yield* new PaymentRefused({
        detail:
          failing.length === 0
            ? "the payment would revert, though each transfer alone would not: check the token"
            : `the token refuses to transfer to ${named(failing)}: fail the batch, and pay the others without them`
      })
    }
    const short = unpaidLines(batch, vault, simulated.logs)
    if (short.length > 0) {
      return yield* new PaymentRefused({ detail: `the token would transfer less than it should to ${named(short)}` })
    }
    return withMargin(simulated.gasUsed)
  })

  /** Refuses a transaction that no block can hold, or whose gas the vault cannot pay. */
  const afford = Effect.fnUntraced(function* (client: ChainClient, gas: bigint, { maxFeePerGas }: GasFees) {
    const head = yield* client.block("latest")
    if (Option.isSome(head) && gas > head.value.gasLimit) {
      return yield* new PaymentRefused({
        detail: "the batch has too many lines for one block: fail it, and open one with a higher threshold"
      })
    }
    const cost = gas * maxFeePerGas
    const held = yield* client.balance(vault)
    if (held < cost) {
      const { name, nativeSymbol } = client.chain
      return yield* new PaymentRefused({
        detail: `the vault ${vault} needs up to ${cost} wei of ${nativeSymbol} for gas on ${name}, and holds ${held}`
      })
    }
  })

  return { clear, simulate, afford }
})
