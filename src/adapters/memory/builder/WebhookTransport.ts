/** {@link WebhookTransport} that records requests and sends nothing. The test sets the response. */
import { Context, Effect, Layer, Ref } from "effect"
import { urlProblem } from "../../../domain/Webhook.ts"
import {
  type WebhookRequest,
  type WebhookResponse,
  SendFailed,
  UnacceptableUrl,
  WebhookTransport
} from "../../../ports/builder/WebhookTransport.ts"

export interface State {
  readonly posted: ReadonlyArray<WebhookRequest>
  /** Response of every endpoint. Undefined: no endpoint responds. */
  readonly answer: WebhookResponse | undefined
}

/** The test's handle on the adapter. */
export class WebhookTransportState extends Context.Service<WebhookTransportState, Ref.Ref<State>>()(
  "sweep/adapters/memory/WebhookTransportState"
) {}

const OK: WebhookResponse = { statusCode: 204, response: "" }

/** Accepts every https URL. */
export const layer: Layer.Layer<WebhookTransport | WebhookTransportState> = Layer.effect(
  WebhookTransport,
  Effect.map(WebhookTransportState, (state) => ({
    check: (url) => {
      const problem = urlProblem(url, false)
      return problem === undefined ? Effect.void : Effect.fail(new UnacceptableUrl({ detail: problem }))
    },
    post: (posted) =>
      Ref.updateAndGet(state, (before) => ({ ...before, posted: [...before.posted, posted] })).pipe(
        Effect.flatMap(({ answer }) =>
          answer === undefined ? Effect.fail(new SendFailed({ detail: "turned off" })) : Effect.succeed(answer)
        )
      )
  }))
).pipe(Layer.provideMerge(Layer.effect(WebhookTransportState, Ref.make<State>({ posted: [], answer: OK }))))
