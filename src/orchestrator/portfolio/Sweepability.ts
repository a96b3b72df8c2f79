/** Decides which of an owner's holdings are worth sweeping, by an estimate of the fees. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { accountCode } from "../../domain/Delegation.ts"
import * as FeePolicy from "../../domain/FeePolicy.ts"
import * as Fees from "../../domain/Fees.ts"
import type { DelegationState, SweepableToken } from "../../domain/Portfolio.ts"
import { ASSUMED_SWEEP_GAS } from "../../domain/RelayGas.ts"
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

/**
 * Makes `factsOf(chainId, owner, usd)`, `judge(facts, owner, holding)`, `gasPriceOf(client)`, `isWorthIt(chain, gas, holding)` and
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

  /**
   * The balance after protocol and network fees; 0 when the fees exceed it. A quote also charges for the transaction's bytes
   * on rollups, so this may be more than the quote.
   */
  const netAmount = (facts: GasFacts, { balance, price, token }: Holding, tier: Tier): bigint => {
    if (!isPriced(price) || !isPriced(facts.nativeUsd)) return 0n
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
        tokenUsd: price,
        tokenDecimals: token.decimals
      })
    return fees < balance ? balance - fees : 0n
  }

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
    const reason = reasonAgainst(facts, profile, price, net)
    return {
      ...portfolioToken(holding, tier),
      sweepable: reason === null,
      reason,
      delegation: facts.delegation,
      estimatedNetAmount: net,
      estimatedNetUsd: price === undefined ? null : Usd.format(Usd.valueOf(net, price, token.decimals))
    } satisfies SweepableToken
  })

  /** Wei per gas. Undefined if the chain does not tell it. */
  const gasPriceOf = ({ feesPerGas }: ChainClient) =>
    Effect.match(feesPerGas, {
      onFailure: () => undefined,
      onSuccess: (fees) => fees.baseFeePerGas + fees.maxPriorityFeePerGas
    })

  /** A cheap estimate, without the risk of the token and the state of the account. */
  const isWorthIt = (chain: Chain.Chain, gas: GasFacts, holding: Holding): boolean =>
    chain.supportsSetCode !== false &&
    !isMarked(holding.standing) &&
    !isDenied(holding) &&
    netAmount(gas, holding, tierOf(chain, holding)) > 0n

  return { factsOf, gasPriceOf, isWorthIt, judge, tierOf }
})

const unpriced = ({ delegation }: ChainFacts, holding: Holding, tier: Tier): SweepableToken => ({
  ...portfolioToken(holding, tier),
  sweepable: false,
  reason: "no_price",
  delegation,
  estimatedNetAmount: 0n,
  estimatedNetUsd: null
})

/** The first reason against sweeping a holding; null when it can be swept. */
const reasonAgainst = (
  { client, delegation, nativeUsd }: ChainFacts,
  profile: TokenProfile | undefined,
  price: Fees.UsdPrice | undefined,
  net: bigint
): SweepableToken["reason"] => {
  if (client.chain.supportsSetCode === false) return "no_set_code_support"
  if (delegation === "contract") return "account_is_a_contract"
  if (profile === undefined) return "token_declined"
  if (!isPriced(price) || !isPriced(nativeUsd)) return "no_price"
  return net === 0n ? "worth_less_than_fees" : null
}

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
