/** Middleware that only the builder backend's contract names; the server implements it. */
import { Context, type Redacted } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { BuilderAccount } from "../../domain/Builder.ts"
import { BodyTooLarge, RateLimitExceededResponse, Unauthorized, Unavailable } from "../shared/Errors.ts"
import { BadRequest, ForbiddenOrigin, InvalidRequest, ScopeMissing, SignupDisabled } from "./Errors.ts"

/** The dashboard's session. Scripts cannot read it. */
export const SESSION_COOKIE = HttpApiSecurity.apiKey({ in: "cookie", key: "sweep_session" }).pipe(
  HttpApiSecurity.annotateMerge(
    OpenApi.annotations({ description: "Set by `POST /auth/verify` and `POST /builders/self`; HttpOnly, 7 days" })
  )
)

/** The builder who is signed in. */
export class CurrentSession extends Context.Service<
  CurrentSession,
  { readonly builder: BuilderAccount; readonly token: Redacted.Redacted }
>()("sweep/api/CurrentSession") {}

/** Requires a session. */
export class SessionOnly extends HttpApiMiddleware.Service<SessionOnly, { provides: CurrentSession }>()(
  "sweep/api/SessionOnly",
  { error: [Unauthorized, Unavailable], security: { session: SESSION_COOKIE } }
) {}

/** The builder of the API key with which the request came. */
export class KeyOwner extends Context.Service<KeyOwner, BuilderAccount>()("sweep/api/KeyOwner") {}

/** Requires an API key with the scope `read`. */
export class ReadKeyOnly extends HttpApiMiddleware.Service<ReadKeyOnly, { provides: KeyOwner }>()(
  "sweep/api/ReadKeyOnly",
  {
    error: [Unauthorized, ScopeMissing, Unavailable],
    security: {
      readKey: HttpApiSecurity.apiKey({ in: "header", key: "x-api-key" }).pipe(
        HttpApiSecurity.annotateMerge(OpenApi.annotations({ description: "API key with the scope `read`" }))
      )
    }
  }
) {}

/**
 * Refuses requests from pages of other sites than the dashboard and the backend, which would carry a visitor's cookie (of the
 * session, or of a gateway in front of the console) or set one. Browsers name their origin in each POST. Other clients need
 * not.
 */
export class SameSiteOnly extends HttpApiMiddleware.Service<SameSiteOnly>()("sweep/api/SameSiteOnly", {
  error: ForbiddenOrigin
}) {}

/** Refuses self-signup if it is disabled, before the request is read. */
export class SignupOpen extends HttpApiMiddleware.Service<SignupOpen>()("sweep/api/SignupOpen", {
  error: SignupDisabled
}) {}

/** The operator who makes the request: the name from the gateway, or `admin-token`. */
export class CurrentOperator extends Context.Service<CurrentOperator, { readonly name: string }>()(
  "sweep/api/CurrentOperator"
) {}

/** Requires the assertion of the single sign-on gateway, or the admin token if there is no gateway. */
export class ConsoleOnly extends HttpApiMiddleware.Service<ConsoleOnly, { provides: CurrentOperator }>()(
  "sweep/api/ConsoleOnly",
  {
    error: [Unauthorized, RateLimitExceededResponse],
    security: {
      consoleToken: HttpApiSecurity.bearer.pipe(
        HttpApiSecurity.annotateMerge(
          OpenApi.annotations({
            description: "The admin token. Behind a gateway, its signed assertion takes its place"
          })
        )
      )
    }
  }
) {}

/** Answers malformed path and query parameters of admin routes with 422 and every problem found. */
export class StructurallyValidated extends HttpApiMiddleware.Service<StructurallyValidated>()(
  "sweep/api/StructurallyValidated",
  { error: InvalidRequest }
) {}

/** Answers a malformed body with 422 `bad_request`. */
export class SignInBody extends HttpApiMiddleware.Service<SignInBody>()("sweep/api/SignInBody", {
  error: [BadRequest, BodyTooLarge]
}) {}

/** Answers a malformed body with 422 and every problem found, as a structure. */
export class DetailedBody extends HttpApiMiddleware.Service<DetailedBody>()("sweep/api/DetailedBody", {
  error: [InvalidRequest, BodyTooLarge]
}) {}
