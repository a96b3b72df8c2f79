/** A wallet of the demo before it signs: its tokens, its balances, and the quotes that it accepts. */
import { Effect } from "effect"
import { createPublicClient, http, parseUnits } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../domain/Address.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { DevChain, DevInfo } from "../DevInfo.ts"
import { DemoFailed } from "./DemoFailed.ts"
import type { WalletScenario } from "./Scenarios.ts"
import type * as SweepApi from "./SweepApi.ts"
import { balanceOf, fund, tokenOf } from "./Wallet.ts"

export type Api = Effect.Success<ReturnType<typeof SweepApi.make>>

const chainAt = (info: DevInfo, index: number): Effect.Effect<DevChain, DemoFailed> => {
  const chain = info.chains[index]
  return chain === undefined
    ? Effect.fail(new DemoFailed({ detail: "the local network has fewer chains than the demo needs" }))
    : Effect.succeed(chain)
}

export const nodeOf = ({ rpcUrl }: DevChain) => createPublicClient({ transport: http(rpcUrl) })

/** Chains, tokens and the account of a scenario. The owner holds the amounts to sweep and nothing else. */
export const prepare = Effect.fnUntraced(function* (info: DevInfo, scenario: WalletScenario) {
  const account = privateKeyToAccount(generatePrivateKey())
  const owner = Address.of(account.address)
  const holdings = yield* Effect.forEach(
    scenario.holdings,
    Effect.fnUntraced(function* (holding) {
      const chain = yield* chainAt(info, holding.chain)
      const token = yield* tokenOf(chain, holding.token)
      const amount = parseUnits(holding.amount, token.decimals)
      yield* fund(info, chain, token, owner, amount)
      return { chain, token, amount, node: nodeOf(chain), name: `${token.symbol} on ${chain.name}` }
    })
  )
  const dest = yield* chainAt(info, scenario.destChain)
  return {
    account,
    owner,
    holdings,
    chains: [...new Set(holdings.map(({ chain }) => chain))],
    dest,
    destNode: nodeOf(dest),
    tokenOut: yield* tokenOf(dest, scenario.tokenOut)
  }
})

export type Prepared = Effect.Success<ReturnType<typeof prepare>>
type Holding = Prepared["holdings"][number]

export const balancesOf = ({ chains, destNode, holdings, owner, tokenOut }: Prepared) =>
  Effect.all(
    {
      tokens: Effect.forEach(holdings, ({ chain, node, token }) =>
        Effect.all({
          owner: balanceOf(node, token.address, owner),
          feeRecipient: balanceOf(node, token.address, chain.feeRecipient)
        })
      ),
      native: Effect.forEach(chains, (chain) => balanceOf(nodeOf(chain), NATIVE, owner)),
      out: balanceOf(destNode, tokenOut.address, owner)
    },
    { concurrency: "unbounded" }
  )

export type Balances = Effect.Success<ReturnType<typeof balancesOf>>

/** Asks for all quotes at once, and checks that each order is the one that was asked for. */
export const quotesFor = Effect.fnUntraced(function* (api: Api, { dest, holdings, owner, tokenOut }: Prepared) {
  const answer = yield* api.quotes({
    owner,
    destination: owner,
    destChainId: dest.id,
    tokenOut: tokenOut.address,
    tokens: holdings.map(({ chain, token }) => ({ chainId: chain.id, token: token.address, amount: "max" })),
    subscriptionActive: false,
    userId: "demo"
  })
  const legs = yield* Effect.forEach(
    holdings,
    Effect.fnUntraced(function* (holding: Holding, index) {
      const { amount, chain, name, token } = holding
      const entry = answer.quotes[index]
      if (entry === undefined || "reason" in entry) {
        return yield* new DemoFailed({ detail: `there is no quote of ${name}: ${entry?.reason ?? "no entry"}` })
      }
      const { order, quote } = entry
      const isAsAsked =
        quote.sourceChainId === chain.id &&
        order.owner === owner &&
        order.tokenIn === token.address &&
        order.amountIn === amount &&
        order.tokenOut === tokenOut.address &&
        order.destination === owner &&
        order.destChainId === BigInt(dest.id) &&
        order.builderFee === 0n
      return isAsAsked
        ? { ...holding, order, quote }
        : yield* new DemoFailed({ detail: `the order of ${name} is not the requested one; a client must not sign it` })
    })
  )
  return { legs, expiresAtMs: answer.expiresAtMs, totals: answer.totals }
})

export type Quoted = Effect.Success<ReturnType<typeof quotesFor>>
export type Leg = Quoted["legs"][number]

/** Sum of the minimums, in the smallest unit of the output token. */
export const minimumOf = (legs: ReadonlyArray<Leg>): bigint =>
  legs.reduce((sum, { quote }) => sum + quote.minAmountOut, 0n)
