/** {@link Balances} by Multicall3 over each chain's token list, without a provider. Unlisted tokens are not found. */
import { Array, Effect, Layer, Option } from "effect"
import { encodeFunctionData, erc20Abi, multicall3Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { isNative, NATIVE, type TokenInfo } from "../../domain/Token.ts"
import { Balances, BalancesUnavailable, type TokenBalance } from "../../ports/orchestrator/Balances.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"

/** The native currency first, then the list in its order. Some lists contain the native currency too. */
const tokensOf = (chain: Chain.Chain): ReadonlyArray<TokenInfo> => [
  ...Option.toArray(Chain.token(chain, NATIVE)),
  ...chain.tokens.filter((token) => !isNative(token.address))
]

const readBalance = (chain: Chain.Chain, token: Address.Address, owner: Address.Address): Multicall3.Read =>
  isNative(token)
    ? {
        to: chain.multicall3,
        data: encodeFunctionData({ abi: multicall3Abi, functionName: "getEthBalance", args: [owner] })
      }
    : { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] }) }

/** A token that reverts or does not return one word is left out, so that one bad token does not hide the others. */
const onChain = Effect.fn("MulticallBalances.onChain")(function* (client: ChainClient, owner: Address.Address) {
  const tokens = tokensOf(client.chain)
  const answers = yield* Multicall3.read(
    client,
    tokens.map((token) => readBalance(client.chain, token.address, owner))
  )
  return Array.zip(tokens, answers).flatMap(([token, answer]): ReadonlyArray<TokenBalance> => {
    const balance = Option.getOrElse(Multicall3.word(answer), () => 0n)
    return balance > 0n ? [{ token, balance }] : []
  })
})

export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const on = Effect.fn("MulticallBalances.on")(
    function* (chainId: ChainId, owner: Address.Address) {
      return yield* onChain(yield* chains.get(chainId), owner)
    },
    Effect.mapError((error) => new BalancesUnavailable({ detail: error.message }))
  )
  return Balances.of({ on })
})

export const layer = Layer.effect(Balances, make)
