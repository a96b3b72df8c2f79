/** A market of tokens with one pool each, on another exchange than Uniswap v3, for tests of what fees are worth. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { Context, Effect, Layer } from "effect"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as DevChain from "../../../src/devnet/DevChain.ts"
import * as Artifacts from "../../../src/devnet/market/Artifacts.ts"
import { type MarketToken, venuesOf } from "../../../src/devnet/market/Market.ts"
import * as Plan from "../../../src/devnet/market/Plan.ts"
import { withLiveClock } from "../../support/LiveClock.ts"

export const WHOLE = 10n ** 18n
const TAX_BPS = 1_000
export const CHAIN = { id: 31337, name: "source" } as const
export const HOLDER = Accounts.users()[0]?.address ?? Accounts.relayers()[0].address

/** A token worth a dollar with one pool, which nobody lists. */
const traded = (symbol: string, usd: number, kind: MarketToken["kind"] = "plain"): MarketToken => ({
  symbol,
  form: "string",
  decimals: 18,
  kind,
  taxBps: kind === "taxed" ? TAX_BPS : 0,
  usd: WHOLE,
  isListed: false,
  isPriced: false,
  amount: 1_000n * WHOLE,
  amountUsd: 1_000,
  into: "USDC",
  pools: [{ venue: "pancakeswap-v2", money: "USDC", kind: 0, usd }]
})

export class Scene extends Context.Service<Scene, { readonly dev: DevChain.DevChain; readonly plan: Plan.Plan }>()(
  "sweep/test/VenueScene"
) {
  static readonly layer = Layer.effect(
    Scene,
    withLiveClock(
      Effect.gen(function* () {
        const tokens = [
          traded("DEEP", 100_000),
          traded("THIN", 150),
          traded("TAXED", 100_000, "taxed"),
          traded("GROWING", 100_000, "rebasing"),
          traded("FILLED", 15),
          traded("EMPTIED", 100_000)
        ]
        const market = { name: CHAIN.name, shape: "bnb", venues: venuesOf("bnb"), tokens } as const
        const plan = Plan.make(market, CHAIN, yield* Artifacts.load, [HOLDER])
        const { chain, listed, pools, routers, venues } = plan
        const extras = { before: venues, after: pools, routers, chain, tokens: listed }
        return { plan, dev: yield* DevChain.start({ ...CHAIN, extras }) }
      })
    )
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

export const placed = Effect.fnUntraced(function* (symbol: string) {
  const { plan } = yield* Scene
  const found = plan.tokens.find((each) => each.symbol === symbol)
  return found ?? (yield* Effect.die(`no token ${symbol}`))
})
