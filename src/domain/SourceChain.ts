/**
 * Source chain of a sweep. The spec has no field for it, so it is derived from the request (design, "Where the spec is
 * silent"): the source of the route hint, else the only chain on which the token exists, else the only chain on which
 * the owner holds the amount, else the default of the deployment.
 */
import { Option } from "effect"
import type { ChainId } from "./ChainId.ts"

export interface Candidate {
  readonly chainId: ChainId
  readonly name: string
  /** True if `tokenIn` has code on the chain. Always true for the native currency. */
  readonly tokenExists: boolean
  /** The owner's balance of `tokenIn` on the chain. */
  readonly balance: bigint
}

/** Source in the hint, by chain name or id, if it is one of the candidates. */
export const fromHint = (
  source: Option.Option<string>,
  candidates: ReadonlyArray<Pick<Candidate, "chainId" | "name">>
): Option.Option<ChainId> =>
  Option.flatMap(source, (hint) =>
    Option.map(
      Option.fromUndefinedOr(
        candidates.find((candidate) => candidate.name.toLowerCase() === hint || String(candidate.chainId) === hint)
      ),
      (candidate) => candidate.chainId
    )
  )

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
