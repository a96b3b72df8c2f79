/** Webhook endpoints of builders, and the queue of messages to them. */
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type {
  DisabledReason,
  Failing,
  EndpointHealth,
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
  /** Event types that are sent to it. Empty: all. */
  readonly events: ReadonlyArray<WebhookEventType>
  readonly createdAtMs: number
  /** While set, nothing is sent, and new events are not queued for it. */
  readonly disabled?: { readonly reason: DisabledReason; readonly atMs: number }
  readonly failing?: Failing
  /** End of the period in which the previous secret signs as well, in UNIX milliseconds. */
  readonly previousSecretUntilMs?: number
}

/** Changes by the owner. Absent fields stay as they are. */
export interface EndpointPatch {
  readonly url?: string
  readonly description?: string
  readonly events?: ReadonlyArray<WebhookEventType>
  /** Enabling an endpoint resets its failures. */
  readonly enabled?: boolean
}

export interface DeliveryAttempt {
  readonly atMs: number
  readonly durationMs: number
  /** HTTP status. Absent if there was no response; then `error` is present. */
  readonly statusCode?: number
  readonly error?: string
  /** Beginning of the response body. */
  readonly response?: string
}

/** Attempts of a delivery that are listed. A replay removes older ones. */
export const ATTEMPTS_LISTED = 20

export interface Delivery {
  readonly id: string
  readonly webhookId: string
  readonly messageId: string
  readonly type: WebhookMessageType
  readonly payload: string
  readonly state: "pending" | "delivered" | "failed"
  /** Time of the next attempt in UNIX milliseconds. Present while the delivery is pending. */
  readonly dueAtMs?: number
  readonly createdAtMs: number
  /** The newest {@link ATTEMPTS_LISTED}, oldest first. */
  readonly attempts: ReadonlyArray<DeliveryAttempt>
}

/** Conditions that a delivery must meet. */
export interface DeliveryFilter {
  readonly type?: WebhookMessageType
  /** Queued at this time or later, in UNIX milliseconds. */
  readonly fromMs?: number
  /** Queued before this time, in UNIX milliseconds. */
  readonly toMs?: number
}

/** A leased delivery, which its claimer must attempt. */
export interface DueDelivery {
  readonly id: string
  readonly webhookId: string
  readonly builderId: string
  readonly url: string
  /** True if the endpoint fails since its last success. */
  readonly isFailing: boolean
  readonly message: WebhookMessage
  /** Failed attempts since the delivery was created or replayed. */
  readonly failures: number
  /** Secrets that sign the request, the current one first. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** Places in which a process may begin attempts. */
export interface FreePlaces {
  /** Maximum number of deliveries to lease. */
  readonly limit: number
  /** Maximum number of them whose endpoint fails. */
  readonly failingLimit: number
  /** Maximum number of leased deliveries of one endpoint. An endpoint that fails has `PER_FAILING_ENDPOINT`. */
  readonly perEndpoint: number
  /** Maximum number of leased deliveries of one builder. */
  readonly perBuilder: number
  readonly leaseMillis: number
  /**
   * Attempts of each builder that the process has begun and not ended. They count if there are more of them than leases, since those of a
   * removed endpoint have no lease and hold their places. Default: none.
   */
  readonly open?: ReadonlyMap<string, number>
}

/** The builder has the maximum number of endpoints. */
export class WebhookLimit extends Schema.TaggedError<WebhookLimit>()("WebhookLimit", { limit: Schema.Int }) {
  override get message(): string {
    return `a builder may have ${this.limit} webhooks`
  }
}

/** The builder owns no endpoint, or no delivery, of this id. */
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

/** A test message of the endpoint is not delivered yet. */
export class WebhookTestPending extends Schema.TaggedError<WebhookTestPending>()("WebhookTestPending", {
  id: Schema.String
}) {
  override get message(): string {
    return `a test message of the webhook ${this.id} is pending`
  }
}

/** The endpoint was sent the maximum number of test messages. */
export class WebhookTestLimit extends Schema.TaggedError<WebhookTestLimit>()("WebhookTestLimit", {
  id: Schema.String,
  /** Milliseconds after which another one can be sent. */
  retryAfterMillis: Schema.Int
}) {
  override get message(): string {
    return `the webhook ${this.id} was sent the maximum number of test messages of a day`
  }
}

type Owned<A> = Effect.Effect<A, WebhookNotFound | StoreUnavailable>

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Creates an endpoint. Concurrent calls never give a builder more than `limit` endpoints. */
    readonly create: (
      endpoint: WebhookEndpoint,
      secret: Redacted.Redacted,
      limit: number
    ) => Effect.Effect<void, WebhookLimit | UnknownBuilder | StoreUnavailable>
    /** A builder's endpoints, oldest first. */
    readonly list: (builderId: string) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StoreUnavailable>
    /** The endpoint; none if the builder owns no such endpoint. */
    readonly find: (builderId: string, id: string) => Effect.Effect<Option.Option<WebhookEndpoint>, StoreUnavailable>
    /** Changes an endpoint and returns it. Idempotent. */
    readonly modify: (builderId: string, id: string, patch: EndpointPatch) => Owned<WebhookEndpoint>
    /** Removes an endpoint with its secrets at once. Its deliveries are no longer found, and `prune` deletes them. */
    readonly remove: (builderId: string, id: string) => Owned<void>
    /** Replaces the secret. The previous one signs beside it until `previousUntilMs` (UNIX milliseconds). */
    readonly rotate: (
      builderId: string,
      id: string,
      secret: Redacted.Redacted,
      previousUntilMs: number
    ) => Owned<WebhookEndpoint>
    /**
     * Stores up to `limit` secrets anew that are not stored as the settings say: encrypted by the current key, or readable without one.
     * Returns the number of those that were stored, and of those that cannot be read.
     */
    readonly reseal: (
      limit: number
    ) => Effect.Effect<{ readonly stored: number; readonly unreadable: number }, StoreUnavailable>
    /** Queues a message for each enabled endpoint of the builder that wants its type. Idempotent by message id. */
    readonly publish: (builderId: string, message: WebhookMessage) => Effect.Effect<void, StoreUnavailable>
    /**
     * Queues a message for one endpoint and returns the delivery. Idempotent by message id. `WebhookDisabled` if nothing can be queued,
     * `WebhookTestPending` if another test message of the endpoint is pending, `WebhookTestLimit` above `MAX_TESTS` in `TESTS_MILLIS`.
     */
    readonly send: (
      builderId: string,
      id: string,
      message: WebhookMessage
    ) => Effect.Effect<
      Delivery,
      WebhookNotFound | WebhookDisabled | WebhookTestPending | WebhookTestLimit | StoreUnavailable
    >
    /** Queues a delivery again, due now and with all retries, whatever its state. */
    readonly replay: (
      builderId: string,
      deliveryId: string
    ) => Effect.Effect<Delivery, WebhookNotFound | WebhookDisabled | StoreUnavailable>
    /**
     * An endpoint's deliveries that meet every condition, newest first; with `before`, those older than the delivery of that id.
     * `state`: only deliveries in it. `messageIds`: only those of these messages.
     */
    readonly deliveries: (
      builderId: string,
      id: string,
      page: DeliveryFilter & {
        readonly before?: string
        readonly limit: number
        readonly state?: Delivery["state"]
        readonly messageIds?: ReadonlyArray<string>
      }
    ) => Owned<ReadonlyArray<Delivery>>
    /**
     * Queues up to `limit` failed deliveries of an endpoint that meet every condition again, the oldest first, as `replay` does, and
     * returns their number. Repeated until it returns 0, it queues all of them.
     */
    readonly replayFailed: (
      builderId: string,
      id: string,
      limit: number,
      filter?: DeliveryFilter
    ) => Effect.Effect<number, WebhookNotFound | WebhookDisabled | StoreUnavailable>
    /** Deliveries of these messages to any endpoint of the builder, oldest first. */
    readonly ofMessages: (
      builderId: string,
      messageIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
    /**
     * Leases due deliveries in turns. The turn of a delivery is the number of leased ones of its builder, plus its position among the due
     * ones of its builder that their endpoints have places for. Within a turn, the one that has been due for longest comes first. So a
     * builder has its next place before others have another one more, however old their messages are.
     *
     * Endpoints that fail stand behind healthy ones, at most for `FAILING_WAIT_MILLIS`. Among them, the one comes first whose last attempt
     * was longest ago. A delivery whose lease ended can be claimed again.
     */
    readonly claim: (places: FreePlaces) => Effect.Effect<ReadonlyArray<DueDelivery>, StoreUnavailable>
    /**
     * Stores an attempt with its consequences: the delivery's next step, and the endpoint's health as `judge` computes
     * it from its failures so far. A late failure does not change a delivery that has moved on. Does nothing if the
     * endpoint was removed.
     */
    readonly record: (
      due: DueDelivery,
      attempt: DeliveryAttempt,
      next: NextStep,
      judge: (before: Failing | undefined) => EndpointHealth
    ) => Effect.Effect<void, StoreUnavailable>
    /**
     * Deletes up to `limit` deliveries that ended before `beforeMs` (UNIX milliseconds), whose endpoint is disabled since before then, or
     * whose endpoint was removed; returns their number.
     */
    readonly prune: (beforeMs: number, limit: number) => Effect.Effect<number, StoreUnavailable>
    /**
     * Sets up to `limit` pending deliveries of disabled endpoints aside, so that claims need not read them, and takes up to `limit` of those
     * of enabled endpoints back. Returns the larger number. Changes nothing that callers see.
     */
    readonly hold: (limit: number) => Effect.Effect<number, StoreUnavailable>
  }
>()("sweep/ports/Webhooks") {}
