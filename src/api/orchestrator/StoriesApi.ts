/** The operator's routes that find sweeps and tell their stories. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { described } from "../../domain/Described.ts"
import { FoundByOrchestrator, SweepStory } from "../../domain/SweepStory.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { OperatorOnly, Validated } from "../shared/Middleware.ts"
import { searchQuery } from "../shared/SearchQuery.ts"
import * as Docs from "./StoriesDocs.ts"

export const Stories = HttpApiGroup.make("stories")
  .add(
    HttpApiEndpoint.get("find", "/admin/find", {
      query: searchQuery,
      success: FoundByOrchestrator,
      error: [Unavailable, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(Docs.find),
    HttpApiEndpoint.get("story", "/admin/intents/:id", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
      success: SweepStory,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(Docs.story)
  )
  .middleware(OperatorOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "Sweeps with their stories. For the operator, with `Authorization: Bearer <ORCH_ADMIN_TOKEN>`."
    })
  )
