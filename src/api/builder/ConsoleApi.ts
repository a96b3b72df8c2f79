/** The admin console's part of the contract, under `/admin`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { BuilderAccount } from "../../domain/Builder.ts"
import { BUILDER_ID } from "../../domain/BuilderId.ts"
import { OpenedPayout, PayoutBatch } from "../../domain/Payout.ts"
import { InternalError, NotFound, Unavailable, UpstreamFailed } from "../shared/Errors.ts"
import { auditFilter } from "./AuditQuery.ts"
import * as Docs from "./ConsoleDocs.ts"
import { AlreadyRegistered, InvalidRequest } from "./Errors.ts"
import {
  NothingOwed,
  PaymentInFlight,
  PaymentTaken,
  PaymentUnproven,
  PayoutClosed,
  RestoreUnreconciled
} from "./PayoutErrors.ts"
import { BodyLimit } from "../shared/Middleware.ts"
import { ConsoleOnly, DetailedBody, SameSiteOnly, StructurallyValidated } from "./Middleware.ts"
import { NewBuilderView, Ok, page, pageBy } from "./AccountSchemas.ts"
import {
  Assignment,
  AssignmentRequest,
  AuditPage,
  Booking,
  BuilderDetail,
  BuildersPage,
  ClearAlertRequest,
  EntriesPage,
  FailureRequest,
  PatchRequest,
  PaymentRequest,
  PayoutRequest,
  PayoutsPage,
  period,
  RegistrationRequest,
  RevenueView,
  ReversalRequest,
  SignedPaymentRequest,
  StandingAlert,
  TotalsView,
  TreasuryView
} from "./Schemas.ts"
import { described } from "../../domain/Described.ts"

/** A signed payment holds every line of its batch. This is enough for several thousand lines. */
const MAX_PAYMENT_BYTES = 1_048_576

/** Ids of batches are UUIDs. */
const BATCH_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const failures = [Unavailable, InternalError] as const
const params = { id: described(Schema.String, "Identifier of the builder.") }
const batch = { id: described(Schema.String, "Identifier of the batch.") }

const builders = [
  HttpApiEndpoint.get("builders", "/admin/builders", {
    query: {
      ...pageBy(BUILDER_ID),
      search: described(
        Schema.optionalKey(Schema.String),
        "Only builders whose id, name or address contains this text."
      )
    },
    success: BuildersPage,
    error: failures
  }).annotateMerge(Docs.builders),
  HttpApiEndpoint.post("registerBuilder", "/admin/builders", {
    payload: RegistrationRequest,
    success: NewBuilderView.pipe(HttpApiSchema.status(201)),
    error: [AlreadyRegistered, InvalidRequest, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.registerBuilder),
  HttpApiEndpoint.get("builder", "/admin/builders/:id", {
    params,
    success: BuilderDetail,
    error: [NotFound, ...failures]
  }).annotateMerge(Docs.builder),
  HttpApiEndpoint.patch("patchBuilder", "/admin/builders/:id", {
    params,
    payload: PatchRequest,
    success: BuilderAccount,
    error: [NotFound, InvalidRequest, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.patchBuilder),
  HttpApiEndpoint.get("builderAccruals", "/admin/builders/:id/accruals", {
    params,
    success: TotalsView,
    error: [NotFound, ...failures]
  }).annotateMerge(Docs.builderAccruals),
  HttpApiEndpoint.get("builderEntries", "/admin/builders/:id/entries", {
    params,
    query: page,
    success: EntriesPage,
    error: [NotFound, ...failures]
  }).annotateMerge(Docs.builderEntries),
  HttpApiEndpoint.post("reverseAccrual", "/admin/accruals/reverse", {
    payload: ReversalRequest,
    success: Booking,
    error: [NotFound, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.reverseAccrual),
  HttpApiEndpoint.post("assignAccruals", "/admin/accruals/assign", {
    payload: AssignmentRequest,
    success: Assignment,
    error: [InvalidRequest, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.assignAccruals)
] as const

const payouts = [
  HttpApiEndpoint.get("payouts", "/admin/payouts", {
    query: pageBy(BATCH_ID),
    success: PayoutsPage,
    error: [InvalidRequest, ...failures]
  }).annotateMerge(Docs.payouts),
  HttpApiEndpoint.post("openPayout", "/admin/payouts", {
    payload: PayoutRequest,
    success: OpenedPayout.pipe(HttpApiSchema.status(201)),
    error: [NothingOwed, RestoreUnreconciled, InvalidRequest, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.openPayout),
  HttpApiEndpoint.get("payout", "/admin/payouts/:id", {
    params: batch,
    success: PayoutBatch,
    error: [NotFound, ...failures]
  }).annotateMerge(Docs.payout),
  HttpApiEndpoint.get("payoutCsv", "/admin/payouts/:id/csv", {
    params: batch,
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv; charset=utf-8" })),
    error: [NotFound, ...failures]
  }).annotateMerge(Docs.payoutCsv),
  HttpApiEndpoint.get("payoutSafe", "/admin/payouts/:id/safe", {
    params: batch,
    success: Schema.Record(Schema.String, Schema.Json).annotate({ identifier: "SafeTransactions" }),
    error: [NotFound, PayoutClosed, PaymentInFlight, RestoreUnreconciled, InvalidRequest, UpstreamFailed, ...failures]
  }).annotateMerge(Docs.payoutSafe),
  HttpApiEndpoint.post("recordPayment", "/admin/payouts/:id/payments", {
    params: batch,
    payload: SignedPaymentRequest,
    success: PayoutBatch.pipe(HttpApiSchema.status(201)),
    error: [NotFound, PayoutClosed, PaymentInFlight, RestoreUnreconciled, InvalidRequest, UpstreamFailed, ...failures]
  })
    .middleware(DetailedBody)
    .annotate(BodyLimit, MAX_PAYMENT_BYTES)
    .annotateMerge(Docs.recordPayment),
  HttpApiEndpoint.post("markPayoutPaid", "/admin/payouts/:id/paid", {
    params: batch,
    payload: PaymentRequest,
    success: PayoutBatch,
    error: [
      NotFound,
      PayoutClosed,
      PaymentInFlight,
      PaymentTaken,
      PaymentUnproven,
      InvalidRequest,
      UpstreamFailed,
      ...failures
    ]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.markPayoutPaid),
  HttpApiEndpoint.post("failPayout", "/admin/payouts/:id/fail", {
    params: batch,
    payload: FailureRequest,
    success: PayoutBatch,
    error: [NotFound, PayoutClosed, PaymentInFlight, InvalidRequest, UpstreamFailed, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.failPayout)
] as const

const views = [
  HttpApiEndpoint.get("revenue", "/admin/revenue", {
    query: period,
    success: RevenueView,
    error: failures
  }).annotateMerge(Docs.revenue),
  HttpApiEndpoint.get("treasury", "/admin/treasury", { success: TreasuryView, error: failures }).annotateMerge(
    Docs.treasury
  ),
  HttpApiEndpoint.get("audit", "/admin/audit", {
    query: { ...page, ...auditFilter },
    success: AuditPage,
    error: failures
  }).annotateMerge(Docs.audit),
  HttpApiEndpoint.get("alerts", "/admin/alerts", {
    success: Schema.Array(StandingAlert),
    error: failures
  }).annotateMerge(Docs.alerts),
  HttpApiEndpoint.post("clearAlert", "/admin/alerts/clear", {
    payload: ClearAlertRequest,
    success: Ok,
    error: [NotFound, ...failures]
  })
    .middleware(DetailedBody)
    .annotateMerge(Docs.clearAlert)
] as const

export const Console = HttpApiGroup.make("console")
  .add(...builders, ...payouts, ...views)
  .middleware(StructurallyValidated)
  .middleware(SameSiteOnly)
  .middleware(ConsoleOnly)
  .annotateMerge(
    OpenApi.annotations({
      description:
        "For operators, behind the single sign-on gateway. Without a gateway: `Authorization: Bearer <ADMIN_TOKEN>`. " +
        "Every change is in the audit log."
    })
  )
