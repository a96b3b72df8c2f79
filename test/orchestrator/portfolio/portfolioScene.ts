/** The portfolio over ports that a test writes by hand. */
import { Context, Effect, Layer } from "effect"
import * as Balances from "../../../src/adapters/memory/orchestrator/Balances.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Prices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as TokenRisk from "../../../src/adapters/memory/orchestrator/TokenRisk.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { NATIVE, type TokenInfo } from "../../../src/domain/Token.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Portfolio } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import * as BalancesPort from "../../../src/ports/orchestrator/Balances.ts"
import type { TokenDeclined } from "../../../src/ports/orchestrator/TokenRisk.ts"
import { address, chain as template } from "../../support/FakeChain.ts"

type TokenBalance = BalancesPort.TokenBalance

export const OWNER = address(0x11)

export const one: Chain = { ...template, id: 1, name: "one" }

export const two: Chain = { ...template, id: 2, name: "two" }

export const USD = 10n ** 18n

export const LISTED = address(0xb1)

export const STABLE = address(0xd1)

export const token = (chainId: number, at: Address.Address, decimals: number, symbol: string): TokenInfo => ({
  chainId,
  address: at,
  symbol,
  name: `${symbol} of ${chainId}`,
  decimals
})

export const LST = token(1, LISTED, 18, "LST")

export const balancesWith = (silent: number | undefined, held: ReadonlyArray<TokenBalance>) =>
  Layer.effect(
    BalancesPort.Balances,
    Effect.map(BalancesPort.Balances, ({ on }) => ({
      on: (chainId: number, owner: Address.Address) => (chainId === silent ? Effect.never : on(chainId, owner))
    }))
  ).pipe(Layer.provideMerge(Balances.layer({ held: new Map([[OWNER, held]]) })))

export const make = Effect.fnUntraced(function* (settings: {
  readonly held: ReadonlyArray<TokenBalance>
  readonly prices?: ReadonlyArray<readonly [Address.Address, bigint]>
  readonly declined?: ReadonlyMap<Address.Address, TokenDeclined["reason"]>
  readonly chains?: ReadonlyArray<Chain>
  /** A chain whose balances never come. */
  readonly silent?: number
}) {
  const usd = new Map(
    settings.prices ?? [
      [NATIVE, 2_000n * USD],
      [LISTED, USD],
      [STABLE, USD]
    ]
  )
  const tokens = settings.held.map(({ token: { address: at, chainId, decimals, symbol } }) => {
    const reason = settings.declined?.get(at)
    return {
      chainId,
      address: at,
      decimals,
      symbol,
      tier: "tier3" as const,
      ...(reason === undefined ? {} : { declined: reason })
    }
  })
  const context = yield* Layer.build(
    Portfolio.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          balancesWith(settings.silent, settings.held),
          Chains.layer(settings.chains ?? [one, two]),
          Prices.layer({ prices: new Map([one.id, two.id].map((id) => [id, usd])) }),
          TokenRisk.layer({ tokens }),
          OrchestratorSettings.layer(defaults)
        )
      )
    )
  )
  const service = Context.get(context, Portfolio)
  return {
    balances: Context.get(context, Balances.BalancesState),
    prices: Context.get(context, Prices.PricesState),
    tokenRisk: Context.get(context, TokenRisk.TokenRiskState),
    chain: Context.get(context, Chains.MemoryChains).get,
    portfolio: service.portfolio(OWNER),
    listed: service.prices,
    sweepable: service.sweepable(OWNER),
    sweepableToken: Effect.map(service.sweepable(OWNER), ({ tokens: [first] }) => {
      if (first === undefined) throw new Error("nothing is held")
      return first
    })
  }
})

export const lst = (whole: bigint): TokenBalance => ({ token: LST, balance: whole * 10n ** 18n })
