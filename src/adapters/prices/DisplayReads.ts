/** Price lookups for display. Anybody can ask for them with any tokens, so they must not spend the requests that quotes need. */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { PricedToken } from "../../ports/orchestrator/Prices.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import { ProviderUnavailable } from "../providers/ProviderUnavailable.ts"

/**
 * A price, or the reason why it is not known. `failed`: the source did not tell it. `skipped`: the source was not asked, because the
 * price is only displayed.
 */
export type Reading = UsdPrice | "failed" | "skipped"

/** Readings by token. Tokens without a price are absent. */
export type Readings = ReadonlyMap<Address.Address, Reading>

/** True if requests of the priority only display prices. */
export const displays = (priority: Priority.Priority): boolean => priority === "portfolio"

export const isDisplay = Effect.map(Priority.Current, displays)

/** True if no request was sent, such as for want of budget. */
export const isRefusal = (error: unknown): boolean => error instanceof ProviderUnavailable && error.reason === "waiting"

/**
 * Reads prices. A read for display reads the chain's listed tokens, of which there are few, like a quote, and the others at its own
 * priority. If it is refused these, they are skipped.
 */
export const read = <E, R>(
  chain: Chain.Chain,
  tokens: ReadonlyArray<PricedToken>,
  readAll: (tokens: ReadonlyArray<PricedToken>) => Effect.Effect<Readings, E, R>
): Effect.Effect<Readings, E, R> =>
  Effect.flatMap(isDisplay, (isForDisplay) => {
    if (!isForDisplay) return readAll(tokens)
    const isListed = ({ address }: PricedToken) =>
      Option.isSome(Chain.token(chain, address)) || address === chain.wrappedNative
    const others = tokens.filter((token) => !isListed(token))
    const skipped: Readings = new Map(others.map(({ address }) => [address, "skipped"]))
    const ofOthers = Effect.catch(readAll(others), (error) =>
      isRefusal(error) ? Effect.succeed(skipped) : Effect.fail(error)
    )
    const ofListed = Priority.at("quote")(readAll(tokens.filter(isListed)))
    return Effect.map(
      Effect.all([ofListed, ofOthers], { concurrency: "unbounded" }),
      (readings) => new Map(readings.flatMap((some) => [...some]))
    )
  })
