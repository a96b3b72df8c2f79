/** Error bodies of the builder backend, `{ "error": <code> }` (spec, "Errors" and the endpoints'). */
import { Schema } from "effect"

/** 422: no JSON, a missing or malformed field, or a text that is no sign-in message. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(
  { error: Schema.tag("bad_request") },
  {
    httpApiStatus: 422,
    description: "The body is not JSON, a field is missing or malformed, or it is no sign-in message"
  }
) {
  readonly _tag = "BadRequest"
}

/** 401: ask for a nonce and sign again. */
export class BadNonce extends Schema.Error<BadNonce>("BadNonce")(
  { error: Schema.tag("bad_nonce") },
  { httpApiStatus: 401, description: "The nonce is missing, unknown, expired or consumed" }
) {
  readonly _tag = "BadNonce"
}

/** 401: not signed by the wallet, or not a message for this dashboard, chain and time. */
export class BadSignature extends Schema.Error<BadSignature>("BadSignature")(
  { error: Schema.tag("bad_signature") },
  {
    httpApiStatus: 401,
    description:
      "The wallet did not sign this, or domain, URI, version, chain or a time of the message are not acceptable"
  }
) {
  readonly _tag = "BadSignature"
}

/** 404: offer self-signup. */
export class NoBuilder extends Schema.Error<NoBuilder>("NoBuilder")(
  { error: Schema.tag("no_builder") },
  { httpApiStatus: 404, description: "The signer is not a registered builder" }
) {
  readonly _tag = "NoBuilder"
}

export class SignupDisabled extends Schema.Error<SignupDisabled>("SignupDisabled")(
  { error: Schema.tag("signup_disabled") },
  { httpApiStatus: 403, description: "This backend does not take self-signups" }
) {
  readonly _tag = "SignupDisabled"
}

export class AlreadyRegistered extends Schema.Error<AlreadyRegistered>("AlreadyRegistered")(
  { error: Schema.tag("already_registered") },
  { httpApiStatus: 409, description: "The id is taken, or the wallet already owns a builder" }
) {
  readonly _tag = "AlreadyRegistered"
}

export class Unattributed extends Schema.Error<Unattributed>("Unattributed")(
  { error: Schema.tag("unattributed") },
  { httpApiStatus: 404, description: "The API key is missing, unknown, rotated, or of a suspended builder" }
) {
  readonly _tag = "Unattributed"
}

/** 403: a browser of another site asked. */
export class ForbiddenOrigin extends Schema.Error<ForbiddenOrigin>("ForbiddenOrigin")(
  { error: Schema.tag("forbidden_origin") },
  { httpApiStatus: 403, description: "The request's Origin is not the dashboard's" }
) {
  readonly _tag = "ForbiddenOrigin"
}

/** 422 of admin and machine routes: every problem found. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  {
    error: Schema.Struct({
      message: Schema.String,
      issues: Schema.Array(
        Schema.Struct({
          path: Schema.Array(Schema.String).annotate({ description: "the field; empty for the body as a whole" }),
          message: Schema.String
        })
      )
    })
  },
  { httpApiStatus: 422, description: "Fields are missing, malformed or not acceptable; every problem is listed" }
) {
  readonly _tag = "InvalidRequest"

  /** One problem of one field. */
  static field(name: string, message: string): InvalidRequest {
    return new InvalidRequest({ error: { message: "invalid request", issues: [{ path: [name], message }] } })
  }
}

/** 409: the sweep, or its event, is known with other content. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { error: Schema.tag("conflict") },
  { httpApiStatus: 409, description: "The same sweepId was booked with other content; nothing was changed" }
) {
  readonly _tag = "Conflict"
}
