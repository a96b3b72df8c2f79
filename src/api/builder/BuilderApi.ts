/** The builder backend's HTTP contract (spec, "Builder backend"): server, clients and documentation come from it. */
import { Auth, Me, SelfSignup } from "./AccountApi.ts"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Attribution } from "../../domain/Builder.ts"
import { Schema } from "effect"
import * as Document from "../shared/Document.ts"
import { InternalError, Unavailable } from "../shared/Errors.ts"
import { CountedIn, OperatorOnly, RateLimited } from "../shared/Middleware.ts"
import { OperatorsUncounted } from "../shared/OperatorsUncounted.ts"
import { Console } from "./ConsoleApi.ts"
import { DeploymentGroup } from "./DeploymentApi.ts"
import * as Docs from "./Docs.ts"
import { Operations } from "./OperationsApi.ts"
import { AlreadyRegistered, Conflict, InvalidRequest, NotReady, Unattributed } from "./Errors.ts"
import { DetailedBody, StructurallyValidated } from "./Middleware.ts"
import { NewBuilderView, Ok } from "./AccountSchemas.ts"
import {
  AccrualRequest,
  BuilderBalances,
  RegistrationRequest,
  RevenueRequest,
  RevenuesBooked,
  RevenuesRequest
} from "./Schemas.ts"
import { MyKeys } from "./KeysApi.ts"
import { OwnData } from "./OwnDataApi.ts"
import { RateLimits } from "./RateLimitsApi.ts"
import { Stories } from "./StoriesApi.ts"
import { MySweeps, SweepEventRequest } from "./SweepsApi.ts"
import * as SweepsDocs from "./SweepsDocs.ts"
import { MyWebhooks } from "./WebhookApi.ts"
import { described } from "../../domain/Described.ts"

const failures = [Unavailable, InternalError] as const
export const AttributionGroup = HttpApiGroup.make("attribution")
  .add(
    HttpApiEndpoint.post("attribute", "/attribute", {
      headers: { "x-api-key": described(Schema.optionalKey(Schema.String), "API key of the builder.") },
      success: Attribution,
      error: [Unattributed, ...failures]
    }).annotateMerge(Docs.attribute)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "attribution")
  .annotate(OperatorsUncounted, true)
  .annotateMerge(OpenApi.annotations({ description: "Resolves API keys, for servers." }))

export const Machine = HttpApiGroup.make("machine")
  .add(
    HttpApiEndpoint.post("register", "/builders", {
      payload: RegistrationRequest,
      success: NewBuilderView.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, AlreadyRegistered, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(Docs.register),
    HttpApiEndpoint.post("accrue", "/accruals", {
      payload: AccrualRequest,
      success: Ok.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Conflict, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(Docs.accrue),
    HttpApiEndpoint.get("balances", "/builders/:id/accruals", {
      params: { id: described(Schema.String, "Identifier of the builder.") },
      success: BuilderBalances,
      error: failures
    }).annotateMerge(Docs.balances),
    HttpApiEndpoint.post("bookRevenue", "/revenue", {
      payload: RevenueRequest,
      success: Ok.pipe(HttpApiSchema.status(201)),
      error: [Conflict, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(Docs.bookRevenue),
    HttpApiEndpoint.post("bookRevenues", "/revenue/batch", {
      payload: RevenuesRequest,
      success: RevenuesBooked.pipe(HttpApiSchema.status(201)),
      error: failures
    })
      .middleware(DetailedBody)
      .annotateMerge(Docs.bookRevenues),
    HttpApiEndpoint.post("reportSweep", "/sweep-events", {
      payload: SweepEventRequest,
      success: Ok.pipe(HttpApiSchema.status(201)),
      error: [InvalidRequest, Conflict, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(SweepsDocs.report)
  )
  .middleware(StructurallyValidated)
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "For the orchestrator and operators, with `Authorization: Bearer <ADMIN_TOKEN>`."
    })
  )

export const System = HttpApiGroup.make("system")
  .add(
    HttpApiEndpoint.get("liveness", "/healthz", { success: Ok }).annotateMerge(Docs.liveness),
    HttpApiEndpoint.get("readiness", "/readyz", { success: Ok, error: [NotReady, InternalError] }).annotateMerge(
      Docs.readiness
    )
  )
  .annotateMerge(
    OpenApi.annotations({ description: "Liveness and readiness, for load balancers and container platforms." })
  )

export const BuilderApi = HttpApi.make("builder")
  .add(
    Auth,
    SelfSignup,
    Me,
    MyKeys,
    OwnData,
    MySweeps,
    MyWebhooks,
    AttributionGroup,
    Machine,
    Console,
    Stories,
    Operations,
    RateLimits,
    DeploymentGroup,
    System
  )
  .annotate(HttpApi.ParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Token sweep builder backend",
      version: "1",
      description: Docs.introduction,
      transform: Document.finish
    })
  )
