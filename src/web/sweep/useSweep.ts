/** The sweep of a plan: the quotes of all tokens, one signature for those that are kept, and the submission. */
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import {
  type BatchReview,
  IdempotencyKeyInUseError,
  type LeftOutToken,
  NetworkError,
  NothingToSweepError,
  type ReviewedLeg,
  selectLegs,
  ServiceError,
  type SweepQuotesRequest
} from "../../sdk/index.ts"
import { keyOf, type Place } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { type Session, useSession } from "./session.ts"
import type { Submission } from "./submissions.ts"

interface Quoted {
  /** Undefined if no token can be swept. */
  readonly review: BatchReview | undefined
  readonly leftOut: ReadonlyArray<LeftOutToken>
}

const requestOf = (
  { account, apiKey }: Pick<Session, "account" | "apiKey">,
  { destination, to, tokens }: Plan
): SweepQuotesRequest => ({
  owner: account.address,
  tokens: tokens.map(({ address, balance, chainId, tier }) => ({ chainId, token: address, amount: balance, tier })),
  tokenOut: to.address,
  destination,
  destChainId: to.chainId,
  ...(apiKey === undefined ? {} : { apiKey })
})

const quoted = (review: () => BatchReview): Quoted => {
  try {
    const found = review()
    return { review: found, leftOut: found.leftOut }
  } catch (error) {
    if (error instanceof NothingToSweepError) return { review: undefined, leftOut: error.leftOut }
    throw error
  }
}

const submissionOf = (
  { quoteId, receive, send }: ReviewedLeg,
  sweepId: string | undefined,
  submittedAtMs: number
): Submission => ({
  id: quoteId,
  ...(sweepId === undefined ? {} : { sweepId }),
  submittedAtMs,
  send: { chainId: send.chainId, token: send.token, amount: send.amount.toString() },
  receive: {
    chainId: receive.chainId,
    token: receive.token,
    amount: receive.minAmount.toString(),
    destination: receive.destination
  },
  ...(receive.via === undefined ? {} : { crossing: { chainId: receive.via.chainId, token: receive.via.token } }),
  // Until the first answer of the service.
  status: "quoted"
})

/** True if the response may be lost although the sweep was accepted. */
const mayBeAccepted = (error: unknown): boolean =>
  error instanceof NetworkError || error instanceof ServiceError || error instanceof IdempotencyKeyInUseError

/** Addresses of orders and of the token list may differ in case. */
const keyOfToken = (chainId: number, address: string): string => `${chainId}:${address.toLowerCase()}`

export const useSweep = (plan: Plan) => {
  const session = useSession()
  const { account, client, submissions } = session
  const [ids, setIds] = useState<ReadonlySet<string>>()
  /** Tokens that the owner leaves out of the signature. */
  const [dropped, setDropped] = useState<ReadonlySet<string>>(new Set())
  const quote = useQuery({
    queryKey: ["quotes", plan.tokens.map(keyOf), keyOf(plan.to), plan.destination, account.address],
    enabled: ids === undefined,
    // Quotes expire soon, so they are not cached. They are not refreshed either, so that they do not change while they are read.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: false,
    queryFn: async ({ signal }): Promise<Quoted> => {
      const request = requestOf(session, plan)
      const quotes = await client.sweepQuotes(request, { signal })
      return quoted(() => client.reviewSweepQuotes(quotes, request))
    }
  })
  const sign = useMutation({
    mutationFn: async (review: BatchReview) => {
      const signed = await client.signBatch(review, account.signer)
      const sweepId = await client.submitSweep(signed).then(
        (accepted) => accepted.id,
        (error: unknown) => {
          if (!mayBeAccepted(error)) throw error
          // Its id is unknown, so each intent is followed by its own.
          return undefined
        }
      )
      const now = Date.now()
      submissions.add(review.legs.map((leg) => submissionOf(leg, sweepId, now)))
      setIds(new Set(review.legs.map(({ quoteId }) => quoteId)))
    }
  })
  const found = quote.data?.review
  const isKept = ({ send }: ReviewedLeg) => !dropped.has(keyOfToken(send.chainId, send.token))
  return {
    quote,
    sign,
    /** Gets new quotes, which must be reviewed again. */
    renew: () => {
      sign.reset()
      return quote.refetch()
    },
    isDropped: ({ address, chainId }: Place) => dropped.has(keyOfToken(chainId, address)),
    toggle: ({ address, chainId }: Place) => {
      const next = new Set(dropped)
      const key = keyOfToken(chainId, address)
      if (!next.delete(key)) next.add(key)
      setDropped(next)
    },
    /** The data to sign. Undefined if nothing is kept. */
    review: found?.legs.some(isKept) === true ? selectLegs(found, isKept) : undefined,
    /** Undefined until the sweep is signed. */
    submitted: ids === undefined ? undefined : submissions.list.filter(({ id }) => ids.has(id))
  }
}

export type SweepState = ReturnType<typeof useSweep>
