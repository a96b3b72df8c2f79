/** The replayable market of the local network: its chains with their pools, its services over HTTP, and the orchestrator's settings for both. */
import { Effect, Redacted } from "effect"
import type { DevInfo } from "../devnet/DevInfo.ts"
import type * as Market from "../devnet/market/Market.ts"
import type * as Plan from "../devnet/market/Plan.ts"
import * as Planning from "../devnet/market/Planned.ts"
import * as Rerouting from "../devnet/market/Rerouting.ts"
import type { ServedChain } from "../devnet/market/Services.ts"
import * as ServicesProcess from "../devnet/market/ServicesProcess.ts"
import type * as Network from "../devnet/Network.ts"
import type * as OrchestratorApp from "./OrchestratorApp.ts"

export interface Planned {
  readonly options: Market.Options
  readonly market: Market.Market
  readonly plans: ReadonlyArray<Plan.Plan>
  /** For the network. */
  readonly chains: NonNullable<Network.NetworkOptions["chains"]>
}

export interface DevMarket extends Planned {
  readonly services: ServicesProcess.Services
  /** The chains as the services see them. */
  readonly served: ReadonlyArray<ServedChain>
  /** Options of the orchestrator beside its chains. */
  readonly orchestrator: Partial<OrchestratorApp.Options>
}

/** Plans the market before its chains run. */
export const plan = Effect.fn("DevMarket.plan")(function* (options: Market.Options) {
  const { chains, market } = yield* Planning.plan(options)
  return {
    options,
    market,
    plans: chains.map((each) => each.plan),
    chains: chains.map((each) => ({
      ...each.chain,
      extras: {
        before: each.plan.venues,
        after: each.plan.pools,
        routers: each.plan.routers,
        chain: each.plan.chain,
        tokens: each.plan.listed
      }
    }))
  } satisfies Planned
})

/** Keys of services that take any. */
const key = Redacted.make("market")

/** Starts the services. */
export const start = Effect.fn("DevMarket.start")(function* (planned: Planned, { chains }: Network.Network) {
  const served = chains.flatMap(({ chain, node, spokePool }, index) => {
    const found = planned.plans[index]
    return found === undefined
      ? []
      : [{ id: chain.id, name: chain.name, client: node.client, plan: found, spokePool } satisfies ServedChain]
  })
  const services = yield* ServicesProcess.start({
    market: planned.options,
    chains: chains.map(({ chain: { id }, rpcUrl, spokePool }) => ({ id, rpcUrl, spokePool }))
  })
  return {
    ...planned,
    services,
    served,
    orchestrator: {
      http: Rerouting.layer(services.url),
      prices: "defillama",
      routeServices: { zeroX: { apiKey: key }, kyberSwap: {}, liFi: { apiKey: key } },
      risk: {
        rules: [],
        sources: ["goplus", "honeypot", "probe"],
        goplusApiKey: undefined,
        honeypotApiKey: undefined,
        cacheMillis: 600_000
      },
      acrossFees: { apiUrl: "https://app.across.to/api" }
    }
  } satisfies DevMarket
})

/** Routers that the guards list from the start, in lower case. */
export const routersOf = ({ plans }: Planned, { chains }: Network.Network): ReadonlySet<string> =>
  new Set(
    chains.flatMap(({ chain }, index) =>
      [chain.swapRouter ?? "", ...(plans[index]?.routers ?? [])].map((router) => router.toLowerCase())
    )
  )

/** The market as `dev.json` has it. */
export const describe = ({ chains, market, plans, services }: DevMarket): NonNullable<DevInfo["market"]> => ({
  seed: market.seed,
  servicesUrl: services.url,
  chains: chains.flatMap(({ id }, index) => {
    const [described, found] = [market.chains[index], plans[index]]
    if (described === undefined || found === undefined) return []
    return [
      {
        id,
        shape: described.shape,
        venues: described.venues.map(({ name }) => name),
        tokens: found.tokens.map(({ address, amount, decimals, isListed, kind, pools, symbol }) => ({
          address,
          symbol,
          decimals,
          kind,
          isListed,
          amount: amount.toString(),
          pools: pools.map(({ money, usd, venue }) => ({ venue, money, usd }))
        }))
      }
    ]
  })
})
