/** Routes that the dashboard uses first: sign-in and the account. Separate from the rest to keep the dashboard small. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Builder } from "../../domain/Builder.ts"
import { InternalError, NotFound, Unavailable, UpstreamFailed } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { SitesCounted } from "../shared/SitesCounted.ts"
import * as Docs from "./Docs.ts"
import * as EarningsDocs from "./EarningsDocs.ts"
import { AlreadyRegistered, BadNonce, BadRequest, BadSignature, NoBuilder } from "./Errors.ts"
import { money } from "./MoneyApi.ts"
import { SameSiteOnly, SessionOnly, SignInBody, SignupOpen } from "./Middleware.ts"
import {
  AccrualsView,
  activityQuery,
  ActivityView,
  ApiKeyView,
  NewApiKey,
  NewBuilderView,
  NonceView,
  Ok,
  SignedIn,
  SignInRequest,
  SignUpRequest
} from "./AccountSchemas.ts"

const failures = [Unavailable, InternalError] as const
const signInErrors = [BadRequest, BadNonce, BadSignature, UpstreamFailed, ...failures] as const

export const Auth = HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("nonce", "/auth/nonce", { success: NonceView, error: failures }).annotateMerge(Docs.nonce),
    HttpApiEndpoint.post("verify", "/auth/verify", {
      payload: SignInRequest,
      success: SignedIn,
      error: [NoBuilder, ...signInErrors]
    })
      .middleware(SignInBody)
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.verify),
    HttpApiEndpoint.post("logout", "/auth/logout", { success: Ok, error: failures })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.logout)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotate(SitesCounted, true)
  .annotateMerge(OpenApi.annotations({ description: "Sign-in with a wallet (EIP-4361)." }))

export const SelfSignup = HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("signUp", "/builders/self", {
      payload: SignUpRequest,
      success: NewBuilderView.pipe(HttpApiSchema.status(201)),
      error: [AlreadyRegistered, ...signInErrors]
    })
      .middleware(SignInBody)
      .annotateMerge(Docs.signUp)
  )
  .middleware(SameSiteOnly)
  .middleware(SignupOpen)
  .middleware(RateLimited)
  .annotate(CountedIn, "signup")
  .annotate(SitesCounted, true)
  .annotateMerge(OpenApi.annotations({ description: "Self-signup of builders with a wallet." }))

export const Me = HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("me", "/me", { success: Builder, error: failures }).annotateMerge(Docs.me),
    HttpApiEndpoint.get("accruals", "/me/accruals", { success: AccrualsView, error: failures }).annotateMerge(
      EarningsDocs.accruals
    ),
    HttpApiEndpoint.get("activity", "/me/activity", {
      query: activityQuery,
      success: ActivityView,
      error: failures
    }).annotateMerge(EarningsDocs.activity),
    money,
    HttpApiEndpoint.get("apiKey", "/me/apikey", {
      success: ApiKeyView,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.apiKey),
    HttpApiEndpoint.post("rotateApiKey", "/me/apikey/rotate", { success: NewApiKey, error: failures })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.rotateApiKey)
  )
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "Account of a signed-in builder." }))
