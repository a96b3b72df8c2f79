/** The operator's routes that find sweeps and tell their stories. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { NotFound, Unavailable } from "../../api/shared/Errors.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { StoryDesk } from "../../orchestrator/operate/StoryDesk.ts"
import { mask } from "../shared/Masked.ts"

const unavailable = mask(() => new Unavailable())

export const stories = HttpApiBuilder.group(
  OrchestratorApi,
  "stories",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* StoryDesk
    return handlers
      .handle(
        "find",
        Effect.fn("GET /admin/find")(
          ({ query: { q } }) => desk.find(q),
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
      .handle(
        "story",
        Effect.fn("GET /admin/intents/:id")(
          function* ({ params: { id } }) {
            return yield* Effect.mapError(Effect.fromOption(yield* desk.story(Uuid.stored(id))), () => new NotFound())
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)
