/**
 * Joins the contract to the use cases. A failure's reason is logged and its client is told the status (spec, "Errors").
 */
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OrchestratorApi } from "../../api/orchestrator/OrchestratorApi.ts"
import { IntentSubmission } from "../../api/orchestrator/Schemas.ts"
import {
  NotFound,
  Refused,
  ScreeningRefused,
  Unavailable,
  Unprocessable,
  UpstreamFailed
} from "../../api/shared/Errors.ts"
import { QuoteRequest } from "../../domain/Quote.ts"
import { HealthCheck } from "../../orchestrator/HealthCheck.ts"
import { Intake, SubmissionRefused } from "../../orchestrator/Intake.ts"
import { Portfolio } from "../../orchestrator/Portfolio.ts"
import { Quoter, type SigningPayload } from "../../orchestrator/Quoter.ts"
import { Watcher } from "../../orchestrator/Watcher.ts"
import { Alerts } from "../../ports/Alerts.ts"
import { type Intent, Intents } from "../../ports/Intents.ts"
import * as JsonBody from "../shared/JsonBody.ts"
import { mask } from "../shared/Masked.ts"
import { ServerSettings } from "../shared/ServerSettings.ts"

const refused = mask(() => new Refused())
const screeningRefused = mask(() => new ScreeningRefused())
const unavailable = mask(() => new Unavailable())
const unprocessable = mask(() => new Unprocessable())
const upstreamFailed = mask(() => new UpstreamFailed())

/** The type of an EIP-712 domain, which `eth_signTypedData_v4` and `cast` want among the types. */
const EIP712_DOMAIN = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" }
]

const signing = ({ authorization, typedData }: SigningPayload) => ({
  authorization,
  typedData: { ...typedData, types: { EIP712Domain: EIP712_DOMAIN, ...typedData.types } }
})

export const quotes = HttpApiBuilder.group(
  OrchestratorApi,
  "quotes",
  Effect.fnUntraced(function* (handlers) {
    const quoter = yield* Quoter
    const { maxBodyBytes } = yield* ServerSettings
    const body = JsonBody.decode(QuoteRequest, maxBodyBytes)
    return handlers.handleRaw(
      "quote",
      Effect.fn("POST /quote")(
        function* () {
          const offer = yield* quoter.quote(yield* body)
          return { quote: offer.quote, order: offer.order, signing: signing(offer.signing) }
        },
        Effect.catchTags({ ScreeningBlocked: screeningRefused, QuoteFailed: unprocessable })
      )
    )
  })
)

/** What ids look like (RFC 9562): anything else is unknown without asking the database. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const view = ({ deliveryTxHash, failureReason, id, quote, status, txHash }: Intent) => ({
  id,
  status,
  crossChain: quote.crossChain,
  ...(txHash === undefined ? {} : { txHash }),
  ...(failureReason === undefined ? {} : { failureReason }),
  ...(deliveryTxHash === undefined ? {} : { deliveryTxHash })
})

export const intents = HttpApiBuilder.group(
  OrchestratorApi,
  "intents",
  Effect.fnUntraced(function* (handlers) {
    const intake = yield* Intake
    const store = yield* Intents
    const { maxBodyBytes } = yield* ServerSettings
    const body = JsonBody.decode(IntentSubmission, maxBodyBytes)
    return handlers
      .handleRaw(
        "submit",
        Effect.fn("POST /intents")(
          function* () {
            const submission = yield* body
            if (!UUID.test(submission.quoteId)) {
              return yield* new SubmissionRefused({ reason: "unknown_quote", detail: "the quote id is not a UUID" })
            }
            return yield* intake.submit({ ...submission, quoteId: submission.quoteId.toLowerCase() })
          },
          Effect.catchTags({ SubmissionRefused: refused, StoreUnavailable: unavailable })
        )
      )
      .handle(
        "status",
        Effect.fn("GET /intents/:id")(
          function* ({ params }) {
            const found = UUID.test(params.id) ? yield* store.find(params.id.toLowerCase()) : Option.none<Intent>()
            return view(yield* Effect.mapError(Effect.fromOption(found), () => new NotFound()))
          },
          Effect.catchTag("StoreUnavailable", unavailable)
        )
      )
  })
)

export const portfolios = HttpApiBuilder.group(
  OrchestratorApi,
  "portfolio",
  Effect.fnUntraced(function* (handlers) {
    const portfolio = yield* Portfolio
    return handlers
      .handle(
        "portfolio",
        Effect.fn("GET /portfolio/:owner")(
          ({ params }) => portfolio.portfolio(params.owner),
          Effect.catchTag("PortfolioUnavailable", upstreamFailed)
        )
      )
      .handle(
        "sweepable",
        Effect.fn("GET /portfolio/:owner/sweepable")(
          ({ params }) => portfolio.sweepable(params.owner),
          Effect.catchTag("PortfolioUnavailable", upstreamFailed)
        )
      )
  })
)

export const operator = HttpApiBuilder.group(
  OrchestratorApi,
  "operator",
  Effect.fnUntraced(function* (handlers) {
    const watcher = yield* Watcher
    const healthCheck = yield* HealthCheck
    const alerts = yield* Alerts
    return handlers
      .handle(
        "tick",
        Effect.fn("POST /watch/tick")(() => watcher.tick, Effect.catchTag("StoreUnavailable", unavailable))
      )
      .handle(
        "health",
        Effect.fn("GET /admin/health")(() => healthCheck.check)
      )
      .handle(
        "alerts",
        Effect.fn("GET /admin/alerts")(() => alerts.list, Effect.catchTag("StoreUnavailable", unavailable))
      )
  })
)

export const system = HttpApiBuilder.group(OrchestratorApi, "system", (handlers) =>
  handlers.handle("liveness", () => Effect.succeed({ ok: true as const }))
)
