/**
 * Balances of tokens that no list has. Their contracts say what they are, and are untrusted: the calls are apart from those of listed
 * tokens, texts are bounded, and metadata are remembered.
 */
import { Effect, Option } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import * as TokenText from "../../domain/TokenText.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import { textOf } from "../evm/codec/TokenString.ts"

export type Reader = (
  reads: ReadonlyArray<Multicall3.Read>
) => Effect.Effect<ReadonlyArray<Multicall3.Answer>, ChainUnavailable>

const METADATA = (["decimals", "symbol", "name"] as const).map((functionName) =>
  encodeFunctionData({ abi: erc20Abi, functionName })
)

/** One whole token of more decimals does not fit a uint256. */
const MAX_DECIMALS = 77n

/** Tokens of all chains whose metadata are remembered. */
const REMEMBERED = 20_000

/** The token as its contract describes it. None for an address that is no token. */
const describe = (
  chainId: ChainId,
  address: Address.Address,
  [decimals = Option.none(), symbol = Option.none(), name = Option.none()]: ReadonlyArray<Multicall3.Answer>
): TokenInfo | undefined => {
  const digits = Option.getOrUndefined(Multicall3.word(decimals))
  if (digits === undefined || digits > MAX_DECIMALS) return undefined
  return {
    chainId,
    address,
    symbol: TokenText.symbol(textOf(symbol)),
    name: TokenText.name(textOf(name)),
    decimals: Number(digits)
  }
}

/** Makes `read(client, reader, tokens, balanceOf)`: the tokens with a positive balance, in their order. */
export const make = () => {
  const remembered = new Map<string, TokenInfo>()
  const remember = (key: string, token: TokenInfo): void => {
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(key, token)
  }

  return Effect.fn("UnlistedTokens.read")(function* (
    { chain }: ChainClient,
    reader: Reader,
    tokens: ReadonlyArray<Address.Address>,
    balanceOf: Hex
  ) {
    if (tokens.length === 0) return []
    const keyOf = (token: Address.Address) => `${chain.id} ${token}`
    const asked = tokens.map((token) => [balanceOf, ...(remembered.has(keyOf(token)) ? [] : METADATA)])
    const answers = yield* reader(
      asked.flatMap((calls, index) => calls.map((data) => ({ to: tokens[index] ?? chain.multicall3, data })))
    )
    let next = 0
    return tokens.flatMap((address, index) => {
      const [balance = Option.none(), ...metadata] = answers.slice(next, (next += asked[index]?.length ?? 0))
      const token = remembered.get(keyOf(address)) ?? describe(chain.id, address, metadata)
      if (token === undefined) return []
      // A node may have refused a part: that is asked again.
      if (metadata.length === METADATA.length && metadata.every(Option.isSome)) remember(keyOf(address), token)
      const held = Option.getOrElse(Multicall3.word(balance), () => 0n)
      return held > 0n ? [{ token, balance: held }] : []
    })
  })
}
