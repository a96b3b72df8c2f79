/** One token's sweep: its quote when its card is active, the two signatures, and the submission. */
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { type Offer, type SweepableToken, SweepError, type SweepRequest, type SweepReview } from "../../sdk/index.ts"
import { type Catalog, keyOf, routeHint } from "./catalog.ts"
import type { Plan } from "./ChooseStep.tsx"
import { type Session, useSession } from "./session.ts"
import type { Submission } from "./submissions.ts"

interface Quoted {
  readonly offer: Offer
  readonly request: SweepRequest
  readonly review: SweepReview
}

const requestOf = (
  { account, apiKey, catalog }: Pick<Session, "account" | "apiKey"> & { readonly catalog: Catalog },
  token: SweepableToken,
  { destination, to }: Plan
): SweepRequest => {
  const route = routeHint(catalog, token.chainId, to.chainId)
  return {
    owner: account.address,
    tokenIn: token.address,
    amountIn: token.balance,
    tokenOut: to.address,
    destination,
    destChainId: to.chainId,
    sourceChainId: token.chainId,
    tier: token.tier,
    ...(route === undefined ? {} : { route }),
    ...(apiKey === undefined ? {} : { apiKey })
  }
}

const submissionOf = ({ quoteId, receive, send }: SweepReview, submittedAtMs: number): Submission => ({
  id: quoteId,
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

export const useSweep = (token: SweepableToken, plan: Plan, isCurrent: boolean) => {
  const session = useSession()
  const { account, client, submissions } = session
  const [id, setId] = useState<string>()
  const quote = useQuery({
    queryKey: ["quote", keyOf(token), keyOf(plan.to), plan.destination, account.address],
    enabled: isCurrent && id === undefined,
    // A quote expires soon, so it is not cached. It is not refreshed either, so that it does not change while it is read.
    gcTime: 0,
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: false,
    queryFn: async ({ signal }): Promise<Quoted> => {
      const request = requestOf(session, token, plan)
      const offer = await client.quote(request, { signal })
      return { offer, request, review: client.reviewOrder(offer, request) }
    }
  })
  const sign = useMutation({
    mutationFn: async ({ offer, request, review }: Quoted) => {
      const signed = await client.signSweep(offer, request, account.signer)
      await client.submit(signed).catch((error: unknown) => {
        // The response may be lost although the sweep was accepted, so the sweep is followed.
        if (!(error instanceof SweepError && error.retryable)) throw error
      })
      submissions.add(submissionOf(review, Date.now()))
      setId(review.quoteId)
    }
  })
  /** Gets a new quote, which must be reviewed again. */
  const renew = () => {
    sign.reset()
    return quote.refetch()
  }
  const restart = () => {
    setId(undefined)
    return renew()
  }
  return { id, quote, sign, renew, restart, submission: submissions.list.find((each) => each.id === id) }
}
