/** Checks that must pass before the vault's key signs a payment. */
import { Effect, Option } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Hex } from "../../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../../domain/Payout.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { refused } from "./PaymentRefused.ts"

const named = (lines: ReadonlyArray<{ readonly builderId: string; readonly payoutAddress: string }>): string =>
  lines.map(({ builderId, payoutAddress }) => `${builderId} (${payoutAddress})`).join(", ")

const transfer = ({ amount, payoutAddress }: PayoutBatch["lines"][number]) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payoutAddress, amount] })

/** Gas limit for simulated gas: 50 % more. Payouts are rare, and one that runs out of gas costs the whole limit. */
export const withMargin = (gas: bigint): bigint => (gas * 3n) / 2n

/** Payout addresses that are screened concurrently. */
const SCREENING_CONCURRENCY = 8

/** Makes the checks of a vault's payments. Each fails with `PaymentRefused`. */
export const make = Effect.fnUntraced(function* (vault: Address.Address) {
  const screening = yield* Screening

  /** Refuses a vault with code, and payout addresses that screening does not clear. */
  const clear = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch) {
    if ((yield* client.code(vault)) !== "0x") {
      return yield* refused(`the vault ${vault} has code, so Permit2 does not accept its key's signature`)
    }
    const blocked = yield* Effect.filter(
      batch.lines,
      ({ payoutAddress }) => Effect.isFailure(screening.clear(batch.chainId, [payoutAddress])),
      { concurrency: SCREENING_CONCURRENCY }
    )
    if (blocked.length > 0) {
      return yield* refused(`sanctions screening does not clear ${named(blocked)}`)
    }
  })

  /** Returns the payment's gas limit. Refuses a payment that would revert, or that would transfer less than its lines. */
  const simulate = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch, data: Hex) {
    const [simulated] = yield* client.simulate([{ from: vault, to: client.chain.permit2, data }])
    if (simulated?.success !== true) {
      const each = yield* client.simulate(
        batch.lines.map((line) => ({ from: vault, to: batch.token, data: transfer(line) }))
      )
      const failing = batch.lines.filter((_, index) => each[index]?.success !== true)
      return yield* refused(
        failing.length === 0
          ? "the payment would revert, although each transfer alone would not. Check the token"
          : `the token rejects transfers to ${named(failing)}. Fail the batch, and pay the others without them`
      )
    }
    const short = unpaidLines(batch, vault, simulated.logs)
    if (short.length > 0) {
      return yield* refused(`the token would transfer less than it should to ${named(short)}`)
    }
    return withMargin(simulated.gasUsed)
  })

  /** Refuses a transaction that exceeds a block's gas limit, or whose gas the vault cannot pay. */
  const afford = Effect.fnUntraced(function* (client: ChainClient, gas: bigint, { maxFeePerGas }: GasFees) {
    const head = yield* client.block("latest")
    if (Option.isSome(head) && gas > head.value.gasLimit) {
      return yield* refused("the batch has too many lines for one block. Fail it, and open one with a higher threshold")
    }
    const cost = gas * maxFeePerGas
    const held = yield* client.balance(vault)
    if (held < cost) {
      const { name, nativeSymbol } = client.chain
      return yield* refused(
        `the vault ${vault} needs up to ${cost} wei of ${nativeSymbol} for gas on ${name}, and holds ${held}`
      )
    }
  })

  return { clear, simulate, afford }
})
