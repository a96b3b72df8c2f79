/** What went wrong, in words for the person in front of the page. */

const tagOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "_tag" in error && typeof error._tag === "string"
    ? error._tag
    : undefined

export const isFailure = (error: unknown, tag: string): boolean => tagOf(error) === tag

const seconds = (error: unknown): number | undefined =>
  typeof error === "object" &&
  error !== null &&
  "retryAfterSeconds" in error &&
  typeof error.retryAfterSeconds === "number"
    ? error.retryAfterSeconds
    : undefined

const SENTENCES: Readonly<Record<string, string>> = {
  AlreadyRegistered: "This id or wallet already belongs to a builder.",
  BadNonce: "The sign-in message expired or was used already. Please sign a new one.",
  BadRequest: "The service did not understand the sign-in message.",
  BadSignature:
    "The signature was not accepted. Check that your computer's clock is right and that the wallet signed with the account shown.",
  ForbiddenOrigin: "This address is not one that the service trusts. Open the dashboard at its own address.",
  NotConfigured: "The builder backend was not told where the orchestrator is.",
  NotFound: "This does not exist, or not any more.",
  NothingOwed: "Nobody is owed as much in this token on this chain.",
  PaymentInFlight: "A payment of this batch is on its way.",
  PaymentTaken: "This transaction already pays another batch.",
  PayoutClosed: "This batch is not open any more.",
  SignupDisabled: "New builders cannot sign up here by themselves. Ask the operator to register you.",
  Unauthorized: "You are not signed in.",
  Unavailable: "The service cannot reach its database. Please try again in a moment.",
  UpstreamFailed: "A chain's node did not answer. Please try again in a moment.",
  WebhookDisabled: "This webhook is disabled. Enable it first.",
  WebhookLimit: "You have as many webhooks as you may have. Delete one first."
}

/** One sentence that says what happened, and what to do. */
export const sentence = (error: unknown): string => {
  const wait = seconds(error)
  if (wait !== undefined) return `Too many requests. Please wait ${wait} seconds.`
  const tag = tagOf(error)
  if (tag === "HttpClientError") return "The service cannot be reached. Check your connection and try again."
  if (tag === "PaymentUnproven" && error instanceof Error && "reason" in error) {
    return `The chain does not prove this payment (${String(error.reason).replaceAll("_", " ")}). Nothing was changed.`
  }
  if (tag === "OrchestratorUnavailable" && error instanceof Error && "detail" in error) {
    return `The orchestrator did not answer as it should: ${String(error.detail)}.`
  }
  return (tag === undefined ? undefined : SENTENCES[tag]) ?? "Something went wrong. Please try again."
}
