/** Sweeps a whole wallet: its balances, their quotes, one review, one signature, and the progress. */
import { type Address, sameAddress } from "../model/Address.ts"
import type { SignedBatch, Sweep, SweepAccepted, SweepQuotes, SweepQuotesRequest } from "../model/Batch.ts"
import { NothingToSweepError } from "../model/Errors.ts"
import type { Portfolio, SweepableToken } from "../model/Portfolio.ts"
import type { BatchReview } from "../review/BatchReview.ts"
import type { SweepSigner } from "../sign/Signer.ts"
import type { RequestOptions } from "./RequestOptions.ts"
import { checkTimeout } from "./Sleep.ts"
import { finished } from "./Unfinished.ts"
import type { WaitOptions } from "./Waiting.ts"

/** A wallet to sweep. */
export interface SweepAllRequest extends Omit<
  SweepQuotesRequest,
  "tokens" | "tokenOut" | "destChainId" | "destination"
> {
  /** Token to receive, on the chain `to`. */
  readonly token: Address
  /** Chain on which it arrives, and its receiver. Default of the receiver: the owner. */
  readonly to: { readonly chainId: number; readonly address?: Address }
}

/** Progress of {@link SweepAllRequest}. */
export type SweepAllEvent =
  /** The balances are known. */
  | { readonly type: "portfolio"; readonly portfolio: Portfolio<SweepableToken> }
  /** The service made quotes. */
  | { readonly type: "quoted"; readonly quotes: SweepQuotes }
  /** The quotes passed the review. */
  | { readonly type: "reviewed"; readonly review: BatchReview }
  /** The wallet signed. */
  | { readonly type: "signed"; readonly signed: SignedBatch }
  /** The service accepted the sweep, and will send it. */
  | { readonly type: "submitted"; readonly accepted: SweepAccepted }
  /** First known state of the sweep, and each change. */
  | { readonly type: "progress"; readonly sweep: Sweep }

export interface SweepAllOptions extends Omit<WaitOptions<Sweep>, "onProgress"> {
  /** Chooses the balances to sweep. Default: those that the service calls worth sweeping. The 50 most valuable are quoted. */
  readonly choose?: (token: SweepableToken) => boolean
  /**
   * Called with the review before the wallet signs. The sweep stops if it returns false. It may return a review with fewer legs, made by
   * `selectLegs`. Default: sign without asking.
   */
  readonly confirm?: (review: BatchReview) => boolean | BatchReview | Promise<boolean | BatchReview>
  /** Called with each event, in order. */
  readonly onEvent?: (event: SweepAllEvent) => void
}

/** A sweep whose intents have all ended. Each was delivered or failed alone. */
export interface SweepAllResult {
  readonly review: BatchReview
  readonly sweep: Sweep
}

/** The steps that a sweep of a whole wallet takes. */
interface Steps {
  readonly sweepable: (owner: Address, options?: RequestOptions) => Promise<Portfolio<SweepableToken>>
  readonly sweepQuotes: (request: SweepQuotesRequest, options?: RequestOptions) => Promise<SweepQuotes>
  readonly reviewSweepQuotes: (quotes: SweepQuotes, request: SweepQuotesRequest) => BatchReview
  readonly signBatch: (review: BatchReview, signer: SweepSigner, options?: RequestOptions) => Promise<SignedBatch>
  readonly submitSweep: (signed: SignedBatch, options?: RequestOptions) => Promise<SweepAccepted>
  readonly waitForSweep: (id: string, options?: WaitOptions<Sweep>) => Promise<Sweep>
}

/** Sweeps a wallet. Resolves with undefined if `confirm` returned false. */
export const sweepAll = async (
  steps: Steps,
  { to, token, ...request }: SweepAllRequest,
  signer: SweepSigner,
  { choose = ({ sweepable }) => sweepable, confirm, onEvent, ...wait }: SweepAllOptions = {}
): Promise<SweepAllResult | undefined> => {
  checkTimeout(wait.timeoutMillis)
  const options: RequestOptions = { signal: wait.signal }
  const portfolio = await steps.sweepable(request.owner, options)
  onEvent?.({ type: "portfolio", portfolio })
  const tokens = portfolio.tokens
    .filter((each) => !(each.chainId === to.chainId && sameAddress(each.address, token)) && choose(each))
    .toSorted((a, b) => Number(b.valueUsd ?? 0) - Number(a.valueUsd ?? 0))
    // The service quotes at most 50 tokens.
    .slice(0, 50)
    .map(({ address, chainId, tier }) => ({ chainId, token: address, amount: "max" as const, tier }))
  if (tokens.length === 0) throw new NothingToSweepError([])
  const asked: SweepQuotesRequest = {
    ...request,
    tokens,
    tokenOut: token,
    destChainId: to.chainId,
    destination: to.address ?? request.owner
  }
  const quotes = await steps.sweepQuotes(asked, options)
  onEvent?.({ type: "quoted", quotes })
  const review = steps.reviewSweepQuotes(quotes, asked)
  onEvent?.({ type: "reviewed", review })
  const confirmed = (await confirm?.(review)) ?? true
  if (confirmed === false) return undefined
  const chosen = confirmed === true ? review : confirmed
  wait.signal?.throwIfAborted()
  const signed = await steps.signBatch(chosen, signer, options)
  onEvent?.({ type: "signed", signed })
  const sweep = await finished(
    signed.quoteIds,
    wait.signal,
    () => steps.submitSweep(signed, options),
    (accepted) => {
      onEvent?.({ type: "submitted", accepted })
      return steps.waitForSweep(accepted.id, {
        ...wait,
        onProgress: (state) => onEvent?.({ type: "progress", sweep: state })
      })
    }
  )
  return { review: chosen, sweep }
}
