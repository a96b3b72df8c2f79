/** Tools of the orchestrator: quote a sweep, submit the owner's signatures, and read the status. */
import { Effect, Schema } from "effect"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import { IntentAccepted, IntentSubmission, IntentView, QuoteResponse } from "../api/orchestrator/Schemas.ts"
import { QuoteRequest } from "../domain/Quote.ts"
import * as Arguments from "./Arguments.ts"
import { attribution, type McpSettings } from "./McpSettings.ts"
import * as QuoteAdvice from "./QuoteAdvice.ts"
import * as Submission from "./Submission.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import { decoded, failure, ofServiceError } from "./ToolFailure.ts"

const QuoteArguments = Schema.Struct({
  owner: Arguments.address("Account to sweep. It must be externally owned, and its owner must sign."),
  tokenIn: Arguments.tokenIn,
  amountIn: Arguments.uint256(
    "Amount to send, fees included, in the smallest unit of tokenIn: 25 USDC (6 decimals) is 25000000.",
    "25000000"
  ),
  tokenOut: Arguments.tokenOut,
  destination: Arguments.destination,
  destChainId: Arguments.chainId("Chain id of the destination."),
  tier: Arguments.tier.annotate({
    description:
      "Risk tier of the token, a hint that the service may raise: tier1 for blue chips and stablecoins, tier2 for listed tokens, " +
      "tier3 for others.",
    examples: ["tier1"]
  }),
  subscriptionActive: Arguments.subscriptionActive,
  userId: Arguments.text("User for the fee policy.", "user-1"),
  route: Schema.optionalKey(
    Arguments.text(
      "Route hint `<source>-><destination>` by chain names. It selects the source chain if the token is on several.",
      "base->optimism"
    )
  ),
  apiKey: Schema.optionalKey(Arguments.apiKey)
})

const SubmitArguments = Schema.Struct({
  quoteId: Arguments.quoteId,
  signature: Arguments.bytes("The owner's EIP-712 signature of the order, 65 bytes.", `0x${"12".repeat(64)}1b`),
  authorization: Schema.optionalKey(
    Arguments.authorization("signing.authorization", "get_quote").annotate({
      description: "The owner's signed EIP-7702 authorization. The service requires it."
    })
  )
})

const MISSING_AUTHORIZATION = failure(
  "Nothing was submitted: the EIP-7702 authorization is missing, and the service requires one.",
  "have the owner sign an EIP-7702 authorization of `signing.authorization` (address, chainId, nonce) from get_quote's " +
    "answer, and call submit_signed again with the same quoteId and signature and with `authorization`: " +
    "{ address, chainId, nonce, r, s, yParity }. Do so before the quote's expiresAtMs; after it, call get_quote again."
)

type Client = HttpApiClient.ForApi<typeof OrchestratorApi>
type OfOrchestrator = ReturnType<typeof ofServiceError>
type Submit = Effect.Success<ReturnType<typeof Submission.make>>

const getQuote = (client: Client, ofOrchestrator: OfOrchestrator, { apiKey }: McpSettings) =>
  ToolDefinition.make({
    name: "get_quote",
    title: "Quote a sweep",
    description:
      "Quotes a gasless token sweep, on one chain or across two, and returns the unsigned order. Compare `order` with your " +
      "request, and decode `order.swapCalldata`: the account makes this call, so it must be the swap or the deposit of the order and " +
      "nothing else. Show the owner the amount, both fees, the least amount received (`quote.minAmountOut`), the destination and " +
      "the expiry (`quote.expiresAtMs`, UNIX milliseconds). The owner's wallet then signs the order (EIP-712) and an " +
      "authorization (EIP-7702) for a delegate that it knows; `signing` holds both as the service proposes them. Call " +
      "submit_signed with quoteId = `quote.id`.",
    input: QuoteArguments,
    output: QuoteResponse,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        const payload = yield* decoded(QuoteRequest, { ...attribution(apiKey), ...input })
        return yield* client.quotes.quote({ payload }).pipe(
          Effect.mapError((error) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the request: ${error.error}.`,
                  "correct these fields and call get_quote again."
                )
              case "ScreeningRefused":
                return error.retryAfterSeconds === undefined
                  ? failure("Sanctions screening blocks the owner or the destination.", "stop; do not try again.")
                  : failure(
                      "Sanctions screening does not answer at the moment.",
                      `call get_quote again after ${error.retryAfterSeconds} seconds.`
                    )
              case "Unprocessable":
                if (error.retryAfterSeconds !== undefined) return ofOrchestrator(error)
                return QuoteAdvice.refused(error.reason)
              default:
                return ofOrchestrator(error)
            }
          })
        )
      })
  })

const submitSigned = (submit: Submit) =>
  ToolDefinition.make({
    name: "submit_signed",
    title: "Submit a signed sweep",
    description:
      "Submits the owner's signatures. A relayer then sends the sweep and pays the gas. This moves the owner's tokens: call it " +
      "only after the owner agreed to the order. It needs the signature of the order and the EIP-7702 authorization of the same " +
      "quote. Then follow the sweep with get_intent_status.",
    input: SubmitArguments,
    output: IntentAccepted,
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        if (input.authorization === undefined) return yield* MISSING_AUTHORIZATION
        const payload = yield* decoded(IntentSubmission, input)
        return yield* submit({
          tool: "submit_signed",
          ids: "the quoteId",
          send: ({ intents }) => intents.submit({ payload }),
          explain: (error) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the submission: ${error.error}.`,
                  "correct these fields and call submit_signed again."
                )
              case "Refused":
                if (error.retryAfterSeconds !== undefined) return undefined
                return failure(
                  "The service refused the submission and masks the reason: the quote is unknown, expired or already submitted, a party is blocked, or a signature is not the owner's.",
                  "call get_intent_status to see if it was submitted before. If it is still `quoted`, call get_quote again and have the owner sign the new order."
                )
              default:
                return undefined
            }
          }
        })
      })
  })

const getIntentStatus = (client: Client, ofOrchestrator: OfOrchestrator) =>
  ToolDefinition.make({
    name: "get_intent_status",
    title: "Status of a sweep",
    description:
      "Returns the status: `quoted` (not submitted), `submitted` (accepted, to be sent), `settled_source` (settled on the source " +
      "chain, delivery pending), `delivered`, or `failed` (with `failureReason`). `delivered` and `failed` are final. Before " +
      "that, call it again every 3 seconds. `waitingFor: gas_price` means that gas costs more than the sweep's network fee covers: it is " +
      "sent when the price has fallen.",
    input: Schema.Struct({ id: Arguments.quoteId }),
    output: IntentView,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    run: ({ id }) =>
      client.intents
        .status({ params: { id } })
        .pipe(
          Effect.mapError((error) =>
            error._tag === "NotFound"
              ? failure(`There is no intent ${id}.`, "use `quote.id` of get_quote's answer as the id.")
              : ofOrchestrator(error)
          )
        )
  })

export const make = Effect.fnUntraced(function* (settings: McpSettings) {
  const { orchestratorUrl } = settings
  const client = yield* HttpApiClient.make(OrchestratorApi, { baseUrl: orchestratorUrl })
  const ofOrchestrator = ofServiceError("SERVICE_ORCHESTRATOR_URL", orchestratorUrl)
  return [
    getQuote(client, ofOrchestrator, settings),
    submitSigned(yield* Submission.make(orchestratorUrl)),
    getIntentStatus(client, ofOrchestrator)
  ]
})
