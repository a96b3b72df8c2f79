/** Error messages of a sweep for the owner of the tokens: what happened, and what to do. */
import type { LeftOutToken } from "../../sdk/index.ts"
import {
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ScreeningBlockedError,
  ScreeningUnavailableError,
  ServiceError,
  SubmissionRefusedError,
  SweepPostponedError,
  SweepRefusedError,
  UnavailableError
} from "../../sdk/model/ApiErrors.ts"
import {
  MalformedAnswerError,
  NetworkError,
  NodeError,
  OrderMismatchError,
  QuoteExpiredError,
  SigningError,
  WaitTimeoutError
} from "../../sdk/model/Errors.ts"
import { DeploymentUnavailable } from "./DeploymentUnavailable.ts"
import { secondsText } from "../lib/secondsText.ts"
import type { Renewed } from "./useRenewal.ts"
import { isUnknownMethod, WalletFailed, WalletRejected } from "../wallet/walletErrors.ts"

/** The error and the chain of its causes. */
function* causes(error: unknown): Generator<unknown> {
  let at = error
  for (let depth = 0; depth < 6 && at !== undefined && at !== null; depth++) {
    yield at
    at = typeof at === "object" && "cause" in at ? at.cause : undefined
  }
}

/** True if the user rejected the request in the wallet (EIP-1193, code 4001). */
export const isRejection = (error: unknown): boolean =>
  Array.from(causes(error)).some(
    (each) =>
      each instanceof WalletRejected ||
      (typeof each === "object" && each !== null && "code" in each && each.code === 4001)
  )

const lacksGas = (error: unknown): boolean =>
  Array.from(causes(error)).some(
    (each) => each instanceof Error && /insufficient funds|exceeds the balance/i.test(each.message)
  )

const ofSigning = (error: SigningError): string => {
  if (error.what === "order" && error.code !== "wrong_signer") {
    return "The wallet did not sign the sweep. Nothing was sent. Some wallets refuse a message that holds for several chains, or that names your own account as the contract. Try again, or use another wallet."
  }
  const isUnsupported = error.code === "unsupported_wallet" || Array.from(causes(error)).some(isUnknownMethod)
  switch (isUnsupported ? "unsupported_wallet" : error.code) {
    case "unsupported_wallet":
      return "This wallet cannot sign what a sweep needs, so nothing was sent. Your account needs a wallet that signs EIP-7702 authorizations."
    case "wrong_signer":
      return "The wallet signed with another account than the one to sweep. Switch to that account in the wallet, and sign again."
    case "signing_refused":
      return "The wallet did not sign the authorization. Nothing was sent, and you can try again."
  }
}

const BLOCKED = "This address cannot be served. A retry does not change that."

const ofService = (error: unknown): string | undefined => {
  if (error instanceof DeploymentUnavailable)
    return "The service cannot be reached. Check your connection and try again."
  if (error instanceof ScreeningUnavailableError) {
    return "The service cannot check addresses right now. Your tokens did not move. Try again in a moment."
  }
  if (error instanceof UnavailableError || error instanceof SweepPostponedError) {
    return `The service cannot take this sweep right now. Your tokens did not move. Try again in ${secondsText(error.retryAfterSeconds)}.`
  }
  if (error instanceof ScreeningBlockedError) return BLOCKED
  if (error instanceof SubmissionRefusedError || error instanceof SweepRefusedError) {
    if (error.reason === "screening_blocked") return BLOCKED
    if (isSignatureRefusal(error)) {
      return "The service does not accept the signature of this account, so nothing was sent. Signing again does not change that. Tell the operator of this service."
    }
    if (error.reason === "chain_paused")
      return "The operator has paused this sweep, or a part of it. Nothing was sent. Try again later."
    if (!isOutdated(error))
      return "The service did not accept the signed sweep. Nothing was sent. Tell the operator of this service if this happens again."
    return "The service did not accept the signed sweep, most likely because its quotes had expired. Nothing was sent. Get new quotes and sign again."
  }
  if (error instanceof InvalidRequestError)
    return `The service did not understand the request: ${error.problems.join("; ")}.`
  if (error instanceof NotFoundError) return "The service does not know this sweep."
  if (error instanceof RateLimitedError)
    return `Too many requests. Please wait ${secondsText(error.retryAfterSeconds)}.`
  if (error instanceof ServiceError)
    return "The service has a problem right now. Your tokens did not move. Try again in a moment."
  if (error instanceof NetworkError) return "The service cannot be reached. Check your connection and try again."
  if (error instanceof MalformedAnswerError)
    return "The service answered with something unexpected. Nothing was signed."
  return undefined
}

/** True if an authorization is not for the account's next transaction. */
const isForAnotherNonce = (error: unknown): boolean =>
  error instanceof OrderMismatchError &&
  error.mismatches.every(({ field }) => field.startsWith("signing.authorization.nonce"))

/** True if times of the orders are all that is wrong. */
const isOfAnotherTime = (error: unknown): boolean =>
  error instanceof OrderMismatchError &&
  error.mismatches.every(({ field }) => /(^|\.)(quote\.expiresAtMs|order\.deadline)$/.test(field))

/** Refusals of a batch after which new quotes are accepted. All others would be refused again, and the wallet would be asked for nothing. */
const MENDED_BY_QUOTES: ReadonlySet<string> = new Set([
  "unknown_quote",
  "expired_quote",
  "outdated_contracts",
  "wrong_delegate",
  "missing_authorization"
])

const isSignatureRefusal = ({ reason }: SweepRefusedError | SubmissionRefusedError): boolean =>
  reason === "bad_signature" || reason === "bad_authorization"

/** True if the quotes cannot be submitted any more, so that the owner needs new ones. A status alone may be of a gateway. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof SweepRefusedError
    ? MENDED_BY_QUOTES.has(error.reason)
    : error instanceof QuoteExpiredError || isForAnotherNonce(error)

/** True if the service is known to have what was waited for. */
const hasOrder = ({ intent, sweep }: WaitTimeoutError): boolean =>
  sweep !== undefined || (intent !== undefined && intent.status !== "quoted")

/** A message that names a transaction says what it did, so that the owner can look it up. */
const ofNode = (error: NodeError): string => {
  const { message } = error
  if (/^transaction 0x[0-9a-f]{64} /i.test(message)) return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
  const wallet = Array.from(causes(error)).find((each) => each instanceof WalletFailed)
  return wallet === undefined ? "The chain's node did not answer. Please try again in a moment." : ofWallet(wallet)
}

const ofWallet = ({ message }: WalletFailed): string => `Your wallet could not do this: ${message}.`

/** One or two sentences: what happened, and what to do. */
export const explain = (error: unknown): string => {
  if (isRejection(error)) return "You rejected this in your wallet. Nothing was sent, and you can try again."
  if (lacksGas(error))
    return "This account has no native currency to pay for the transaction. Send it a little, and try again."
  if (error instanceof SigningError) return ofSigning(error)
  if (error instanceof QuoteExpiredError)
    return "The quotes expired before the wallet was asked. Nothing was signed. Check your device's clock, and try again."
  if (isForAnotherNonce(error)) {
    return "The authorization is not for the next transaction of your account, most likely because your account has sent one since. Nothing was signed. Get new quotes and sign again."
  }
  if (isOfAnotherTime(error)) {
    return "The quotes are from another time than your device's clock, so nothing was offered for signing. Check your device's clock, and try again. If it is right, tell the operator of this service."
  }
  if (error instanceof OrderMismatchError) {
    const fields = error.mismatches.map(({ detail, field }) => `${field} ${detail}`).join("; ")
    return `An order is not what you asked for, so nothing was offered for signing (${fields}). Do not use this service until its operator has explained it.`
  }
  if (error instanceof WaitTimeoutError) {
    return hasOrder(error)
      ? "This takes longer than usual. The service has your order. Check again later."
      : "This takes longer than usual, and it is not known that the service has your order. Check again later."
  }
  if (error instanceof NodeError) return ofNode(error)
  if (error instanceof WalletFailed) return ofWallet(error)
  return ofService(error) ?? "Something went wrong. Please try again."
}

/** Facts of a renewed plan for its notice. */
interface RenewedPlan {
  /** Least amount that arrives. */
  readonly least: bigint
  /** True if the owner signs a delegation. */
  readonly hasDelegation: boolean
}

/** The notice of a plan that is not what the user agreed to. `amount` writes an amount of the token to receive. */
export const explainChange = (
  { agreed, kind }: Renewed,
  { hasDelegation, least }: RenewedPlan,
  amount: (least: bigint) => string
): string => {
  const sentences = [
    kind === "lower"
      ? "Prices moved while you decided."
      : "The plan changed while you decided. Check its tokens, warnings and delegations.",
    kind === "different" && hasDelegation
      ? "Your account may have sent a transaction, which changes the delegation to sign."
      : "",
    least < agreed ? `You would receive at least ${amount(least)} now, not ${amount(agreed)}.` : "",
    "Nothing was signed."
  ]
  return sentences.filter((sentence) => sentence !== "").join(" ")
}

const FAILURES: Readonly<Record<string, string>> = {
  expired: "It was not settled before its deadline. Your tokens did not move. Sweep them again.",
  reverted:
    "The transaction reverted, most likely because the price moved too far. Your tokens did not move. Sweep them again.",
  simulation_failed: "It would have failed on chain, so it was not sent. Your tokens did not move. Sweep them again.",
  insufficient_balance:
    "The account held less than the amount to send. Your tokens did not move. Check your balance, and sweep again.",
  delegation_replaced:
    "The account was delegated to another contract in the meantime. Your tokens did not move. Sweep them again.",
  stale_authorization:
    "The account sent another transaction in the meantime, which invalidates the authorization. Your tokens did not move. Sweep them again.",
  nonce_used: "This order was already settled or cancelled.",
  network_fee_insufficient:
    "Gas cost more than the sweep's network fee covers until its deadline. Your tokens did not move. Sweep them again.",
  not_submitted: "It was signed, but it never reached the service. Your tokens did not move. Sweep them again.",
  unknown_to_service: "The service no longer knows this sweep. Check your balance.",
  screening_blocked: "An address of this sweep cannot be served. Your tokens did not move."
}

/** Facts of a bridge's refund. */
export interface RefundFacts {
  /** Token that the bridge returns. Undefined if it is the sent one. */
  readonly symbol: string | undefined
  /** False until the payment is found, which takes hours. */
  readonly isPaid: boolean
}

const ofRefund = ({ isPaid, symbol = "what was sent" }: RefundFacts): string =>
  isPaid
    ? `No relayer delivered on the destination chain in time, so the bridge refunded you: ${symbol} is in your account on the source chain. Sweep it again.`
    : `No relayer delivered on the destination chain in time. The bridge returns ${symbol} to your account on the source chain, which takes hours. Sweep it again then.`

/** Outcome of a failed sweep, and what to do. */
export const explainFailure = (reason: string | undefined, refund?: RefundFacts): string => {
  if (reason === "bridge_refunded" && refund !== undefined) return ofRefund(refund)
  return (
    (reason === undefined ? undefined : FAILURES[reason]) ??
    "The sweep failed. Check your balance before you sweep again."
  )
}

const UNQUOTED: Readonly<Record<string, string>> = {
  fees_exceed_amount: "The fees would take all of it",
  network_fee_above_maximum: "The network fee is too high right now",
  no_route: "No exchange or bridge leads there right now",
  insufficient_balance: "Your account holds less than this by now",
  no_price: "No price is known right now",
  chain_unavailable: "A chain on its way does not answer right now",
  same_token: "It is what you want to receive",
  unsupported_chain: "A chain on its way is not supported",
  owner_is_a_contract: "Your account is a contract on this chain",
  would_revert: "The sweep would fail on chain",
  screening_unavailable: "Addresses cannot be checked right now",
  busy: "The service is too busy for it right now"
}

/** The reason why a token of a plan is not swept. */
export const whyUnquoted = ({ mismatches, reason }: LeftOutToken): string =>
  mismatches.length > 0
    ? `Its terms break a limit of this app: ${mismatches.map(({ detail, field }) => `${field} ${detail}`).join("; ")}`
    : (UNQUOTED[reason] ?? "It cannot be swept right now")

const REASONS: Readonly<Record<string, string>> = {
  no_price: "No price is known",
  no_route: "No exchange buys it",
  worth_less_than_fees: "Worth less than the fees",
  token_declined: "Cannot be moved safely",
  account_is_a_contract: "This account is a contract",
  no_set_code_support: "Sweeps cannot start on this chain yet"
}

/** The reason why a token cannot be swept or is not worth it. */
export const whyNot = (reason: string | null): string => (reason === null ? "" : (REASONS[reason] ?? "Cannot be swept"))
