/** Sweeps of many tokens under one signature in the generated module. Each order passes the same review as an order alone. */
import { DOMAIN_VERSION } from "../../domain/SweepOrder.ts"
import { literal } from "./Literal.ts"

export const WALLET = `\
export interface WalletRequest extends Omit<SweepRequest, "tokenIn" | "amountIn" | "sourceChainId" | "minAmountOut" | "route"> {
  /** Tokens to sweep, each at most once. Amounts are in their smallest units. */
  tokens: { chainId: number; token: Hex; amount: bigint; minAmountOut?: bigint }[]
}

/** Response of POST /quotes. Its typed data is not read either. */
interface WalletOffer {
  quotes: (Quoted | { chainId: number; token: Hex; reason: string })[]
  signing?: { authorizations: AuthorizationRequest[] }
}

/** Response of GET /sweeps/:id. */
export interface WalletSweep {
  id: string
  intents: Intent[]
}

export function quoteWallet(owner: Hex, request: WalletRequest): Promise<WalletOffer> {
  return call<WalletOffer>("POST", "/quotes", {
    owner,
    destination: request.destination ?? owner,
    destChainId: request.destChainId,
    tokenOut: request.tokenOut,
    tokens: request.tokens.map(({ amount, chainId, token }) => ({ chainId, token, amount: amount.toString() })),
    userId: request.userId ?? owner,
    subscriptionActive: false,
    ...(BUILDER_API_KEY === undefined ? {} : { apiKey: BUILDER_API_KEY })
  })
}

/** Reviews every order. A token without a quote, or with an order that the review refuses, is left out. Show both to the user. */
export function reviewWallet(owner: Hex, request: WalletRequest, { quotes }: WalletOffer) {
  const legs: { chainId: number; order: SweepOrder; quoteId: string; reviewed: ReturnType<typeof review> }[] = []
  const leftOut: { chainId: number; token: Hex; problem: string }[] = []
  for (const [index, { amount, chainId, token, minAmountOut }] of request.tokens.entries()) {
    const entry = quotes[index]
    const asked = {
      tokenIn: token,
      amountIn: amount,
      tokenOut: request.tokenOut,
      destChainId: request.destChainId,
      sourceChainId: chainId,
      ...(request.destination === undefined ? {} : { destination: request.destination }),
      ...(minAmountOut === undefined ? {} : { minAmountOut })
    }
    try {
      if (entry === undefined || !("order" in entry)) throw new Error(entry?.reason ?? "the service has no quote")
      const reviewed = review(owner, asked, entry)
      must(legs.every(({ quoteId }) => quoteId !== entry.quote.id), "the quote is there twice")
      legs.push({ chainId, order: entry.order, quoteId: entry.quote.id, reviewed })
    } catch (error) {
      leftOut.push({ chainId, token, problem: error instanceof Error ? error.message : String(error) })
    }
  }
  return { legs, leftOut }
}

/** Reviews the orders, then signs all of them once (EIP-712, ERC-7964) and an authorization for each chain that needs one (EIP-7702). */
export async function signWallet(signer: Signer, request: WalletRequest, offer: WalletOffer) {
  const { legs, leftOut } = reviewWallet(signer.address, request, offer)
  must(legs.length > 0, "no token can be swept: " + leftOut.map(({ problem }) => problem).join("; "))
  const signature = await signer.signTypedData({
    // No chain: each leg names its own.
    domain: { name: DOMAIN_NAME, version: ${literal(DOMAIN_VERSION)}, verifyingContract: signer.address },
    types: BATCH_TYPES,
    primaryType: "SweepBatch",
    message: { legs: legs.map(({ chainId, order }) => ({ chainId: BigInt(chainId), order: messageOf(order) })) }
  })
  const nonces = new Map(offer.signing?.authorizations.map(({ chainId, nonce }) => [chainId, Number(nonce)]))
  const authorizations: Awaited<ReturnType<typeof authorize>>[] = []
  for (const chainId of new Set(legs.map((leg) => leg.chainId))) {
    const nonce = nonces.get(chainId)
    // An account that runs the delegate already needs no authorization.
    if (nonce !== undefined) authorizations.push(await authorize(signer, chainId, nonce))
  }
  return { quoteIds: legs.map(({ quoteId }) => quoteId), signature, authorizations }
}

/** Submits all orders or none. Each then settles or fails alone. */
export function submitWallet(signed: Awaited<ReturnType<typeof signWallet>>): Promise<WalletSweep> {
  return submitOnce<WalletSweep>("/sweeps", signed, signed.quoteIds)
}

/** Resolves once every token is delivered or has failed. */
export function followWallet(id: string): Promise<WalletSweep> {
  return poll<WalletSweep>("/sweeps/" + id, ({ intents }) => intents.every(isEnded))
}

/** Quotes, reviews, signs once, submits and follows. Signs nothing if \`confirm\` returns false. */
export async function sweepWallet(
  signer: Signer,
  request: WalletRequest,
  confirm: (reviewed: ReturnType<typeof reviewWallet>) => boolean | Promise<boolean>
): Promise<WalletSweep | undefined> {
  const offer = await quoteWallet(signer.address, request)
  if (!(await confirm(reviewWallet(signer.address, request, offer)))) return undefined
  const { id } = await submitWallet(await signWallet(signer, request, offer))
  return followWallet(id)
}
`
