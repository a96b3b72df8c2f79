/** Error bodies of failures. Reasons that clients must not see are logged. */
import { Effect } from "effect"
import * as Body from "../../api/builder/Errors.ts"
import * as Payout from "../../api/builder/PayoutErrors.ts"
import * as Webhook from "../../api/builder/WebhookErrors.ts"
import { NotFound, RateLimitExceeded, Unauthorized, Unavailable, UpstreamFailed } from "../../api/shared/Errors.ts"
import type { MarkupAboveCap, ReservedId } from "../../builder/account/Accounts.ts"
import type { BadPayment } from "../../builder/payout/PaymentProof.ts"
import type { UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { UnknownBuilder } from "../../ports/builder/Ledger.ts"
import type { NothingOwed, PaymentTaken, PaymentUnproven } from "../../ports/builder/Payouts.ts"
import type { UnacceptableUrl } from "../../ports/builder/WebhookTransport.ts"
import { mask } from "../shared/Masked.ts"

const answer =
  <Answer>(make: () => Answer) =>
  () =>
    Effect.fail(make())

export const store = { StoreUnavailable: mask(() => new Unavailable()) }

export const chain = { ChainUnavailable: mask(() => new UpstreamFailed()) }

export const signIn = {
  MalformedMessage: answer(() => new Body.BadRequest()),
  BadNonce: answer(() => new Body.BadNonce()),
  BadSignature: mask(() => new Body.BadSignature()),
  ...chain,
  ...store
}

export const registered = { BuilderExists: answer(() => new Body.AlreadyRegistered()) }

export const markup = {
  MarkupAboveCap: ({ message }: MarkupAboveCap) => Effect.fail(Body.InvalidRequest.field("builderBps", message))
}

export const registration = {
  ...registered,
  ...markup,
  ReservedId: ({ message }: ReservedId) => Effect.fail(Body.InvalidRequest.field("id", message)),
  ...store
}

export const notFound = answer(() => new NotFound())

const conflict = answer(() => new Body.Conflict())

export const revenue = { RevenueConflict: conflict, ...store }

const unknownBuilder = {
  UnknownBuilder: ({ message }: UnknownBuilder) => Effect.fail(Body.InvalidRequest.field("builderId", message))
}

export const accrual = { AccrualConflict: conflict, ...unknownBuilder, ...store }

export const sweepEvent = { SweepConflict: conflict, ...unknownBuilder, ...store }

export const unsupportedChain = {
  UnsupportedChain: ({ message }: UnsupportedChain) => Effect.fail(Body.InvalidRequest.field("chainId", message))
}

export const nothingOwed = {
  NothingOwed: ({ leftOut }: NothingOwed) => Effect.fail(new Payout.NothingOwed({ leftOut }))
}

export const unreconciled = { RestoreUnreconciled: answer(() => new Payout.RestoreUnreconciled()) }

export const payout = {
  PayoutNotFound: notFound,
  PayoutClosed: answer(() => new Payout.PayoutClosed()),
  PaymentInFlight: answer(() => new Payout.PaymentInFlight())
}

export const badPayment = {
  BadPayment: ({ message }: BadPayment) => Effect.fail(Body.InvalidRequest.field("raw", message))
}

export const exportedElsewhere = {
  BadPayment: ({ message }: BadPayment) => Effect.fail(Body.InvalidRequest.field("id", message))
}

export const payment = {
  PaymentTaken: ({ batchId }: PaymentTaken) =>
    Effect.fail(new Payout.PaymentTaken(batchId === undefined ? {} : { batchId })),
  PaymentUnproven: ({ builderIds, reason }: PaymentUnproven) =>
    Effect.fail(new Payout.PaymentUnproven({ reason, builderIds }))
}

/** A limit for a day is told as the limit of requests is. */
const tooMany = ({ retryAfterMillis }: { readonly retryAfterMillis: number }) =>
  Effect.fail(new RateLimitExceeded({ retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMillis / 1_000)) }))

export const ownChange = { TooManyChanges: tooMany, ...store }

export const newKey = { KeyLimit: answer(() => new Body.KeyLimit()), ...ownChange }

export const ownKey = { KeyNotFound: notFound, ...store }

export const readKey = {
  UnknownKey: answer(() => new Unauthorized()),
  ScopeMissing: answer(() => new Body.ScopeMissing()),
  ...store
}

export const ownWebhook = { WebhookNotFound: notFound, ...store }

export const rotatedWebhook = { WebhookNotFound: notFound, ...ownChange }

export const openWebhook = { WebhookDisabled: answer(() => new Webhook.WebhookDisabled()), ...ownWebhook }

export const testedWebhook = {
  WebhookTestPending: answer(() => new Webhook.WebhookTestPending()),
  WebhookTestLimit: tooMany,
  ...openWebhook
}

const unacceptableUrl = {
  UnacceptableUrl: ({ message }: UnacceptableUrl) => Effect.fail(Body.InvalidRequest.field("url", message))
}

export const newWebhook = { WebhookLimit: answer(() => new Webhook.WebhookLimit()), ...unacceptableUrl, ...ownChange }

export const changedWebhook = { ...unacceptableUrl, ...rotatedWebhook }
