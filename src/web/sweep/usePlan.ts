/**
 * The one plan: quotes of what is selected, renewed in place while they are looked at, their review, one signature, and the submission.
 */
import { keepPreviousData, onlineManager, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useEffect, useMemo, useState } from "react"
import {
  type BatchReview,
  type LeftOutToken,
  NetworkError,
  NothingToSweepError,
  type SignedBatch,
  type SweepQuotesRequest
} from "../../sdk/index.ts"
import { askAgain, useLastError } from "../api/askAgain.ts"
import type { Place } from "./catalog.ts"
import { isOutdated } from "./explain.ts"
import { mayBeAccepted } from "./mayBeAccepted.ts"
import { changeOf, type Figures, figuresOf, isPassing, isPast, leastOf, type Wanted } from "./plan.ts"
import { makePresses, type Press, signerOf, type Stage } from "./press.ts"
import { type Session, useSession } from "./session.ts"
import { submissionOf } from "./submissions.ts"
import { submitSigned } from "./submitSigned.ts"
import { changeToShow, type Deeds, type Renewed, useChanges, useRenewal } from "./useRenewal.ts"

/** Maximum number of tokens under one signature. */
export const MOST_TOKENS = 50

/** Quotes and the result of their review. */
export interface Plan {
  readonly wanted: Wanted
  /** Undefined if no token can be swept. */
  readonly review: BatchReview | undefined
  readonly leftOut: ReadonlyArray<LeftOutToken>
  readonly figures: Figures | undefined
  /** Number of times that it was renewed by itself. */
  readonly renewals: number
}

/** Pause after the last change before quotes are requested. */
const SETTLE_MILLIS = 350

/** Number of times that quotes are renewed by themselves while nothing is changed: about ten minutes. */
const MOST_RENEWALS = 5

/** Number of times that a request which failed is repeated by itself: about four minutes. */
const MOST_REPEATS = 8

const repeatAfter = askAgain<Plan>(isPassing, MOST_REPEATS)

/** The part of a query of TanStack Query that decides when the plan is asked for again. */
type AskedPlan = Parameters<typeof repeatAfter>[0]

/** Milliseconds until the plan is asked for again by itself: after a failure, or when its quotes expire. False if it is not. */
const nextAfter = (query: AskedPlan): number | false => {
  const { data, error } = query.state
  const pause = repeatAfter(query)
  if (pause !== false || error !== null || data?.review === undefined) return pause
  return data.renewals >= MOST_RENEWALS ? false : Math.max(1_000, data.review.expiresAt.getTime() - Date.now())
}

const requestOf = (
  { account, apiKey }: Pick<Session, "account" | "apiKey">,
  { destination, to, tokens }: Wanted
): SweepQuotesRequest => ({
  owner: account.address,
  tokens: tokens.map(({ amount, token: { address, chainId, tier } }) => ({ chainId, token: address, amount, tier })),
  tokenOut: to.address,
  destination,
  destChainId: to.chainId,
  ...(apiKey === undefined ? {} : { apiKey })
})

/** Asks for quotes and reviews them. */
const planOf = async (session: Session, wanted: Wanted, signal?: AbortSignal): Promise<Plan> => {
  const request = requestOf(session, wanted)
  const quotes = await session.client.sweepQuotes(request, { signal })
  try {
    const review = session.client.reviewSweepQuotes(quotes, request)
    return { wanted, review, leftOut: review.leftOut, figures: figuresOf(review, quotes, wanted), renewals: 0 }
  } catch (error) {
    if (error instanceof NothingToSweepError)
      return { wanted, review: undefined, leftOut: error.leftOut, figures: undefined, renewals: 0 }
    throw error
  }
}

const textOf = ({ destination, to, tokens }: Wanted): string =>
  [
    destination,
    to.chainId,
    to.address,
    ...tokens.map(({ amount, token }) => `${token.chainId}:${token.address}:${amount}`)
  ].join()

/** The value once it has not changed for a while. */
const useSettled = <A>(value: A, key: string): { readonly value: A; readonly key: string } => {
  const [settled, setSettled] = useState({ value, key })
  useEffect(() => {
    if (settled.key === key) return
    const timer = setTimeout(() => setSettled({ value, key }), SETTLE_MILLIS)
    return () => clearTimeout(timer)
  }, [value, key, settled.key])
  return settled
}

/** Outcome of a press on the button: submitted, or not because the renewed plan is not what the user agreed to. */
export type Outcome = { readonly kind: "submitted"; readonly swept: ReadonlyArray<Place> } | Renewed

/** Stores the sweep, and then submits it. Stored sweeps that the service refused are removed. */
const submit = async ({ client, submissions }: Session, plan: Plan, review: BatchReview, signed: SignedBatch) => {
  const ids = review.legs.map(({ quoteId }) => quoteId)
  const now = Date.now()
  submissions.add(review.legs.map((leg) => submissionOf(leg, plan.wanted, now)))
  try {
    const { id } = await submitSigned(client, signed, review.expiresAt)
    submissions.accepted(ids, id)
  } catch (error) {
    if (!mayBeAccepted(error)) {
      submissions.drop(ids)
      throw error
    }
    submissions.unanswered(ids)
  }
}

/** The request for a plan, undefined while something is missing, and what the user did for it. */
interface Chosen {
  readonly wanted: Wanted | undefined
  readonly deeds: Deeds
}

/** Asks for the plan of what is wanted, renews it, and repeats what failed and may succeed. */
const useQuotes = (session: Session, { deeds, wanted }: Chosen, isBusy: boolean) => {
  const { address } = session.account
  const queries = useQueryClient()
  const text = wanted === undefined ? "" : textOf(wanted)
  const changes = useChanges(text, deeds)
  const asked = useMemo(() => ({ changes, text, wanted }), [changes, text, wanted])
  const { value: settled } = useSettled(asked, `${changes} ${text}`)
  const key = useMemo(() => ["quotes", address, settled.text], [address, settled.text])
  const quote = useQuery<Plan>({
    queryKey: key,
    enabled: settled.wanted !== undefined && !isBusy,
    gcTime: 0,
    staleTime: Infinity,
    refetchOnReconnect: false,
    retry: false,
    placeholderData: keepPreviousData,
    refetchInterval: nextAfter,
    queryFn: async ({ signal }) => {
      if (settled.wanted === undefined) throw new Error("nothing is selected")
      const before = queries.getQueryData<Plan>(key)
      const plan = await planOf(session, settled.wanted, signal)
      return { ...plan, renewals: before?.review === undefined ? 0 : before.renewals + 1 }
    }
  })
  const data = quote.isPlaceholderData ? undefined : quote.data
  const query = queries.getQueryCache().find<Plan>({ queryKey: key })
  return {
    key,
    quote,
    settledText: settled.text,
    settledChanges: settled.changes,
    /** The error for which there is no plan, or null. */
    failure: useLastError({ data, error: quote.error }, settled.text),
    /** Milliseconds after the last answer until the page asks again by itself, because it has no plan. False if it does not. */
    repeatMillis: query === undefined ? false : repeatAfter(query)
  }
}

export const usePlan = ({ deeds, wanted }: Chosen) => {
  const session = useSession()
  const { account, client } = session
  const queries = useQueryClient()
  const [stage, setStage] = useState<Stage>()
  const [presses] = useState(() => makePresses(setStage))
  useEffect(presses.mount, [presses])
  const { failure, key, quote, repeatMillis, settledChanges, settledText } = useQuotes(
    session,
    { deeds, wanted },
    stage !== undefined
  )

  /** Signs and submits what was agreed to. Quotes that expired are renewed, and used if the agreement covers them. */
  const run = async (agreed: Plan, press: Press): Promise<Outcome> => {
    if (agreed.review === undefined) throw new NothingToSweepError(agreed.leftOut)
    // A signature that cannot be submitted is not asked for.
    if (!onlineManager.isOnline()) throw new NetworkError("the service", "the browser is offline")
    // A renewal under way must not change what is shown while the wallet is asked.
    await queries.cancelQueries({ queryKey: key })
    press.check()
    const signer = signerOf(account.signer, press)
    let plan = agreed
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1 || isPast(plan.review)) {
        plan = await planOf(session, plan.wanted)
        press.check()
        queries.setQueryData(key, plan)
        const change = changeOf(agreed.review, plan.review)
        if (change !== undefined) return { kind: change, agreed: leastOf(agreed.review) }
      }
      const { review } = plan
      if (review === undefined) throw new NothingToSweepError(plan.leftOut)
      try {
        const signed = await client.signBatch(review, signer)
        press.enter("sending")
        await submit(session, plan, review, signed)
        const swept = review.legs.map(({ send: { chainId, token } }) => ({ chainId, address: token }))
        return { kind: "submitted", swept }
      } catch (error) {
        if (attempt > 1 || !isOutdated(error) || !press.isLast()) throw error
        press.enter("signing")
      }
    }
  }
  const sweep = useMutation({
    mutationFn: async (agreed: Plan) => {
      const press = presses.begin()
      try {
        return await run(agreed, press)
      } finally {
        press.end()
      }
    }
  })
  /** Ends the wait for a wallet that does not answer. A later signature is not sent. */
  const stopWaiting = () => {
    if (presses.stop()) sweep.reset()
  }
  const isCurrent = wanted !== undefined && settledText === textOf(wanted) && !quote.isPlaceholderData
  /** True while the last press on the button was about what is selected now. */
  const isAnswered = sweep.variables !== undefined && textOf(sweep.variables.wanted) === settledText
  const outcome = isAnswered ? sweep.data : undefined
  const { isHeld, renewed } = useRenewal(quote.isPlaceholderData ? undefined : quote.data, settledChanges)
  return {
    quote,
    sweep,
    /** Undefined unless the wallet is asked. */
    stopWaiting: stage === "signing" ? stopWaiting : undefined,
    error: isAnswered ? sweep.error : null,
    /** The change that the user has not agreed to, while it holds, with the least amount before it. */
    changed: changeToShow(outcome?.kind === "submitted" ? undefined : outcome, renewed, leastOf(quote.data?.review)),
    /** True for a moment after such a change, in which nothing can be signed. */
    isHeld,
    /** Undefined while nothing is selected, and after a failure. The last plan stays while another one is asked for. */
    plan: wanted === undefined || failure !== null ? undefined : quote.data,
    failure: wanted === undefined ? null : failure,
    repeatMillis,
    /** True if the plan is of what is selected now. */
    isCurrent: isCurrent && quote.data !== undefined,
    isAsking: wanted !== undefined && (!isCurrent || quote.isFetching)
  }
}

export type PlanState = ReturnType<typeof usePlan>
