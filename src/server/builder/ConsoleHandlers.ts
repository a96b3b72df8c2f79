/** The admin console. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import * as ConsoleBuilders from "./ConsoleBuilders.ts"
import * as ConsolePayouts from "./ConsolePayouts.ts"
import * as ConsoleViews from "./ConsoleViews.ts"

export const console = HttpApiBuilder.group(
  BuilderApi,
  "console",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      ...(yield* ConsoleBuilders.make),
      ...(yield* ConsolePayouts.make),
      ...(yield* ConsoleViews.make)
    })
  })
)
