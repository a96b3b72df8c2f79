/** Decides which of an owner's holdings are worth sweeping, by an estimate of the fees. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { accountCode } from "../../domain/Delegation.ts"
import * as FeePolicy from "../../domain/FeePolicy.ts"
import * as Fees from "../../domain/Fees.ts"
import type { DelegationState, PortfolioToken, SweepableToken } from "../../domain/Portfolio.ts"
import { ASSUMED_SWEEP_GAS } from "../../domain/RelayGas.ts"
import * as SaleWorth from "../../domain/SaleWorth.ts"
import type { Tier } from "../../domain/Tier.ts"
import { NATIVE } from "../../domain/Token.ts"
import { isMarked } from "../../domain/TokenStanding.ts"
import * as Usd from "../../domain/Usd.ts"
import { type TokenProfile, TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import { TokenVerdicts } from "../../ports/orchestrator/TokenVerdicts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { type Holding, isPriced, portfolioToken } from "./Holding.ts"

/** State of a chain that the estimate of its sweeps needs. */
export interface ChainFacts {
  readonly client: ChainClient
  readonly delegation: typeof DelegationState.Type
  /** Wei per gas. */
  readonly gasPrice: bigint
  readonly nativeUsd: Fees.UsdPrice | undefined
}

/** The price of a sweep's gas on a chain. */
export type GasFacts = Pick<ChainFacts, "gasPrice" | "nativeUsd">

/** Makes `netAmount(facts, holding, tier)`. */
const makeNetAmount = (settings: OrchestratorSettings["Service"]) => {
  /**
   * The balance after protocol and network fees, the latter by what a token sells for; 0 when the fees exceed it. A quote also charges for
   * the transaction's bytes on rollups, so this may be more than the quote.
   */
  const netAt = (facts: GasFacts, { balance, price, token }: Holding, tier: Tier, sold: Fees.UsdPrice): bigint => {
    if (!isPriced(price) || !isPriced(sold) || !isPriced(facts.nativeUsd)) return 0n
    const fees =
      FeePolicy.protocolFee(
        settings.fees,
        settings.feeRules,
        {
          chainId: token.chainId,
          destChainId: undefined,
          tokenIn: token.address,
          tokenOut: undefined,
          tier,
          builderId: undefined
        },
        { amountIn: balance, isSubscribed: false, tokenUsd: price, tokenDecimals: token.decimals }
      ) +
      Fees.networkFee(settings.fees, {
        cost: ASSUMED_SWEEP_GAS * facts.gasPrice,
        nativeUsd: facts.nativeUsd,
        tokenUsd: sold,
        tokenDecimals: token.decimals
      })
    return fees < balance ? balance - fees : 0n
  }

  /** The same; 0 also if what the balance sells for does not pay the network fee. */
  const netAmount = (facts: GasFacts, holding: Holding, tier: Tier): bigint => {
    const { price = 0n, hasRoute } = holding
    return hasRoute === false || netAt(facts, holding, tier, salePrice(holding)) === 0n
      ? 0n
      : netAt(facts, holding, tier, price)
  }

  return netAmount
}

/**
 * Makes `factsOf(chainId, owner, usd)`, `judge(facts, owner, holding)`, `gasPriceOf(client)`, `worthOf(chain, gas, holding)` and
 * `tierOf(chain, holding)`.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const settings = yield* OrchestratorSettings
  const tokenRisk = yield* TokenRisk
  const verdicts = yield* TokenVerdicts

  // The services of risk are not asked: each of the tokens that anybody can send to a wallet would cost their requests.
  const ruleOf = ({ token: { address: token, chainId } }: Holding) => verdicts.ruleOf({ chainId, token })
  const isDenied = (holding: Holding): boolean => ruleOf(holding)?.use === "deny"

  /** The tier by the operator's rules, or else by the chain's list. */
  const tierOf = (chain: Chain.Chain, holding: Holding): Tier =>
    ruleOf(holding)?.tier ?? Chain.listedTier(chain, holding.token.address)

  const factsOf = Effect.fnUntraced(function* (
    chainId: ChainId,
    owner: Address.Address,
    usd: ReadonlyMap<Address.Address, Fees.UsdPrice>
  ) {
    const client = yield* chains.get(chainId)
    const [code, fees] = yield* Effect.all([client.code(owner), client.feesPerGas], { concurrency: 2 })
    return {
      client,
      delegation: delegationState(client, code),
      gasPrice: fees.baseFeePerGas + fees.maxPriorityFeePerGas,
      nativeUsd: usd.get(NATIVE)
    } satisfies ChainFacts
  })

  const netAmount = makeNetAmount(settings)

  const judge = Effect.fnUntraced(function* (facts: ChainFacts, owner: Address.Address, holding: Holding) {
    const { balance, price, token } = holding
    // Anybody can send a wallet any number of tokens, and each screening costs calls.
    if (holding.standing !== undefined && !isPriced(price))
      return unpriced(facts, holding, tierOf(facts.client.chain, holding))
    const profile: TokenProfile | undefined = isDenied(holding)
      ? undefined
      : yield* tokenRisk
          .screenInput({ chainId: token.chainId, token: token.address, owner, amount: balance })
          .pipe(Effect.catchTag("TokenDeclined", () => Effect.undefined))
    const tier = ruleOf(holding)?.tier ?? profile?.tier ?? Chain.listedTier(facts.client.chain, token.address)
    const net = netAmount(facts, holding, tier)
    const reason = reasonAgainst(facts, profile, holding, net)
    return {
      ...portfolioToken(holding, tier),
      sweepable: reason === null,
      reason,
      delegation: facts.delegation,
      estimatedNetAmount: net,
      estimatedNetUsd: price === undefined ? null : Usd.format(Usd.valueOf(net, salePrice(holding), token.decimals))
    } satisfies SweepableToken
  })

  /** Wei per gas. Undefined if the chain does not tell it. */
  const gasPriceOf = ({ feesPerGas }: ChainClient) =>
    Effect.match(feesPerGas, {
      onFailure: () => undefined,
      onSuccess: (fees) => fees.baseFeePerGas + fees.maxPriorityFeePerGas
    })

  /** A cheap estimate, without the risk of the token and the state of the account. */
  const worthOf = (
    chain: Chain.Chain,
    gas: GasFacts,
    holding: Holding
  ): Pick<PortfolioToken, "worthSweeping" | "reason"> => {
    const reason = obstacleOf(chain, gas, holding, {
      isDeclined: isDenied(holding),
      net: netAmount(gas, holding, tierOf(chain, holding))
    })
    return reason === null ? { worthSweeping: true } : { worthSweeping: false, reason }
  }

  return { factsOf, gasPriceOf, judge, tierOf, worthOf }
})

const unpriced = ({ delegation }: ChainFacts, holding: Holding, tier: Tier): SweepableToken => ({
  ...portfolioToken(holding, tier),
  sweepable: false,
  reason: holding.hasRoute === false ? "no_route" : "no_price",
  delegation,
  estimatedNetAmount: 0n,
  estimatedNetUsd: null
})

/** Price per whole token that decides: what a sale of the whole balance pays, and never more than the token's price. */
const salePrice = ({ balance, price, proceedsUsd, token: { decimals } }: Holding): Fees.UsdPrice =>
  SaleWorth.priceOfSale(price ?? 0n, proceedsUsd, { balance, decimals })

/** The first reason against sweeping a holding in any account; null without one. */
const obstacleOf = (
  chain: Chain.Chain,
  { nativeUsd }: GasFacts,
  { hasRoute, price, standing }: Holding,
  { isDeclined, net }: { readonly isDeclined: boolean; readonly net: bigint }
): SweepableToken["reason"] => {
  if (chain.supportsSetCode === false) return "no_set_code_support"
  if (isDeclined) return "token_declined"
  if (isMarked(standing)) return "no_price"
  if (hasRoute === false) return "no_route"
  if (!isPriced(price) || !isPriced(nativeUsd)) return "no_price"
  return net === 0n ? "worth_less_than_fees" : null
}

/** The first reason against sweeping a holding; null when it can be swept. */
const reasonAgainst = (
  { client: { chain }, delegation, ...gas }: ChainFacts,
  profile: TokenProfile | undefined,
  holding: Holding,
  net: bigint
): SweepableToken["reason"] =>
  delegation === "contract" && chain.supportsSetCode !== false
    ? "account_is_a_contract"
    : obstacleOf(chain, gas, holding, { isDeclined: profile === undefined, net })

const delegationState = ({ chain }: ChainClient, code: `0x${string}`): typeof DelegationState.Type => {
  const account = accountCode(code)
  switch (account._tag) {
    case "Plain":
      return "none"
    case "Contract":
      return "contract"
    case "Delegated":
      return account.delegate === chain.contracts.delegate ? "ours" : "other"
  }
}
