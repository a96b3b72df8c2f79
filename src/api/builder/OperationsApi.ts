/** The console's view of the orchestrator: its health, its alerts, and sweeps that do not get on. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AlertView, Health } from "../../domain/Health.ts"
import { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { stuckQuery } from "../shared/StuckQuery.ts"
import { ConsoleOnly, SameSiteOnly, StructurallyValidated } from "./Middleware.ts"
import * as Docs from "./OperationsDocs.ts"

/** 501: the backend was not told of an orchestrator. */
export class NotConfigured extends Schema.Error<NotConfigured>("NotConfigured")(
  {
    error: Schema.tag("not_configured"),
    missing: Schema.Array(Schema.String).annotate({ description: "the settings to set" })
  },
  { httpApiStatus: 501, description: "The builder backend was not told where the orchestrator is, or its token" }
) {
  readonly _tag = "NotConfigured"
}

/** 502: the orchestrator did not answer, or not as it should. Not masked: operators alone see it. */
export class OrchestratorUnavailable extends Schema.Error<OrchestratorUnavailable>("OrchestratorUnavailable")(
  { error: Schema.tag("orchestrator_unavailable"), detail: Schema.String },
  { httpApiStatus: 502, description: "The orchestrator did not answer, or not as it should" }
) {
  readonly _tag = "OrchestratorUnavailable"
}

const failures = [NotConfigured, OrchestratorUnavailable, InternalError] as const

export const Operations = HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.get("health", "/admin/operations/health", { success: Health, error: failures }).annotateMerge(
      Docs.health
    ),
    HttpApiEndpoint.get("alerts", "/admin/operations/alerts", {
      success: Schema.Array(AlertView),
      error: failures
    }).annotateMerge(Docs.alerts),
    HttpApiEndpoint.get("stuck", "/admin/operations/intents", {
      query: stuckQuery,
      success: StuckIntents,
      error: failures
    }).annotateMerge(Docs.stuck),
    HttpApiEndpoint.post("retry", "/admin/operations/intents/:id/retry", {
      params: { id: Schema.String },
      success: RetryOutcome,
      error: [NotFound, Unavailable, ...failures]
    }).annotateMerge(Docs.retry)
  )
  .middleware(StructurallyValidated)
  .middleware(SameSiteOnly)
  .middleware(ConsoleOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "For operators, as the console's other routes. The backend asks the orchestrator at `ORCHESTRATOR_URL` with `ORCHESTRATOR_ADMIN_TOKEN`, so that browsers never hold that token."
    })
  )
