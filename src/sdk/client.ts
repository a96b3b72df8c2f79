/** The client of the service: quote, review, sign, submit, wait. Everything rejects with a `SweepError` or the signal's reason. */
import type { RetryOptions } from "./attempts.ts"
import {
  type Delegation,
  delegation,
  type Node,
  nodeClient,
  revokeDelegation,
  type RevokeOptions
} from "./delegation.ts"
import { SweepFailedError } from "./errors.ts"
import { type Fetch, makeHttp } from "./http.ts"
import { type ReviewOptions, reviewOrder, type SweepReview } from "./review.ts"
import { signReviewed } from "./sign.ts"
import type { SweepSigner } from "./signer.ts"
import type {
  Accepted,
  Address,
  Hex,
  Intent,
  KeyedRequestOptions,
  ListedToken,
  Offer,
  Portfolio,
  RequestOptions,
  ServedChain,
  SignedSweep,
  SweepableToken,
  SweepRequest,
  TokenPrice
} from "./types.ts"
import { waitForIntent, type WaitOptions } from "./wait.ts"
import {
  readAccepted,
  readChains,
  readOffer,
  readPortfolio,
  readSweepable,
  readPrices,
  readTokens,
  writeRequest,
  writeSigned
} from "./wire.ts"

export interface SweepClientOptions {
  readonly orchestratorUrl: string
  /** Attributes every sweep to the builder that the key belongs to. */
  readonly apiKey?: string
  /** The platform's unless told. */
  readonly fetch?: Fetch
  /** For each attempt at a request; 30 seconds unless told. */
  readonly timeoutMillis?: number
  /** How often `quote` and `submit` send a request whose answer got lost, or was 429 or 5xx. */
  readonly retry?: RetryOptions
  /** Makes the idempotency key of each `quote` and `submit`; random ones unless told. */
  readonly newIdempotencyKey?: () => string
  /**
   * How strict the review is. Naming the delegates that you know is the strongest protection there is; naming `bridges` lets it
   * vouch for swaps before a bridge that is not built in.
   */
  readonly review?: Omit<ReviewOptions, "nowMs">
  /** Nodes by chain, for `delegation` and `revokeDelegation`; the rest needs none. */
  readonly nodes?: Readonly<Record<number, Node>>
}

export interface SweepOptions extends WaitOptions {
  /** Shown the review before the wallet is asked; the sweep goes on if it resolves to true. Signs without asking when absent. */
  readonly confirm?: (review: SweepReview) => boolean | Promise<boolean>
}

/** How a sweep ended. */
export interface SweepResult {
  readonly intent: Intent
  readonly review: SweepReview
}

export interface SweepClient {
  /** Prices the sweep; the offer is to be reviewed. */
  readonly quote: (request: SweepRequest, options?: KeyedRequestOptions) => Promise<Offer>
  /**
   * Holds the offer against the request and returns what to show the user.
   *
   * @throws {OrderMismatchError} when the order is not what was asked for.
   */
  readonly reviewOrder: (offer: Offer, request: SweepRequest) => SweepReview
  /** Reviews the offer again, and has the wallet sign order (EIP-712) and authorization (EIP-7702). */
  readonly signSweep: (offer: Offer, request: SweepRequest, signer: SweepSigner) => Promise<SignedSweep>
  /**
   * Hands over what was signed. Once it resolves, the sweep is durable and will be sent. Where it rejects with something
   * `retryable`, the service may have it nonetheless: `waitForIntent` tells, by the quote's id.
   */
  readonly submit: (signed: SignedSweep, options?: KeyedRequestOptions) => Promise<Accepted>
  /** Resolves with the intent once it is `delivered` or `failed`. */
  readonly waitForIntent: (id: string, options?: WaitOptions) => Promise<Intent>
  /** All of it. Resolves once delivered; undefined when `confirm` said no; rejects with `SweepFailedError` if it fails. */
  readonly sweep: (
    request: SweepRequest,
    signer: SweepSigner,
    options?: SweepOptions
  ) => Promise<SweepResult | undefined>
  /** The chains that are served, and what sweeps can do there. */
  readonly chains: (options?: RequestOptions) => Promise<ReadonlyArray<ServedChain>>
  /** The tokens that are listed there, native currencies first on each chain. */
  readonly tokens: (options?: RequestOptions) => Promise<ReadonlyArray<ListedToken>>
  /** What listed tokens are worth in US dollars, at most a minute ago. */
  readonly prices: (options?: RequestOptions) => Promise<ReadonlyArray<TokenPrice>>
  /** What the owner holds on every served chain. */
  readonly portfolio: (owner: Address, options?: RequestOptions) => Promise<Portfolio>
  /** The same, and what of it is worth sweeping. */
  readonly sweepable: (owner: Address, options?: RequestOptions) => Promise<Portfolio<SweepableToken>>
  /** What the account runs now, by a node of the chain. */
  readonly delegation: (
    account: Address,
    options: { readonly chainId: number; readonly node?: Node }
  ) => Promise<Delegation>
  /** Takes the account's delegation back; resolves with the transaction's hash. Somebody must pay its gas: the `sender`. */
  readonly revokeDelegation: (options: RevokeOptions) => Promise<Hex>
}

const DEFAULT_TIMEOUT_MILLIS = 30_000

/** A client of the service at `orchestratorUrl`. It keeps no state; one per service is enough. */
export const createSweepClient = (options: SweepClientOptions): SweepClient => {
  // Called as a plain function: browsers refuse a `fetch` that is called as a method of something else.
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const http = makeHttp({
    baseUrl: options.orchestratorUrl,
    fetch,
    timeoutMillis: options.timeoutMillis ?? DEFAULT_TIMEOUT_MILLIS,
    retry: options.retry,
    newIdempotencyKey: options.newIdempotencyKey
  })
  const { apiKey } = options
  const attributed = (request: SweepRequest): SweepRequest => (apiKey === undefined ? request : { apiKey, ...request })
  const node = (chainId: number, given: Node | undefined) =>
    nodeClient(given ?? options.nodes?.[chainId], chainId, fetch)

  const client: SweepClient = {
    quote: async (request, requestOptions) =>
      readOffer(await http.post("/quote", writeRequest(attributed(request)), requestOptions)),
    reviewOrder: (offer, request) => reviewOrder(offer, attributed(request), options.review),
    signSweep: async (offer, request, signer) => signReviewed(client.reviewOrder(offer, request), signer),
    submit: async (signed, requestOptions) =>
      readAccepted(await http.post("/intents", writeSigned(signed), requestOptions)),
    waitForIntent: (id, waitOptions) => waitForIntent(http, id, waitOptions),
    sweep: async (request, signer, { confirm, ...waitOptions } = {}) => {
      const { signal } = waitOptions
      const requestOptions: RequestOptions = signal === undefined ? {} : { signal }
      const offer = await client.quote(request, requestOptions)
      const review = client.reviewOrder(offer, request)
      if (confirm !== undefined && !(await confirm(review))) return undefined
      signal?.throwIfAborted()
      const accepted = await client.submit(await signReviewed(review, signer), requestOptions)
      const intent = await client.waitForIntent(accepted.id, waitOptions)
      if (intent.status === "failed") throw new SweepFailedError(intent)
      return { intent, review }
    },
    chains: async (requestOptions) => readChains(await http.get("/chains", requestOptions)),
    tokens: async (requestOptions) => readTokens(await http.get("/tokens", requestOptions)),
    prices: async (requestOptions) => readPrices(await http.get("/prices", requestOptions)),
    portfolio: async (owner, requestOptions) => readPortfolio(await http.get(`/portfolio/${owner}`, requestOptions)),
    sweepable: async (owner, requestOptions) =>
      readSweepable(await http.get(`/portfolio/${owner}/sweepable`, requestOptions)),
    delegation: async (account, { chainId, node: given }) => delegation(node(chainId, given), account),
    revokeDelegation: async (revokeOptions) =>
      revokeDelegation(node(revokeOptions.chainId, revokeOptions.node), revokeOptions)
  }
  return client
}
