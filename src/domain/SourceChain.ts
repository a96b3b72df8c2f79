/**
 * Where a sweep starts. The spec has no field for it, so it is chosen from what the request implies (design, "Where the
 * spec is silent"): the route hint's source, else the only chain where the token exists, else the only one where the owner
 * holds the amount, else the deployment's default.
 */
import { Option } from "effect"
import type { ChainId } from "./ChainId.ts"

export interface Candidate {
  readonly chainId: ChainId
  readonly name: string
  /** Whether `tokenIn` has code there; true everywhere for the native currency. */
  readonly tokenExists: boolean
  /** What the owner holds of `tokenIn` there. */
  readonly balance: bigint
}

/** The source named by the hint, by chain name or id, if it is one of the candidates. */
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

/** The source that facts about token and owner point to; `fallback` where they do not tell. */
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
