/** The promise client of the service. Every rejection is a `SweepError` or the signal's reason. */
import { attributed } from "../core/Attribution.ts"
import type { Address } from "../model/Address.ts"
import type { SignedBatch, Sweep, SweepAccepted, SweepPage, SweepQuotes, SweepQuotesRequest } from "../model/Batch.ts"
import type { ListedToken, ServedChain, TokenPrice } from "../model/Catalog.ts"
import { SweepFailedError } from "../model/Errors.ts"
import type { Hex } from "../model/Hex.ts"
import type { Accepted, Intent } from "../model/Intent.ts"
import type { Portfolio, SweepableToken } from "../model/Portfolio.ts"
import type { AuthorizationRequest, Offer, SignedSweep, SweepRequest } from "../model/Sweep.ts"
import { type BatchReview, reviewSweepQuotes } from "../review/BatchReview.ts"
import { refuseExpired } from "../review/Expiry.ts"
import { reviewNonces } from "../review/NonceReview.ts"
import { reviewOrder, type SweepReview } from "../review/Review.ts"
import type { SweepSigner } from "../sign/Signer.ts"
import { signBatch, signReviewed } from "../sign/Signing.ts"
import {
  readSweep,
  readSweepAccepted,
  readSweepPage,
  readSweepQuotes,
  writeSignedBatch,
  writeSweepQuotesRequest
} from "../wire/Batch.ts"
import { readChains, readPrices, readTokens } from "../wire/Catalog.ts"
import { readAccepted } from "../wire/Intent.ts"
import { readOffer, writeRequest, writeSigned } from "../wire/Offer.ts"
import { readPortfolio, readSweepable } from "../wire/Portfolio.ts"
import {
  type Delegation,
  accountNonce,
  delegation,
  type Node,
  nodeClient,
  revokeDelegation,
  type RevokeOptions
} from "./Delegation.ts"
import { type Fetch, makeHttp } from "./Http.ts"
import type { KeyedRequestOptions, PageOptions, PortfolioOptions, RequestOptions } from "./RequestOptions.ts"
import { checkTimeout } from "./Sleep.ts"
import { sweepAll, type SweepAllOptions, type SweepAllRequest, type SweepAllResult } from "./SweepAll.ts"
import type { SweepClientOptions, SweepOptions, SweepResult } from "./SweepClientOptions.ts"
import { finished } from "./Unfinished.ts"
import { INTENT, SWEEP, waitFor, type WaitOptions } from "./Waiting.ts"

export interface SweepClient {
  /**
   * Requests a quote (`POST /quote`). Review the offer before you sign it.
   *
   * @throws {QuoteUnavailableError} if no route exists, or fees reach the amount
   * @throws {InvalidRequestError} if a field is malformed
   * @example
   * const offer = await client.quote(request)
   */
  readonly quote: (request: SweepRequest, options?: KeyedRequestOptions) => Promise<Offer>
  /**
   * Compares an offer with its request, with the client's `review` options. Returns the facts to show to the user.
   *
   * @throws {OrderMismatchError} with every difference between order and request
   * @example
   * const { fees, receive } = client.reviewOrder(offer, request)
   */
  readonly reviewOrder: (offer: Offer, request: SweepRequest) => SweepReview
  /**
   * Reviews an offer and has the wallet sign the order (EIP-712) and the authorization (EIP-7702).
   *
   * @throws {OrderMismatchError} if the order differs from the request
   * @throws {SigningError} if the wallet refuses, or is not the owner's
   * @example
   * const signed = await client.signSweep(offer, request, account)
   */
  readonly signSweep: (offer: Offer, request: SweepRequest, signer: SweepSigner) => Promise<SignedSweep>
  /**
   * Submits a signed sweep (`POST /intents`). Once it resolves, the service has stored the sweep and will send it. After a
   * retryable error the service may have it as well: `waitForIntent` tells, by the quote's id.
   *
   * @throws {SubmissionRefusedError} if the quote has expired or was submitted before, or a signature is wrong
   * @example
   * const { id } = await client.submit(signed)
   */
  readonly submit: (signed: SignedSweep, options?: KeyedRequestOptions) => Promise<Accepted>
  /**
   * Waits until an intent is `delivered` or `failed`, and resolves with it.
   *
   * @throws {WaitTimeoutError} if it did not end in time
   * @example
   * const { status, txHash } = await client.waitForIntent(id, { onProgress: ({ status }) => show(status) })
   */
  readonly waitForIntent: (id: string, options?: WaitOptions) => Promise<Intent>
  /**
   * Quotes, reviews, signs, submits and waits. Resolves once the sweep is delivered, or with undefined if `confirm` returned
   * false.
   *
   * @throws {SweepFailedError} if the sweep ends without delivery
   * @throws {QuoteExpiredError} if the quote expires before the wallet is asked
   * @throws {SweepUnfinishedError} if a step after the signature fails or is aborted, and the service may have the sweep. Do not repeat the call then
   * @example
   * const result = await client.sweep(request, account, { confirm: (review) => askTheUser(review) })
   */
  readonly sweep: (
    request: SweepRequest,
    signer: SweepSigner,
    options?: SweepOptions
  ) => Promise<SweepResult | undefined>
  /**
   * Requests quotes of many tokens for one signature (`POST /quotes`). Review them before you sign.
   *
   * @throws {InvalidRequestError} if a field is malformed, or the destination would lose the output
   * @example
   * const { quotes } = await client.sweepQuotes({ owner, tokenOut, destChainId: 8453, tokens })
   */
  readonly sweepQuotes: (request: SweepQuotesRequest, options?: KeyedRequestOptions) => Promise<SweepQuotes>
  /**
   * Compares quotes with their request, with the client's `review` options. Returns the facts to show to the user.
   *
   * @throws {OrderMismatchError} with every contradiction between orders and request
   * @throws {NothingToSweepError} if no order is left
   * @example
   * const { leftOut, legs } = client.reviewSweepQuotes(quotes, request)
   */
  readonly reviewSweepQuotes: (quotes: SweepQuotes, request: SweepQuotesRequest) => BatchReview
  /**
   * Has the wallet sign a reviewed batch once, and an authorization for each chain that needs one. Asks the client's `nodes` for the
   * nonces of the authorizations first.
   *
   * @throws {OrderMismatchError} if an authorization is not for the account's next nonce
   * @throws {QuoteExpiredError} if a quote has expired since the review
   * @throws {SigningError} if the wallet refuses, or is not the owner's
   * @example
   * const signed = await client.signBatch(selectLegs(review, isTicked), account)
   */
  readonly signBatch: (review: BatchReview, signer: SweepSigner, options?: RequestOptions) => Promise<SignedBatch>
  /**
   * Sweeps a whole wallet: reads the balances, quotes and reviews them, has the wallet sign once, submits and waits. Resolves once every
   * intent has ended, or with undefined if `confirm` returned false.
   *
   * @throws {NothingToSweepError} if no balance is worth sweeping, or no order passes the review
   * @throws {QuoteExpiredError} if a quote expires before the wallet is asked
   * @throws {SweepUnfinishedError} if a step after the signature fails or is aborted, and the service may have the sweep. Do not repeat the call then
   * @example
   * const result = await client.sweepAll({ owner: account.address, token: USDC, to: { chainId: 8453 } }, account, {
   *   confirm: (review) => askTheUser(review),
   *   onEvent: (event) => show(event)
   * })
   */
  readonly sweepAll: (
    request: SweepAllRequest,
    signer: SweepSigner,
    options?: SweepAllOptions
  ) => Promise<SweepAllResult | undefined>
  /**
   * Submits a signed batch (`POST /sweeps`). All quotes are accepted or none. Once it resolves, the service has stored them and will
   * send them. Each settles or fails alone.
   *
   * @throws {SweepRefusedError} with the reason, if the service refuses the batch
   * @example
   * const { id } = await client.submitSweep(signed)
   */
  readonly submitSweep: (signed: SignedBatch, options?: KeyedRequestOptions) => Promise<SweepAccepted>
  /** Reads the state of a sweep once (`GET /sweeps/:id`). */
  readonly sweepById: (id: string, options?: RequestOptions) => Promise<Sweep>
  /**
   * Waits until every intent of a sweep is `delivered` or `failed`, and resolves with the sweep.
   *
   * @throws {WaitTimeoutError} if it did not end in time
   * @example
   * const { intents } = await client.waitForSweep(id, { onProgress: ({ intents }) => show(intents) })
   */
  readonly waitForSweep: (id: string, options?: WaitOptions<Sweep>) => Promise<Sweep>
  /** Lists the sweeps of many tokens that an owner signed, newest first (`GET /owners/:owner/sweeps`). */
  readonly sweepsOf: (owner: Address, options?: PageOptions) => Promise<SweepPage>
  /** Lists the served chains and their features (`GET /chains`). */
  readonly chains: (options?: RequestOptions) => Promise<ReadonlyArray<ServedChain>>
  /** Lists the tokens of the served chains (`GET /tokens`). Native currencies come first on each chain. */
  readonly tokens: (options?: RequestOptions) => Promise<ReadonlyArray<ListedToken>>
  /** Lists the prices of listed tokens in US dollars (`GET /prices`). They are at most a minute old. */
  readonly prices: (options?: RequestOptions) => Promise<ReadonlyArray<TokenPrice>>
  /** Lists the owner's balances on every served chain (`GET /portfolio/:owner`). */
  readonly portfolio: (owner: Address, options?: PortfolioOptions) => Promise<Portfolio>
  /** The same, with the decision if each balance is worth sweeping (`GET /portfolio/:owner/sweepable`). */
  readonly sweepable: (owner: Address, options?: PortfolioOptions) => Promise<Portfolio<SweepableToken>>
  /**
   * Reads the delegation of an account from a node.
   *
   * @throws {UsageError} if neither `node` nor the client's `nodes` has a node of the chain
   * @example
   * const { kind } = await client.delegation(owner, { chainId: 8453, node: "https://mainnet.base.org" })
   */
  readonly delegation: (
    account: Address,
    options: RequestOptions & { readonly chainId: number; readonly node?: Node }
  ) => Promise<Delegation>
  /**
   * Revokes the delegation of an account. Resolves with the transaction's hash. The `sender` pays its gas.
   *
   * @example
   * const hash = await client.revokeDelegation({ owner: account, sender: walletClient, chainId: 8453 })
   */
  readonly revokeDelegation: (options: RevokeOptions) => Promise<Hex>
}

/** A query with one parameter, or none if it has no value. */
const query = (name: string, value?: string): string => (value ? `?${name}=${encodeURIComponent(value)}` : "")

/**
 * Makes a client of the service at `orchestratorUrl`. It keeps no state: one per service is enough.
 *
 * @example
 * const client = createSweepClient({
 *   orchestratorUrl: "https://sweep.example",
 *   review: { maxFeeBps: 200 }
 * })
 */
export const createSweepClient = (options: SweepClientOptions): SweepClient => {
  // A plain call: browsers reject a `fetch` that is called as a method of another object.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const http = makeHttp({ ...options, fetch })
  const { apiKey } = options
  const node = (chainId: number, given = options.nodes?.[chainId]) => nodeClient(given, chainId, fetch)

  /** Asks the nodes that the caller configured. */
  const checkNonces = async (
    owner: Address,
    authorizations: ReadonlyArray<AuthorizationRequest>,
    requestOptions: RequestOptions | undefined
  ): Promise<void> => {
    const nonces: Record<number, number> = {}
    await Promise.all(
      authorizations.map(async ({ chainId }) => {
        if (options.nodes?.[chainId] !== undefined)
          nonces[chainId] = await accountNonce(node(chainId), owner, requestOptions)
      })
    )
    reviewNonces(authorizations, nonces)
  }

  const signOne = async (
    review: SweepReview,
    signer: SweepSigner,
    requestOptions?: RequestOptions
  ): Promise<SignedSweep> => {
    await checkNonces(signer.address, [review.authorization], requestOptions)
    refuseExpired([review], Date.now())
    return signReviewed(review, signer)
  }

  const client: SweepClient = {
    quote: (request, requestOptions) =>
      http.post("/quote", writeRequest(attributed(request, apiKey)), readOffer, requestOptions),
    reviewOrder: (offer, request) => reviewOrder(offer, attributed(request, apiKey), options.review),
    signSweep: async (offer, request, signer) => signOne(client.reviewOrder(offer, request), signer),
    submit: (signed, requestOptions) => http.post("/intents", writeSigned(signed), readAccepted, requestOptions),
    waitForIntent: (id, waitOptions) => waitFor(http, INTENT, id, waitOptions),
    sweep: async (request, signer, { confirm, ...waitOptions } = {}) => {
      checkTimeout(waitOptions.timeoutMillis)
      const requestOptions: RequestOptions = { signal: waitOptions.signal }
      const offer = await client.quote(request, requestOptions)
      const review = client.reviewOrder(offer, request)
      if (confirm !== undefined && !(await confirm(review))) return undefined
      waitOptions.signal?.throwIfAborted()
      const signed = await signOne(review, signer, requestOptions)
      const intent = await finished(
        [review.quoteId],
        waitOptions.signal,
        () => client.submit(signed, requestOptions),
        (accepted) => client.waitForIntent(accepted.id, waitOptions)
      )
      if (intent.status === "failed") throw new SweepFailedError(intent)
      return { intent, review }
    },
    sweepQuotes: (request, requestOptions) =>
      http.post("/quotes", writeSweepQuotesRequest(attributed(request, apiKey)), readSweepQuotes, requestOptions),
    reviewSweepQuotes: (quotes, request) => reviewSweepQuotes(quotes, attributed(request, apiKey), options.review),
    signBatch: async (review, signer, requestOptions) => {
      await checkNonces(signer.address, review.authorizations, requestOptions)
      refuseExpired(review.legs, Date.now())
      return signBatch(review, signer)
    },
    sweepAll: (request, signer, sweepOptions) => sweepAll(client, request, signer, sweepOptions),
    submitSweep: (signed, requestOptions) =>
      http.post("/sweeps", writeSignedBatch(signed), readSweepAccepted, requestOptions),
    sweepById: (id, requestOptions) => http.get(`/sweeps/${encodeURIComponent(id)}`, readSweep, requestOptions),
    waitForSweep: (id, waitOptions) => waitFor(http, SWEEP, id, waitOptions),
    sweepsOf: (owner, given) =>
      http.get(`/owners/${owner}/sweeps${query("cursor", given?.cursor)}`, readSweepPage, given),
    chains: (requestOptions) => http.get("/chains", readChains, requestOptions),
    tokens: (requestOptions) => http.get("/tokens", readTokens, requestOptions),
    prices: (requestOptions) => http.get("/prices", readPrices, requestOptions),
    portfolio: (owner, given) =>
      http.get(`/portfolio/${owner}${query("tokens", given?.tokens?.join())}`, readPortfolio, given),
    sweepable: (owner, given) =>
      http.get(`/portfolio/${owner}/sweepable${query("tokens", given?.tokens?.join())}`, readSweepable, given),
    delegation: async (account, asked) => delegation(node(asked.chainId, asked.node), account, asked),
    revokeDelegation: async (revocation) => revokeDelegation(node(revocation.chainId, revocation.node), revocation)
  }
  return client
}
