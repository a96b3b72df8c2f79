/** The console's view of the orchestrator: its health, its alerts, stuck sweeps and collected fees. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AlertView, Health } from "../../domain/Health.ts"
import { MoneyView } from "../../domain/Money.ts"
import { RetryOutcome, StuckIntents } from "../../domain/StuckIntent.ts"
import { ChangeOfPause, PauseView } from "../../domain/Pause.ts"
import { FoundByOrchestrator, SweepStory } from "../../domain/SweepStory.ts"
import { TreasuryView } from "../../domain/Treasury.ts"
import { code, InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { moneyQuery } from "../shared/MoneyQuery.ts"
import { searchQuery } from "../shared/SearchQuery.ts"
import { stuckQuery } from "../shared/StuckQuery.ts"
import { ConsoleOnly, DetailedBody, SameSiteOnly, StructurallyValidated } from "./Middleware.ts"
import * as Docs from "./OperationsDocs.ts"
import { described } from "../../domain/Described.ts"

/** 501: no orchestrator is configured. */
export class NotConfigured extends Schema.Error<NotConfigured>("NotConfigured")(
  {
    error: code("not_configured"),
    missing: described(
      Schema.Array(Schema.String).annotate({ examples: [["ORCHESTRATOR_URL", "ORCHESTRATOR_ADMIN_TOKEN"]] }),
      "Settings to set."
    )
  },
  { httpApiStatus: 501, description: "The orchestrator's URL or token is not configured" }
) {
  readonly _tag = "NotConfigured"
}

/** 502: the orchestrator did not answer, or answered unexpectedly. Not masked, because only operators see it. */
export class OrchestratorUnavailable extends Schema.Error<OrchestratorUnavailable>("OrchestratorUnavailable")(
  {
    error: code("orchestrator_unavailable"),
    detail: described(Schema.String.annotate({ examples: ["the orchestrator answered 503"] }), "Cause of the failure.")
  },
  { httpApiStatus: 502, description: "The orchestrator did not answer, or answered unexpectedly" }
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
    HttpApiEndpoint.get("treasury", "/admin/operations/treasury", {
      success: TreasuryView,
      error: failures
    }).annotateMerge(Docs.treasury),
    HttpApiEndpoint.get("money", "/admin/operations/money", {
      query: moneyQuery,
      success: MoneyView,
      error: failures
    }).annotateMerge(Docs.money),
    HttpApiEndpoint.get("find", "/admin/operations/find", {
      query: searchQuery,
      success: FoundByOrchestrator,
      error: failures
    }).annotateMerge(Docs.find),
    HttpApiEndpoint.get("story", "/admin/operations/intents/:id", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
      success: SweepStory,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.story),
    HttpApiEndpoint.get("pauses", "/admin/operations/pauses", {
      success: Schema.Array(PauseView),
      error: failures
    }).annotateMerge(Docs.pauses),
    HttpApiEndpoint.post("changePause", "/admin/operations/pauses", {
      payload: ChangeOfPause,
      success: PauseView,
      error: [NotFound, Unavailable, ...failures]
    })
      .middleware(DetailedBody)
      .annotateMerge(Docs.changePause),
    HttpApiEndpoint.post("retry", "/admin/operations/intents/:id/retry", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
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
        "For operators. The backend calls the orchestrator at `ORCHESTRATOR_URL` with `ORCHESTRATOR_ADMIN_TOKEN`, so that browsers never hold that token."
    })
  )
