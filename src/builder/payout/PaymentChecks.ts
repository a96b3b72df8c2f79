/** Checks that must pass before the vault's key signs a payment. */
import { Effect, Option } from "effect"
import * as Arr from "effect/Array"
import { decodeErrorResult, encodeFunctionData, erc20Abi, hexToBigInt } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"
import { TRANSACTION_GAS_CAP, withinCap } from "../../domain/RelayGas.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { SimulatedCall } from "../../ports/shared/Simulation.ts"
import { Screening } from "../../ports/shared/Screening.ts"
import { refused } from "./PaymentRefused.ts"

const named = (lines: ReadonlyArray<{ readonly builderId: string; readonly payoutAddress: string }>): string =>
  lines.map(({ builderId, payoutAddress }) => `${builderId} (${payoutAddress})`).join(", ")

const transfer = ({ amount, payoutAddress }: PayoutBatch["lines"][number]) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [payoutAddress, amount] })

/**
 * Gas limit for simulated gas: 50 % more, as far as a transaction may have it. Payouts are rare, and one that runs out of gas costs the
 * whole limit.
 */
export const withMargin = (gas: bigint): bigint => withinCap(gas, (gas * 3n) / 2n)

const tooLarge = () =>
  refused("the batch has too many lines for one transaction. Fail it, and open one with a higher minimum amount")

const balanceOf = ({ payoutAddress }: PayoutBatch["lines"][number]) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [payoutAddress] })

const balance = (look: SimulatedCall | undefined): bigint =>
  look?.success === true && size(look.returnData) === 32 ? hexToBigInt(look.returnData) : 0n

const standardError = Option.liftThrowable((data: Hex) => decodeErrorResult({ abi: [], data }))

/** A token's reason for a refused transfer, of at most 100 characters. */
const reasonOf = (call: SimulatedCall | undefined): string =>
  Option.match(standardError(call?.returnData ?? "0x"), {
    onNone: () => (call === undefined || size(call.returnData) === 0 ? "no reason" : call.returnData.slice(0, 10)),
    onSome: ({ args }) => JSON.stringify(String(args?.[0]).slice(0, 100))
  })

/** Gas limits of a simulated look at a balance, and of a transfer. */
const LOOK_GAS = 200_000n
const TRANSFER_GAS = 500_000n

/** Lines whose limits fit into one call at ordinary nodes. */
const LINES_PER_SIMULATION = 25

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

  /** Simulates each transfer between two looks at the recipient's balance. */
  const transfers = Effect.fnUntraced(function* (client: ChainClient, { lines, token }: PayoutBatch) {
    const found = yield* Effect.forEach(Arr.chunksOf(lines, LINES_PER_SIMULATION), (part) =>
      Effect.map(
        client.simulate(
          part.flatMap((line) => {
            const look = { to: token, data: balanceOf(line), gas: LOOK_GAS }
            return [look, { from: vault, to: token, data: transfer(line), gas: TRANSFER_GAS }, look]
          })
        ),
        Arr.chunksOf(3)
      )
    )
    return Arr.zip(lines, found.flat())
  })

  /** Returns the payment's gas limit. Refuses a payment that would revert, or that would transfer less than its lines. */
  const simulate = Effect.fnUntraced(function* (client: ChainClient, batch: PayoutBatch, data: Hex) {
    const each = yield* transfers(client, batch)
    const failing = each.filter(([, [, moved]]) => moved?.success !== true)
    if (failing.length > 0) {
      const reasons = [...new Set(failing.map(([, [, moved]]) => reasonOf(moved)))].join(", ")
      return yield* refused(
        `the token rejects transfers to ${named(failing.map(([line]) => line))}: ${reasons}. Fail the batch, and pay the others without them`
      )
    }
    const short = each.filter(([{ amount }, [before, , after]]) => balance(after) - balance(before) < amount)
    if (short.length > 0) {
      return yield* refused(`the token would transfer less than it should to ${named(short.map(([line]) => line))}`)
    }
    const gas = yield* client
      .estimateGas({ from: vault, to: client.chain.permit2, data })
      .pipe(
        Effect.catchTag("CallReverted", ({ isOutOfGas = false }) =>
          isOutOfGas
            ? tooLarge()
            : refused("the payment would revert, although each transfer alone would not. Check the token")
        )
      )
    return withMargin(gas)
  })

  /** Refuses a transaction with more gas than one may have or a block has, or whose gas the vault cannot pay. */
  const afford = Effect.fnUntraced(function* (client: ChainClient, gas: bigint, { maxFeePerGas }: GasFees) {
    const head = yield* client.block("latest")
    if (gas > TRANSACTION_GAS_CAP || (Option.isSome(head) && gas > head.value.gasLimit)) return yield* tooLarge()
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
