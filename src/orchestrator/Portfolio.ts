/** What an owner holds across chains, and what of it is worth sweeping. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../domain/Address.ts"
import type { PortfolioView, SweepableView } from "../domain/Portfolio.ts"

/** A balance provider, price source or node did not answer (502, masked). */
export class PortfolioUnavailable extends Schema.TaggedError<PortfolioUnavailable>()("PortfolioUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `portfolio unavailable: ${this.detail}`
  }
}

export class Portfolio extends Context.Service<
  Portfolio,
  {
    readonly portfolio: (owner: Address.Address) => Effect.Effect<PortfolioView, PortfolioUnavailable>
    readonly sweepable: (owner: Address.Address) => Effect.Effect<SweepableView, PortfolioUnavailable>
  }
>()("sweep/orchestrator/Portfolio") {}
