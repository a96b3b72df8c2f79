/** A builder's own data, which its servers read with an API key of the scope `read`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Builder } from "../../domain/Builder.ts"
import { described } from "../../domain/Described.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { CountedIn, RateLimited, Validated } from "../shared/Middleware.ts"
import { AccrualsView, activityQuery, ActivityView } from "./AccountSchemas.ts"
import { ReadKeyOnly } from "./Middleware.ts"
import * as Docs from "./OwnDataDocs.ts"
import { SweepsPage, sweepsQuery, SweepTimeline } from "./SweepsApi.ts"

const failures = [Unavailable, InternalError] as const

export const OwnData = HttpApiGroup.make("own")
  .add(
    HttpApiEndpoint.get("builder", "/account", { success: Builder, error: failures }).annotateMerge(Docs.builder),
    HttpApiEndpoint.get("accruals", "/account/accruals", { success: AccrualsView, error: failures }).annotateMerge(
      Docs.accruals
    ),
    HttpApiEndpoint.get("activity", "/account/activity", {
      query: activityQuery,
      success: ActivityView,
      error: failures
    }).annotateMerge(Docs.activity),
    HttpApiEndpoint.get("sweeps", "/account/sweeps", {
      query: sweepsQuery,
      success: SweepsPage,
      error: failures
    }).annotateMerge(Docs.sweeps),
    HttpApiEndpoint.get("sweep", "/account/sweeps/:id", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
      success: SweepTimeline,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.sweep)
  )
  .middleware(Validated)
  .middleware(ReadKeyOnly)
  .middleware(RateLimited)
  .annotate(CountedIn, "builder")
  .annotateMerge(
    OpenApi.annotations({ description: "A builder's own data, for its servers, with an API key of the scope `read`." })
  )
