/** The treasury's plan as a batch for a Safe, whose owners sign it. */
import { Clock, Effect, Result, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { BatchFile } from "../../domain/SafeTransactions.ts"
import type { LeftOutToken, TreasuryChain } from "../../domain/Treasury.ts"
import { leastOutput, type Lot, type Priced } from "../../domain/TreasuryPlan.ts"
import { type SafeSale, toSafeSales } from "../../domain/TreasurySafe.ts"
import { SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import type { Survey } from "./Survey.ts"

/** The chain is not configured, has no asset, has no vault of its own for builders, or does not answer. */
export class NoPlan extends Schema.TaggedError<NoPlan>()("NoPlan", {
  reason: Schema.Literals(["unknown_chain", "no_asset", "shared_vault", "unavailable"])
}) {}

export interface SafePlan {
  readonly batch: BatchFile
  /** Tokens that are to be sold and cannot be. */
  readonly leftOut: ReadonlyArray<LeftOutToken>
}

/** Time in which the owners sign and run the batch, in seconds. */
const LIFETIME_SECONDS = 86_400

const CONCURRENCY = 4

/** Time limit of all routes together, in milliseconds. A response begins within 4 seconds, and balances and prices take some of them. */
const ROUTES_MILLIS = 2_000

interface Wanted {
  readonly chain: TreasuryChain
  readonly asset: Address.Address
  readonly token: Address.Address
  readonly lot: Lot
  /** Value of the balance in dollars, scaled by 10^18. */
  readonly value: bigint
  readonly price: Priced
  readonly assetPrice: Priced
}

type Routed = Result.Result<SafeSale, LeftOutToken>

const late = ({ token }: Wanted): Routed =>
  Result.fail({ token, reason: "no_route", detail: "no exchange answered in time, so sell the others and plan again" })

/** Makes `safePlan(survey, chain)`. */
export const make = Effect.gen(function* () {
  const venue = yield* SwapVenue
  const { treasury } = yield* OrchestratorSettings

  const route = Effect.fnUntraced(
    function* (
      { asset, assetPrice, chain: { chainId, feeRecipient }, lot: { amount }, price, token }: Wanted,
      nowMs: number
    ) {
      const request = {
        chainId,
        tokenIn: token,
        tokenOut: asset,
        amountIn: amount,
        sender: feeRecipient,
        recipient: feeRecipient,
        deadline: BigInt(Math.floor(nowMs / 1000) + LIFETIME_SECONDS)
      }
      const priced = yield* venue.route({ ...request, slippageBps: 0 })
      const least = leastOutput(amount, price, assetPrice, treasury.toleranceBps)
      const short = (verb: string, out: bigint): Routed => {
        const detail = `the swap ${verb} ${out}, and ${least} are wanted at the present prices`
        return Result.fail({ token, reason: "price_impact", detail })
      }
      const { amountOut, remade } = priced
      if (amountOut < least) return short("delivers", amountOut)
      // The owners may take hours to sign, so the minimum of the call is the least output, and not more.
      const slippageBps = Number(((amountOut - least) * 10_000n) / amountOut)
      // Another answer may have another price, or be that of another venue.
      const sale =
        remade === undefined ? yield* venue.route({ ...request, slippageBps }) : remade({ amountOut, slippageBps })
      if (sale.minAmountOut < least) return short("delivers at least", sale.minAmountOut)
      const routed: Routed = Result.succeed({ token, amount, target: sale.target, calldata: sale.calldata })
      return routed
    },
    (effect, { token }) =>
      effect.pipe(
        Effect.catchDefect((defect) => Effect.fail({ message: String(defect) })),
        Effect.catch(({ message }) => {
          const routed: Routed = Result.fail({ token, reason: "no_route", detail: message })
          return Effect.succeed(routed)
        })
      )
  )

  return Effect.fn("Treasury.safePlan")(function* (
    { nowMs, tokens, unavailableChains }: Survey,
    chain: TreasuryChain
  ): Effect.fn.Return<SafePlan, NoPlan> {
    const { asset, chainId, feeRecipient: safe } = chain
    if (asset === undefined) return yield* new NoPlan({ reason: "no_asset" })
    if (chain.selling === "shared_vault") return yield* new NoPlan({ reason: "shared_vault" })
    if (unavailableChains.includes(chainId)) return yield* new NoPlan({ reason: "unavailable" })
    const wanted = tokens
      .flatMap(({ assetPrice, book, plan: { lot, value = 0n }, price }): ReadonlyArray<Wanted> =>
        book.chainId !== chainId || lot === undefined || price === undefined || assetPrice === undefined
          ? []
          : [{ chain, asset, token: book.token, lot, value, price, assetPrice }]
      )
      // If time is short, the most valuable are sold first.
      .toSorted((a, b) => (a.value < b.value ? 1 : a.value > b.value ? -1 : 0))
    const endsAtMs = (yield* Clock.currentTimeMillis) + ROUTES_MILLIS
    const inTime = (each: Wanted) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        now >= endsAtMs
          ? Effect.succeed(late(each))
          : Effect.timeoutOrElse(route(each, nowMs), {
              duration: endsAtMs - now,
              orElse: () => Effect.succeed(late(each))
            })
      )
    const routed = yield* Effect.forEach(wanted, inTime, { concurrency: CONCURRENCY })
    const sales = routed.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
    return {
      batch: toSafeSales({ chainId, safe, asset }, sales, nowMs),
      leftOut: routed.flatMap((each) => (Result.isFailure(each) ? [each.failure] : []))
    }
  })
})
