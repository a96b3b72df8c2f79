/**
 * The session cookie. It is `Secure` on a local network too: browsers treat `http://localhost` as trustworthy. It does not work
 * on other hosts without TLS.
 */
import { DateTime, Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SESSION_COOKIE } from "../../api/builder/Middleware.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import type { OpenSession } from "../../builder/account/SignIn.ts"

/** The cookie that the request carries. */
export const given = Effect.map(HttpServerRequest.HttpServerRequest, ({ cookies }) =>
  Option.map(Option.fromUndefinedOr(cookies[SESSION_COOKIE.key]), (value) => Redacted.make(value))
)

/** Writes the cookie of this deployment. */
export const make = Effect.map(BuilderSettings, ({ sessionCookieDomain }) => {
  const attributes = {
    path: "/",
    httpOnly: true,
    secure: true,
    sameSite: "lax" as const,
    ...(sessionCookieDomain === undefined ? {} : { domain: sessionCookieDomain })
  }
  return {
    set: ({ expiresAtMs, token }: OpenSession) =>
      HttpApiBuilder.securitySetCookie(SESSION_COOKIE, token, {
        ...attributes,
        expires: DateTime.toDateUtc(DateTime.makeUnsafe(expiresAtMs))
      }),
    clear: HttpApiBuilder.securitySetCookie(SESSION_COOKIE, "", { ...attributes, maxAge: 0 })
  }
})
