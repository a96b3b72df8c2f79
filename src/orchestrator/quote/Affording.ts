/** Refuses quotes of sweeps that a budget of exposure has no room for, so that their owners need not sign. */
import { Effect, Fiber } from "effect"
import { worstCase } from "../../domain/Exposure.ts"
import { quotedGas } from "../../domain/RelayGas.ts"
import * as ExposureDesk from "../shared/ExposureDesk.ts"
import type { Priced, Terms } from "./Terms.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/**
 * Makes `begin(terms)`, which starts to read the budgets beside the pricing and returns `afford(priced)`. Sweeps of listed tokens always
 * pass, without a read.
 */
export const make = Effect.map(ExposureDesk.make, (desk) =>
  Effect.fnUntraced(function* ({
    attributed,
    client,
    gasFees,
    request
  }: Pick<Terms, "attributed" | "client" | "gasFees" | "request">) {
    const { destChainId, destination, owner, tokenIn, tokenOut } = request
    const ofBuilder =
      attributed === undefined
        ? {}
        : { attributed: { builderId: attributed.attribution.builderId, payoutMode: attributed.payoutMode } }
    // The order's call is not made yet. It tells the pools, whose sums are read later.
    const order = {
      owner,
      tokenIn,
      tokenOut,
      destination,
      destChainId: BigInt(destChainId),
      swapCalldata: "0x"
    } as const
    const reading = yield* Effect.forkChild(desk.sumsOf(client.chain, { order, ...ofBuilder }))

    return Effect.fnUntraced(function* ({ order, simulated }: Pick<Priced, "order" | "simulated">) {
      const { dataFee, runsOthersCode = false } = simulated
      const wei = worstCase({ gas: quotedGas(simulated), maxFeePerGas: gasFees.maxFeePerGas, dataFee })
      const lack = yield* desk.lack(
        client.chain,
        { order, runsOthersCode, ...ofBuilder },
        wei,
        yield* Fiber.join(reading)
      )
      if (lack === undefined) return
      return yield* new QuoteFailed({
        reason: "budget_spent",
        detail: `the budget of ${lack.spent} has no room for ${wei} wei`,
        retryAfterMillis: ExposureDesk.pauseOf(lack)
      })
    })
  })
)
