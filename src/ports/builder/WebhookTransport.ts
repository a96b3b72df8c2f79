/** Sends webhook requests to builders' endpoints, which are untrusted servers. */
import { Context, type Effect, Schema } from "effect"

/** The URL cannot be an endpoint, e.g. since it leads to a private network. */
export class UnacceptableUrl extends Schema.TaggedError<UnacceptableUrl>()("UnacceptableUrl", {
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** There was no response. The detail may be shown to the endpoint's owner. */
export class SendFailed extends Schema.TaggedError<SendFailed>()("SendFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookResponse {
  readonly statusCode: number
  /** Beginning of the response body. */
  readonly response: string
}

export class WebhookTransport extends Context.Service<
  WebhookTransport,
  {
    /** Checks that an endpoint may have this URL now: its form, and the addresses that its host resolves to. */
    readonly check: (url: string) => Effect.Effect<void, UnacceptableUrl>
    /**
     * Sends one POST request with a timeout, without following redirects. It connects to no address that {@link check}
     * would refuse, even if the host resolves to another address by now.
     */
    readonly post: (request: WebhookRequest) => Effect.Effect<WebhookResponse, SendFailed>
  }
>()("sweep/ports/WebhookTransport") {}
