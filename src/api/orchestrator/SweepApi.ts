/** Sweeps of many tokens under one signature. An addition to the specification. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Address from "../../domain/Address.ts"
import { Uint256 } from "../../domain/Amount.ts"
import { Authorization } from "../../domain/Delegation.ts"
import { described } from "../../domain/Described.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import { IntentStatus } from "../../domain/Intent.ts"
import * as LimitedArray from "../../domain/LimitedArray.ts"
import { QuoteId } from "../../domain/Quote.ts"
import { MAX_TOKENS } from "../../domain/SweepQuotes.ts"
import { LastingReason, PassingReason } from "../../domain/SweepRefusal.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { InternalError, NotFound, RateLimitExceededResponse, Unavailable } from "../shared/Errors.ts"
import { CountedIn, IdempotentSubmission, JsonBody, RateLimited, Validated } from "../shared/Middleware.ts"
import { IntentAccepted, IntentView } from "./Schemas.ts"
import * as SweepDocs from "./SweepSubmissionDocs.ts"

const areDistinct = Schema.makeFilter(
  (ids: ReadonlyArray<string>) =>
    new Set(ids.map(Uuid.stored)).size === ids.length || "expected each quote at most once"
)

export const SweepSubmission = Schema.Struct({
  quoteIds: described(
    LimitedArray.lengthFirst(
      Schema.Array(QuoteId).check(
        Schema.isMinLength(1, { message: "expected at least 1 quote" }),
        Schema.isMaxLength(MAX_TOKENS, { message: `expected at most ${MAX_TOKENS} quotes` }),
        areDistinct
      )
    ),
    "Identifiers of the quotes, in the order of the signed legs."
  ),
  signature: described(Hex, "EIP-712 signature of the SweepBatch by its owner."),
  authorizations: described(
    LimitedArray.lengthFirst(Schema.Array(Authorization).check(Schema.isMaxLength(MAX_TOKENS))),
    "EIP-7702 authorizations of the owner: one for each chain where the account does not run the delegate."
  )
}).annotate({ identifier: "SweepSubmission", description: "Signatures of the owner for many tokens" })

const SweepId = described(Schema.String, "Identifier of the sweep.")

export const SweepAccepted = Schema.Struct({
  id: SweepId,
  intents: described(Schema.Array(IntentAccepted), "One intent for each quote, in the same order.")
}).annotate({ identifier: "SweepAccepted" })

export const SweepView = Schema.Struct({
  id: SweepId,
  intents: described(Schema.Array(IntentView), "The intents of the sweep, in signing order.")
}).annotate({ identifier: "Sweep" })

const ListedIntent = Schema.Struct({
  id: described(QuoteId, "Identifier of the intent."),
  status: described(IntentStatus, "Status of the intent."),
  crossChain: described(Schema.Boolean, "True if the destination chain differs from the source chain."),
  txHash: described(Schema.optionalKey(Hash), "Source transaction. Absent before broadcast."),
  deliveryTxHash: described(Schema.optionalKey(Hash), "Transaction that delivered on the destination chain."),
  amountOut: described(
    Schema.optionalKey(Uint256),
    "Amount that arrived, in the smallest unit of the output token. Absent until it is known."
  )
}).annotate({ identifier: "ListedIntent" })

export const SweepList = Schema.Struct({
  sweeps: described(
    Schema.Array(
      Schema.Struct({
        id: SweepId,
        intents: described(Schema.Array(ListedIntent), "The intents of the sweep, in signing order.")
      })
    ),
    "Sweeps of the owner, newest first."
  ),
  next: described(Schema.optionalKey(Schema.String), "Cursor of the next page. Absent on the last page.")
}).annotate({ identifier: "SweepList" })

/** 400: the sweep is not accepted, and nothing of it is stored. */
export class SweepRefused extends Schema.Error<SweepRefused>("SweepRefused")(
  { error: described(LastingReason, "Reason of the refusal.") },
  { httpApiStatus: 400, description: "The sweep is not accepted. Request new quotes and sign again" }
) {
  readonly _tag = "SweepRefused"
}

/** 503: the sweep is not accepted at the moment. Sent with `Retry-After`. */
export class SweepPostponed extends Schema.Error<SweepPostponed>("SweepPostponed")(
  { error: described(PassingReason, "Reason that passes.") },
  { httpApiStatus: 503, description: "The sweep is not accepted at the moment. Repeat the same request" }
) {
  readonly _tag = "SweepPostponed"
}

/** Sweeps on one page, at most. */
export const PAGE = 20

const Cursor = Schema.String.check(
  Schema.isPattern(/^[1-9][0-9]{0,17}$/, { message: "expected the cursor of an earlier page" })
)

const sweep = { id: SweepId }

export const Sweeps = HttpApiGroup.make("sweeps")
  .add(
    HttpApiEndpoint.post("submit", "/sweeps", {
      payload: SweepSubmission,
      success: SweepAccepted.pipe(HttpApiSchema.status(201)),
      error: [SweepRefused, SweepPostponed, Unavailable, InternalError]
    })
      .middleware(JsonBody)
      .middleware(IdempotentSubmission)
      .annotateMerge(SweepDocs.submit),
    HttpApiEndpoint.get("sweep", "/sweeps/:id", {
      params: sweep,
      success: SweepView,
      error: [NotFound, Unavailable, InternalError]
    }).annotateMerge(SweepDocs.sweep),
    HttpApiEndpoint.get("events", "/sweeps/:id/events", {
      params: sweep,
      success: [HttpApiSchema.StreamSse({ data: SweepView }), HttpApiSchema.NoContent],
      error: [NotFound, RateLimitExceededResponse, Unavailable, InternalError]
    }).annotateMerge(SweepDocs.events),
    HttpApiEndpoint.get("list", "/owners/:owner/sweeps", {
      params: { owner: described(Address.NonZeroAddress, "Account that signed the sweeps.") },
      query: { cursor: described(Schema.optionalKey(Cursor), "`next` of an earlier page. Default: the first page.") },
      success: SweepList,
      error: [Unavailable, InternalError]
    })
      .middleware(Validated)
      .annotateMerge(SweepDocs.list)
  )
  .middleware(RateLimited)
  .annotate(CountedIn, "orchestrator")
  .annotateMerge(
    OpenApi.annotations({ description: "Accepts many sweeps under one signature and returns their status." })
  )
