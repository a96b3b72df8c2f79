/** Responses of the orchestrator's `GET /readyz`. */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { ChainReadiness, EssentialPart } from "../../domain/Readiness.ts"
import { code } from "../shared/Errors.ts"

export const Ready = Schema.Struct({
  ok: described(Schema.Literal(true), "Always true."),
  chains: described(Schema.Array(ChainReadiness), "Served chains. At least one is ready.")
}).annotate({ identifier: "Ready" })

/** 503: the orchestrator can serve nothing. Sent with `Retry-After`. */
export class NotReady extends Schema.Error<NotReady>("NotReady")(
  {
    error: code("not ready"),
    unready: described(
      Schema.Array(EssentialPart),
      "Missing parts. `chains` if no chain is ready, `stopping` if the process is about to stop."
    ),
    chains: described(Schema.Array(ChainReadiness), "Served chains.")
  },
  { httpApiStatus: 503, description: "The service can serve nothing. Retry after the seconds in `Retry-After`" }
) {
  readonly _tag = "NotReady"
}
