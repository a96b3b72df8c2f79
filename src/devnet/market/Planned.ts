/** The market of every local chain, planned before the chains run. A pure function of its options, but for reading the artifacts. */
import { Effect } from "effect"
import * as Accounts from "../Accounts.ts"
import type * as DevChain from "../DevChain.ts"
import * as Network from "../Network.ts"
import * as Artifacts from "./Artifacts.ts"
import * as Market from "./Market.ts"
import * as Plan from "./Plan.ts"

/** A chain of the network with its part of the market. */
export interface PlannedChain {
  readonly chain: Pick<DevChain.DevChainOptions, "id" | "name">
  readonly plan: Plan.Plan
}

export interface Planned {
  readonly market: Market.Market
  readonly chains: ReadonlyArray<PlannedChain>
}

export const plan = Effect.fn("Planned.plan")(function* (options: Market.Options) {
  const artifacts = yield* Artifacts.load
  const market = Market.make(options)
  const holders = Accounts.users().map(({ address }) => address)
  return {
    market,
    chains: Network.DEFAULT_CHAINS.flatMap((chain): ReadonlyArray<PlannedChain> => {
      const described = market.chains.find(({ name }) => name === chain.name)
      return described === undefined ? [] : [{ chain, plan: Plan.make(described, chain, artifacts, holders) }]
    })
  } satisfies Planned
})
