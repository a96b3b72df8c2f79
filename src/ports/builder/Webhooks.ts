/** Builders' webhook endpoints, and the messages that wait for them or reached them. */
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type {
  DisabledReason,
  Failing,
  Health,
  NextStep,
  WebhookEventType,
  WebhookMessage,
  WebhookMessageType
} from "../../domain/Webhook.ts"
import type { UnknownBuilder } from "./Ledger.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface WebhookEndpoint {
  readonly id: string
  readonly builderId: string
  readonly url: string
  readonly description: string
  /** What it is told; everything when empty. */
  readonly events: ReadonlyArray<WebhookEventType>
  readonly createdAtMs: number
  /** While set, nothing is sent, and what happens is not kept for it. */
  readonly disabled?: { readonly reason: DisabledReason; readonly atMs: number }
  readonly failing?: Failing
  /** Until when the secret before the last rotation signs as well. */
  readonly previousSecretUntilMs?: number
}

/** What its owner may change; what is absent stays. */
export interface EndpointPatch {
  readonly url?: string
  readonly description?: string
  readonly events?: ReadonlyArray<WebhookEventType>
  /** Enabling forgets past failures. */
  readonly enabled?: boolean
}

export interface Attempt {
  readonly atMs: number
  readonly durationMs: number
  /** Absent where there was no answer: then there is an error. */
  readonly statusCode?: number
  readonly error?: string
  /** The beginning of the answer's body. */
  readonly response?: string
}

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly messageId: string
  readonly type: WebhookMessageType
  readonly payload: string
  readonly state: "pending" | "delivered" | "failed"
  /** When it is tried next; only while it is pending. */
  readonly dueAtMs?: number
  readonly createdAtMs: number
  /** Oldest first. */
  readonly attempts: ReadonlyArray<Attempt>
}

/** A delivery that its claimer is to attempt. */
export interface DueDelivery {
  readonly id: string
  readonly webhookId: string
  readonly url: string
  readonly message: WebhookMessage
  /** Failed attempts since it was created or replayed. */
  readonly failures: number
  /** Those that sign: the current one first. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

export class WebhookLimit extends Schema.TaggedError<WebhookLimit>()("WebhookLimit", { limit: Schema.Int }) {
  override get message(): string {
    return `a builder may have ${this.limit} webhooks`
  }
}

/** No endpoint, or no delivery, of this id that the builder owns. */
export class WebhookNotFound extends Schema.TaggedError<WebhookNotFound>()("WebhookNotFound", { id: Schema.String }) {
  override get message(): string {
    return `there is no webhook or delivery ${this.id}`
  }
}

export class WebhookDisabled extends Schema.TaggedError<WebhookDisabled>()("WebhookDisabled", { id: Schema.String }) {
  override get message(): string {
    return `the webhook ${this.id} is disabled`
  }
}

type Owned<A> = Effect.Effect<A, WebhookNotFound | StoreUnavailable>

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** However many are created at once, a builder never has more than `limit`. */
    readonly create: (
      endpoint: WebhookEndpoint,
      secret: Redacted.Redacted,
      limit: number
    ) => Effect.Effect<void, WebhookLimit | UnknownBuilder | StoreUnavailable>
    /** A builder's endpoints, oldest first. */
    readonly list: (builderId: string) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreUnavailable>
    readonly find: (builderId: string, id: string) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreUnavailable>
    readonly modify: (builderId: string, id: string, patch: EndpointPatch) => Owned<WebhookEndpoint>
    /** With all that was or is to be sent to it. */
    readonly remove: (builderId: string, id: string) => Owned<void>
    /** Puts a new secret in place of the current one, which signs beside it until `previousUntilMs`. */
    readonly rotate: (
      builderId: string,
      id: string,
      secret: Redacted.Redacted,
      previousUntilMs: number
    ) => Owned<WebhookEndpoint>
    /** Leaves a message for each enabled endpoint of the builder that wants it; the same message once for each. */
    readonly publish: (builderId: string, message: WebhookMessage) => Effect.Effect<void, StoreUnavailable>
    /** Leaves a message for one endpoint; returns the delivery. */
    readonly send: (
      builderId: string,
      id: string,
      message: WebhookMessage
    ) => Effect.Effect<Delivery, WebhookNotFound | WebhookDisabled | StoreUnavailable>
    /** Has a message sent again, now and under the whole schedule, whatever became of it. */
    readonly replay: (
      builderId: string,
      deliveryId: string
    ) => Effect.Effect<Delivery, WebhookNotFound | WebhookDisabled | StoreUnavailable>
    /** An endpoint's deliveries, newest first, from before the delivery `before` on. */
    readonly deliveries: (
      builderId: string,
      id: string,
      page: { readonly before?: string; readonly limit: number }
    ) => Owned<ReadonlyArray<Delivery>>
    /**
     * Leases up to `limit` deliveries that are due, and of one endpoint no more than make `perEndpoint` with those that are
     * leased already, so that a slow receiver holds up no other. A lease ends by itself.
     */
    readonly claim: (options: {
      readonly limit: number
      readonly perEndpoint: number
      readonly leaseMillis: number
    }) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /**
     * Keeps an attempt with what follows from it: for the delivery `next`, for its endpoint what `judge` makes of how it stood.
     * A late failure changes nothing of a delivery that meanwhile went on. Of a removed endpoint nothing is kept.
     */
    readonly record: (
      due: DueDelivery,
      attempt: Attempt,
      next: NextStep,
      judge: (before: Failing | undefined) => Health
    ) => Effect.Effect<void, StoreUnavailable>
    /** Forgets deliveries that ended before; returns how many. */
    readonly prune: (beforeMs: number, limit: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/ports/Webhooks") {}
