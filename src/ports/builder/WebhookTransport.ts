/** The way to builders' webhook endpoints, which are anybody's servers. */
import { Context, type Effect, Schema } from "effect"

/** The URL is none that a webhook may have, such as one of a private network. */
export class UnacceptableUrl extends Schema.TaggedError<UnacceptableUrl>()("UnacceptableUrl", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** There was no answer; the detail may be shown to the endpoint's owner. */
export class SendFailed extends Schema.TaggedError<SendFailed>()("SendFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface Posted {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Received {
  readonly statusCode: number
  /** The beginning of the answer's body. */
  readonly response: string
}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** Whether an endpoint may have this URL now: its form, and the addresses of its host. */
    readonly check: (url: string) => Effect.Effect<void, UnacceptableUrl>
    /**
     * Sends one request, with a time limit and no redirects, and to no address that {@link check} would refuse, whatever the
     * name of the host has come to mean since.
     */
    readonly post: (request: Posted) => Effect.Effect<Received, SendFailed>
  }
>()("sweep/ports/WebhookTransport") {}
