/** The console's search in the backend's own books, and the books of one sweep. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BuilderAccount } from "../../domain/Builder.ts"
import { described } from "../../domain/Described.ts"
import { PayoutBatch } from "../../domain/Payout.ts"
import { Sweep } from "../../domain/Sweep.ts"
import { SweepEvent } from "../../domain/SweepEvent.ts"
import { InternalError, NotFound, Unavailable } from "../shared/Errors.ts"
import { searchQuery } from "../shared/SearchQuery.ts"
import { ConsoleOnly, SameSiteOnly, StructurallyValidated } from "./Middleware.ts"
import { LedgerEntryView } from "./Schemas.ts"
import * as Docs from "./StoriesDocs.ts"
import { DeliveryView } from "./DeliveryView.ts"

export const FoundInBooks = Schema.Struct({
  builders: described(
    Schema.Array(BuilderAccount),
    "Up to 10 builders whose id, name or payout address contains the text, in the order of their ids."
  ),
  payout: described(Schema.optionalKey(PayoutBatch), "Payout batch with this id.")
}).annotate({ identifier: "FoundInBooks" })

export const BooksOfSweepView = Schema.Struct({
  builderId: described(Schema.String, "Builder of the sweep."),
  sweep: described(Sweep, "State of the sweep as it was reported."),
  events: described(Schema.Array(SweepEvent), "Reports, in the order of the statuses. Deleted for their age."),
  entries: described(
    Schema.Array(LedgerEntryView),
    "Ledger entries about the settlement, oldest first. Another sweep of the builder with the same fee in the same transaction has the same ones."
  ),
  deliveries: described(
    Schema.Array(DeliveryView),
    "Messages to the builder's webhooks, oldest first. Deleted for their age."
  )
}).annotate({ identifier: "BooksOfSweep" })

const failures = [Unavailable, InternalError] as const

export const Stories = HttpApiGroup.make("stories")
  .add(
    HttpApiEndpoint.get("find", "/admin/find", {
      query: searchQuery,
      success: FoundInBooks,
      error: failures
    }).annotateMerge(Docs.find),
    HttpApiEndpoint.get("books", "/admin/sweeps/:id", {
      params: { id: described(Schema.String, "Identifier of the intent.") },
      success: BooksOfSweepView,
      error: [NotFound, ...failures]
    }).annotateMerge(Docs.books)
  )
  .middleware(StructurallyValidated)
  .middleware(SameSiteOnly)
  .middleware(ConsoleOnly)
  .annotateMerge(
    OpenApi.annotations({
      description: "For operators. Builders, payout batches and sweeps in the books of this backend."
    })
  )
