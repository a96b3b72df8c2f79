/** Judges what a service promises that no contract enforces: by prices of our own, and by the value that it carries already. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { DepositTerms } from "../../domain/BridgeChoice.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import * as PromisedArrival from "../../domain/PromisedArrival.ts"
import { valueOf } from "../../domain/Usd.ts"
import { BridgeFlights } from "../../ports/orchestrator/BridgeFlights.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"

/**
 * Makes `check(source, destination, deposit, amountOut)` of a bridge, which fails unless the promise can be offered, and
 * `leastRefund(source, deposit)`.
 */
export const make = Effect.fnUntraced(function* (bridge: string) {
  const flights = yield* BridgeFlights
  const prices = yield* Prices

  const noRoute = (detail: string) => new NoRoute({ detail: `${bridge}: ${detail}` })

  /** Makes the value of amounts of a listed token. Undefined without a price. */
  const pricedOn = Effect.fnUntraced(function* (chain: Chain.Chain, address: Address.Address) {
    const token = Option.getOrUndefined(Chain.token(chain, address))
    if (token === undefined) return () => undefined
    const known = Option.getOrUndefined(yield* Effect.option(prices.usd(chain.id, [token])))
    const price = known?.get(address)
    return (amount: bigint): UsdPrice | undefined =>
      price === undefined || price <= 0n ? undefined : valueOf(amount, price, token.decimals)
  })

  const check = Effect.fnUntraced(function* (
    source: Chain.Chain,
    destination: Chain.Chain,
    { amountIn, minAmountOut, tokenIn, tokenOut }: DepositTerms,
    amountOut: bigint
  ) {
    const [inputOf, outputOf] = yield* Effect.all([pricedOn(source, tokenIn), pricedOn(destination, tokenOut)], {
      concurrency: "unbounded"
    })
    const paidIn = inputOf(amountIn)
    const objected = PromisedArrival.objection({ paidIn, expected: outputOf(amountOut), least: outputOf(minAmountOut) })
    if (objected !== undefined || paidIn === undefined) return yield* noRoute(`the answer has ${objected}`)
    const room = yield* Effect.mapError(
      flights.room(bridge),
      ({ message }) => new RoutingUnavailable({ provider: bridge, detail: message })
    )
    if (paidIn > room) return yield* noRoute("it carries as much value as BRIDGE_MAX_IN_FLIGHT_USD allows")
  })

  /** Least amount that counts as the refund of a deposit. */
  const leastRefund = Effect.fnUntraced(function* (
    source: Chain.Chain,
    { amountIn, tokenIn }: Pick<DepositTerms, "amountIn" | "tokenIn">
  ) {
    const inputOf = yield* pricedOn(source, tokenIn)
    return PromisedArrival.leastRefund(amountIn, inputOf(amountIn))
  })

  return { check, leastRefund }
})
