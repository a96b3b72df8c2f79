/** The builder backend's HTTP contract (spec, "Builder backend"): server, clients and documentation come from it. */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Attribution, Builder } from "../../domain/Builder.ts"
import { Schema } from "effect"
import * as Document from "../shared/Document.ts"
import { BodyTooLarge, InternalError, Unavailable, UpstreamFailed } from "../shared/Errors.ts"
import { CountedIn, OperatorOnly, RateLimited, Validated } from "../shared/Middleware.ts"
import { Console } from "./ConsoleApi.ts"
import { DeploymentGroup } from "./DeploymentApi.ts"
import * as Docs from "./Docs.ts"
import {
  AlreadyRegistered,
  BadNonce,
  BadRequest,
  BadSignature,
  Conflict,
  InvalidRequest,
  NoBuilder,
  Unattributed
} from "./Errors.ts"
import { SameSiteOnly, SessionOnly, SignupOpen, StructurallyValidated } from "./Middleware.ts"
import {
  AccrualRequest,
  AccrualsView,
  ActivityView,
  ApiKeyView,
  BuilderBalances,
  NewApiKey,
  NewBuilderView,
  NonceView,
  Ok,
  page,
  RegistrationRequest,
  RevenueRequest,
  SignedIn,
  SignInRequest,
  SignUpRequest
} from "./Schemas.ts"

const failures = [Unavailable, InternalError] as const
const signInErrors = [BadRequest, BadNonce, BadSignature, BodyTooLarge, UpstreamFailed, ...failures] as const

export const Auth = HttpApiGroup.make("auth")
  .add(
    HttpApiEndpoint.get("nonce", "/auth/nonce", { success: NonceView, error: failures }).annotateMerge(Docs.nonce),
    HttpApiEndpoint.post("verify", "/auth/verify", {
      payload: SignInRequest,
      success: SignedIn,
      error: [NoBuilder, ...signInErrors]
    })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.verify),
    HttpApiEndpoint.post("logout", "/auth/logout", { success: Ok, error: failures })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.logout)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "Sign-in with a wallet (EIP-4361)." }))

export const SelfSignup = HttpApiGroup.make("signup")
  .add(
    HttpApiEndpoint.post("signUp", "/builders/self", {
      payload: SignUpRequest,
      success: NewBuilderView.pipe(HttpApiSchema.status(201)),
      error: [AlreadyRegistered, ...signInErrors]
    }).annotateMerge(Docs.signUp)
  )
  .middleware(SameSiteOnly)
  .middleware(SignupOpen)
  .middleware(RateLimited)
  .annotate(CountedIn, "signup")
  .annotateMerge(OpenApi.annotations({ description: "Builders sign up themselves with a wallet." }))

export const Me = HttpApiGroup.make("me")
  .add(
    HttpApiEndpoint.get("me", "/me", { success: Builder, error: failures }).annotateMerge(Docs.me),
    HttpApiEndpoint.get("accruals", "/me/accruals", { success: AccrualsView, error: failures }).annotateMerge(
      Docs.accruals
    ),
    HttpApiEndpoint.get("activity", "/me/activity", {
      query: page,
      success: ActivityView,
      error: failures
    }).annotateMerge(Docs.activity),
    HttpApiEndpoint.get("apiKey", "/me/apikey", { success: ApiKeyView, error: failures }).annotateMerge(Docs.apiKey),
    HttpApiEndpoint.post("rotateApiKey", "/me/apikey/rotate", { success: NewApiKey, error: failures })
      .middleware(SameSiteOnly)
      .annotateMerge(Docs.rotateApiKey)
  )
  .middleware(Validated)
  .middleware(SessionOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(OpenApi.annotations({ description: "What a signed-in builder sees of itself." }))

export const AttributionGroup = HttpApiGroup.make("attribution")
  .add(
    HttpApiEndpoint.post("attribute", "/attribute", {
      headers: { "x-api-key": Schema.optionalKey(Schema.String) },
      success: Attribution,
      error: [Unattributed, ...failures]
    }).annotateMerge(Docs.attribute)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "attribution")
  .annotateMerge(OpenApi.annotations({ description: "Whose API key it is. For servers." }))

export const Machine = HttpApiGroup.make("machine")
  .add(
    HttpApiEndpoint.post("register", "/builders", {
      payload: RegistrationRequest,
      success: NewBuilderView.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, AlreadyRegistered, BodyTooLarge, ...failures]
    }).annotateMerge(Docs.register),
    HttpApiEndpoint.post("accrue", "/accruals", {
      payload: AccrualRequest,
      success: Ok.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Conflict, BodyTooLarge, ...failures]
    }).annotateMerge(Docs.accrue),
    HttpApiEndpoint.get("balances", "/builders/:id/accruals", {
      params: { id: Schema.String },
      success: BuilderBalances,
      error: failures
    }).annotateMerge(Docs.balances),
    HttpApiEndpoint.post("bookRevenue", "/revenue", {
      payload: RevenueRequest,
      success: Ok.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Conflict, BodyTooLarge, ...failures]
    }).annotateMerge(Docs.bookRevenue)
  )
  .middleware(StructurallyValidated)
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "For the orchestrator and operators, with `Authorization: Bearer <ADMIN_TOKEN>`."
    })
  )

export const System = HttpApiGroup.make("system")
  .add(HttpApiEndpoint.get("liveness", "/healthz", { success: Ok }).annotateMerge(Docs.liveness))
  .annotateMerge(OpenApi.annotations({ description: "For load balancers and orchestrators of containers." }))

export const BuilderApi = HttpApi.make("builder")
  .add(Auth, SelfSignup, Me, AttributionGroup, Machine, Console, DeploymentGroup, System)
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Token sweep builder backend",
      version: "1",
      description: Docs.introduction,
      transform: Document.finish
    })
  )
