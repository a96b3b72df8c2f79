/**
 * Source chain of a sweep whose request names none (design, "Where the spec is silent"): the only chain on which the token exists,
 * else the only chain on which the owner holds the amount, else the default of the deployment.
 */
import { Option } from "effect"
import type { ChainId } from "./ChainId.ts"

export interface Candidate {
  readonly chainId: ChainId
  /** True if `tokenIn` has code on the chain. Always true for the native currency. */
  readonly tokenExists: boolean
  /** The owner's balance of `tokenIn` on the chain. */
  readonly balance: bigint
}

/** Source chain by the balances and the code of the token; `fallback` if these do not decide. */
export const fromFacts = (
  candidates: ReadonlyArray<Candidate>,
  amountIn: bigint,
  fallback: ChainId | undefined
): Option.Option<ChainId> => {
  const withToken = candidates.filter((candidate) => candidate.tokenExists)
  const [only, ...others] = withToken
  if (only !== undefined && others.length === 0) return Option.some(only.chainId)
  const [funded, ...alsoFunded] = withToken.filter((candidate) => candidate.balance >= amountIn)
  if (funded !== undefined && alsoFunded.length === 0) return Option.some(funded.chainId)
  return Option.filter(Option.fromUndefinedOr(fallback), (chainId) =>
    withToken.some((candidate) => candidate.chainId === chainId)
  )
}
