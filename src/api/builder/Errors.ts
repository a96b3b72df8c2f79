/** Error bodies of the builder backend, `{ "error": <code> }` (spec, "Errors" and the endpoints'). */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { code } from "../shared/Errors.ts"

/** 422: the body is not JSON, a field is missing or malformed, or the text is not a sign-in message. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(
  { error: code("bad_request") },
  {
    httpApiStatus: 422,
    description: "The body is not JSON, a field is missing or malformed, or the message does not follow EIP-4361"
  }
) {
  readonly _tag = "BadRequest"
}

/** 401: ask for a nonce and sign again. */
export class BadNonce extends Schema.Error<BadNonce>("BadNonce")(
  { error: code("bad_nonce") },
  { httpApiStatus: 401, description: "The nonce is missing, unknown, expired or consumed" }
) {
  readonly _tag = "BadNonce"
}

/** 401: the wallet did not sign the message, or the message is not for this dashboard, chain and time. */
export class BadSignature extends Schema.Error<BadSignature>("BadSignature")(
  { error: code("bad_signature") },
  {
    httpApiStatus: 401,
    description: "The wallet did not sign the message, or its domain, URI, version, chain or time is not acceptable"
  }
) {
  readonly _tag = "BadSignature"
}

/** 404: offer self-signup. */
export class NoBuilder extends Schema.Error<NoBuilder>("NoBuilder")(
  { error: code("no_builder") },
  { httpApiStatus: 404, description: "The signer is not a registered builder" }
) {
  readonly _tag = "NoBuilder"
}

export class SignupDisabled extends Schema.Error<SignupDisabled>("SignupDisabled")(
  { error: code("signup_disabled") },
  { httpApiStatus: 403, description: "Self-signup is disabled" }
) {
  readonly _tag = "SignupDisabled"
}

export class AlreadyRegistered extends Schema.Error<AlreadyRegistered>("AlreadyRegistered")(
  { error: code("already_registered") },
  { httpApiStatus: 409, description: "The id is taken, or the wallet already owns a builder" }
) {
  readonly _tag = "AlreadyRegistered"
}

export class Unattributed extends Schema.Error<Unattributed>("Unattributed")(
  { error: code("unattributed") },
  {
    httpApiStatus: 404,
    description:
      "The API key is missing, unknown, replaced, revoked or without the scope `quote`, or its builder is suspended"
  }
) {
  readonly _tag = "Unattributed"
}

/** 409: revoke a key first. */
export class KeyLimit extends Schema.Error<KeyLimit>("KeyLimit")(
  { error: code("key_limit") },
  { httpApiStatus: 409, description: "The builder has the maximum number of API keys" }
) {
  readonly _tag = "KeyLimit"
}

/** 403: create a key with the scope that the route needs. */
export class ScopeMissing extends Schema.Error<ScopeMissing>("ScopeMissing")(
  { error: code("scope_missing") },
  { httpApiStatus: 403, description: "The API key lacks the scope `read`" }
) {
  readonly _tag = "ScopeMissing"
}

/** 403: the request comes from a page of another site. */
export class ForbiddenOrigin extends Schema.Error<ForbiddenOrigin>("ForbiddenOrigin")(
  { error: code("forbidden_origin") },
  { httpApiStatus: 403, description: "The request's Origin is not the dashboard's" }
) {
  readonly _tag = "ForbiddenOrigin"
}

/** 422 of admin and machine routes, with every problem found. */
export class InvalidRequest extends Schema.Error<InvalidRequest>("InvalidRequest")(
  {
    error: described(
      Schema.Struct({
        message: described(Schema.String, "Always `invalid request`."),
        issues: described(
          Schema.Array(
            Schema.Struct({
              path: described(Schema.Array(Schema.String), "Path of the field. Empty for the whole body."),
              message: described(Schema.String, "Problem of the field.")
            })
          ),
          "Every problem found."
        )
      }).annotate({
        examples: [
          {
            message: "invalid request",
            issues: [{ path: ["builderBps"], message: "expected an integer from 0 to 10000" }]
          }
        ]
      }),
      "Problems of the request."
    )
  },
  { httpApiStatus: 422, description: "Fields are missing, malformed or not acceptable. Every problem is listed" }
) {
  readonly _tag = "InvalidRequest"

  /** One problem of one field. */
  static field(name: string, message: string): InvalidRequest {
    return new InvalidRequest({ error: { message: "invalid request", issues: [{ path: [name], message }] } })
  }
}

/** 409: the sweep or its event was reported with other content. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(
  { error: code("conflict") },
  {
    httpApiStatus: 409,
    description: "The same sweepId was booked with other content, or its accrual was reversed. Nothing was changed"
  }
) {
  readonly _tag = "Conflict"
}

/** 503: the database takes no writes. Sent with `Retry-After`. */
export class NotReady extends Schema.Error<NotReady>("NotReady")(
  {
    error: code("not ready"),
    unready: described(
      Schema.Array(Schema.Literals(["database", "stopping"])),
      "Missing parts. `stopping` if the process is about to stop."
    )
  },
  { httpApiStatus: 503, description: "The service can serve nothing. Retry after the seconds in `Retry-After`" }
) {
  readonly _tag = "NotReady"
}
