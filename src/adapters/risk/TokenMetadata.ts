/** Symbol and decimals from the token's contract. They are untrusted, so they are bounded before use. */
import { Effect, Option } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import type * as Address from "../../domain/Address.ts"
import { accountCode } from "../../domain/Delegation.ts"
import * as TokenText from "../../domain/TokenText.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { TokenDeclined } from "../../ports/orchestrator/TokenRisk.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import * as TokenString from "../evm/codec/TokenString.ts"

export interface Metadata {
  readonly symbol: string
  /** 0 to 77. One whole token of more decimals does not fit a uint256. */
  readonly decimals: number
}

const MAX_DECIMALS = 77n

const SYMBOL = encodeFunctionData({ abi: erc20Abi, functionName: "symbol" })
const DECIMALS = encodeFunctionData({ abi: erc20Abi, functionName: "decimals" })

/** Reads symbol and decimals from the chain. Declines an address without code or without valid decimals. */
export const read = Effect.fn("TokenMetadata.read")(function* (client: ChainClient, token: Address.Address) {
  const notAToken = (detail: string) => new TokenDeclined({ token, reason: "not_a_token", detail })
  const [code, [symbol, decimals]] = yield* Effect.all(
    [
      client.code(token),
      Multicall3.read(client, [
        { to: token, data: SYMBOL },
        { to: token, data: DECIMALS }
      ])
    ],
    { concurrency: 2 }
  )
  if (accountCode(code)._tag !== "Contract") return yield* notAToken("the address has no contract")
  const digits = Option.flatMap(Option.fromUndefinedOr(decimals), Multicall3.word)
  if (!Option.exists(digits, (value) => value <= MAX_DECIMALS))
    return yield* notAToken("the contract has no valid decimals")
  return {
    symbol: sanitize(TokenString.textOf(symbol ?? Option.none())),
    decimals: Number(Option.getOrElse(digits, () => 0n))
  } satisfies Metadata
})

/** The symbol, safe to show. */
export const sanitize = TokenText.symbol
