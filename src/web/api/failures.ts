/** Error messages for users. */
import { secondsText } from "../lib/secondsText.ts"
import { UNREACHABLE } from "./ServiceError.ts"

const tagOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? error._tag
    : undefined

export const isFailure = (error: unknown, tag: string): boolean => tagOf(error) === tag

/** Whole seconds that the service asks to wait. Undefined if it asks for no pause. */
export const retryAfterSeconds = (error: unknown): number | undefined =>
  typeof error === "object" &&
  error !== null &&
  "retryAfterSeconds" in error &&
  typeof error.retryAfterSeconds === "number"
    ? error.retryAfterSeconds
    : undefined

const SENTENCES: Readonly<Record<string, string>> = {
  AlreadyRegistered: "This id or wallet already belongs to a builder.",
  BadNonce: "The sign-in message has expired or was already used. Please sign a new one.",
  BadRequest: "The service did not understand the sign-in message.",
  BadSignature:
    "The signature was not accepted. Check that your computer's clock is right and that the wallet signed with the account shown. A contract wallet signs in on one network only: switch to it, or ask the operator to set it.",
  ForbiddenOrigin: "The service does not trust this page's address. Open the dashboard at its configured address.",
  KeyLimit: "You have the maximum number of API keys. Revoke one first.",
  NotConfigured: "The builder backend has no settings for the orchestrator.",
  NotFound: "This does not exist, or was deleted.",
  NothingOwed: "No payable builder is owed this amount in this token on this chain.",
  PaymentInFlight: "A payment of this batch is pending.",
  PaymentTaken: "This transaction already pays another batch.",
  PayoutClosed: "This batch is no longer open.",
  RestoreUnreconciled: "The database was restored. Run ./sweep reconcile before you pay builders.",
  SignupDisabled: "Sign-up is closed here. Ask the operator to register you.",
  Unauthorized: "You are not signed in.",
  Unavailable: "The service cannot reach its database. Please try again in a moment.",
  UpstreamFailed: "A chain's node did not answer. Please try again in a moment.",
  WebhookDisabled: "This webhook is disabled. Enable it first.",
  WebhookLimit: "You have the maximum number of webhooks. Delete one first.",
  WebhookTestPending: "A test event is pending. Wait for its outcome below, or send it again there."
}

/** A sentence for the user: what happened, and what to do. */
export const sentence = (error: unknown): string => {
  const wait = retryAfterSeconds(error)
  if (wait !== undefined) return `Too many requests. Please wait ${secondsText(wait)}.`
  const tag = tagOf(error)
  if (tag === UNREACHABLE) return "The service cannot be reached. Check your connection and try again."
  if (tag === "PaymentUnproven" && error instanceof Error && "reason" in error) {
    return `The chain does not prove this payment (${String(error.reason).replaceAll("_", " ")}). Nothing was changed.`
  }
  if (tag === "PaymentTaken" && error instanceof Error && "batchId" in error && error.batchId !== undefined) {
    return `This transaction pays the open batch ${String(error.batchId)}. Mark that one as paid by it.`
  }
  if (tag === "OrchestratorUnavailable" && error instanceof Error && "detail" in error) {
    return `The orchestrator did not answer as expected: ${String(error.detail)}.`
  }
  return (tag === undefined ? undefined : SENTENCES[tag]) ?? "Something went wrong. Please try again."
}
