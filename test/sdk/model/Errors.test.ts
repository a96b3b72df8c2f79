/** Every error has the name of its class, and the code that its type says. */
import { assert, describe, it } from "vitest"
import * as Sdk from "../../../src/sdk/index.ts"

const answer: Sdk.Answer = { status: 503, reason: "busy", requestId: "r-1", retryAfterSeconds: undefined }
const intent: Sdk.Intent = { id: "1", status: "failed", crossChain: false }

const errors: Readonly<Record<Sdk.SweepErrorCode, Sdk.KnownSweepError>> = {
  idempotency_key_in_use: new Sdk.IdempotencyKeyInUseError(answer),
  idempotency_key_reused: new Sdk.IdempotencyKeyReusedError(answer),
  invalid_request: new Sdk.InvalidRequestError(answer),
  malformed_answer: new Sdk.MalformedAnswerError("", "JSON"),
  network_error: new Sdk.NetworkError("https://sweep.test", "lost"),
  node_error: new Sdk.NodeError("down"),
  not_found: new Sdk.NotFoundError(answer),
  nothing_to_sweep: new Sdk.NothingToSweepError([]),
  order_mismatch: new Sdk.OrderMismatchError([]),
  quote_expired: new Sdk.QuoteExpiredError(["1"], new Date(0)),
  quote_unavailable: new Sdk.QuoteUnavailableError(answer),
  rate_limited: new Sdk.RateLimitedError(answer),
  screening_blocked: new Sdk.ScreeningBlockedError(answer),
  screening_unavailable: new Sdk.ScreeningUnavailableError(answer),
  service_error: new Sdk.ServiceError(answer),
  signing_refused: new Sdk.SigningError("signing_refused", "order", "no", "cause"),
  submission_refused: new Sdk.SubmissionRefusedError(answer),
  sweep_failed: new Sdk.SweepFailedError(intent),
  sweep_postponed: new Sdk.SweepPostponedError(answer),
  sweep_refused: new Sdk.SweepRefusedError(answer),
  sweep_unfinished: new Sdk.SweepUnfinishedError(["1"], undefined, new Sdk.NodeError("down")),
  unavailable: new Sdk.UnavailableError(answer),
  unexpected_status: new Sdk.UnexpectedStatusError(answer),
  unsupported_wallet: new Sdk.SigningError("unsupported_wallet", "authorization", "no"),
  usage: new Sdk.UsageError("no node"),
  wait_timeout: new Sdk.WaitTimeoutError("1", 1000, intent),
  wrong_signer: new Sdk.SigningError("wrong_signer", "order", "no")
}

const classes = new Map(
  Object.entries(Sdk).flatMap(([name, value]) => (typeof value === "function" ? [[value, name]] : []))
)

describe("the errors", () => {
  for (const [code, error] of Object.entries(errors)) {
    it(`have a name and a code: ${code}`, () => {
      assert.strictEqual(error.code, code)
      assert.strictEqual(error.name, classes.get(error.constructor as never))
      assert.isTrue(Sdk.isSweepError(error))
    })
  }

  it("carry the cause, if there is one", () => {
    assert.strictEqual(errors.network_error.cause, "lost")
    assert.strictEqual(errors.signing_refused.cause, "cause")
    assert.notProperty(errors.node_error, "cause")
  })

  it("tell the status, the reason and the request of a response", () => {
    assert.strictEqual(errors.service_error.message, "503 busy: retry later (request r-1)")
    const bare = new Sdk.NotFoundError({ status: 404, reason: "", requestId: undefined, retryAfterSeconds: undefined })
    assert.strictEqual(bare.message, "404: the id is unknown")
  })
})
