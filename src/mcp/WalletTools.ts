/** Tools that sweep many tokens of one owner under one signature. An addition to the specification. */
import { Effect, Schema } from "effect"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import { SweepAccepted, SweepSubmission } from "../api/orchestrator/SweepApi.ts"
import { SweepQuotesResponse } from "../api/orchestrator/SweepSchemas.ts"
import { MAX_TOKENS, SweepQuotesRequest } from "../domain/SweepQuotes.ts"
import { LASTING, type LastingReason, PASSING } from "../domain/SweepRefusal.ts"
import * as Arguments from "./Arguments.ts"
import { attribution, type McpSettings } from "./McpSettings.ts"
import * as Submission from "./Submission.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import { decoded, failure, ofServiceError } from "./ToolFailure.ts"

const TOKEN_EXAMPLE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const QUOTE_IDS = ["6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a", "0b0e8d0a-5f64-4c1e-9f0e-3c1d2b7a6e55"]

const TokenArgument = Schema.Struct({
  chainId: Arguments.chainId("Chain id of the token's chain."),
  token: Arguments.tokenIn,
  amount: Schema.String.check(
    Schema.isPattern(/^(?:max|[0-9]{1,78})$/u, { message: "expected max or an amount as a decimal string" })
  ).annotate({
    description: "Amount to send, fees included, in the smallest unit of the token. `max`: all that the owner holds.",
    examples: ["max"]
  }),
  tier: Schema.optionalKey(
    Arguments.tier.annotate({
      description: "Risk tier of the token, a hint that the service may raise. Default: that of the token list.",
      examples: ["tier1"]
    })
  )
})

const QuotesArguments = Schema.Struct({
  owner: Arguments.address("Account to sweep. It must be externally owned, and its owner must sign."),
  destination: Arguments.destination,
  destChainId: Arguments.chainId("Chain id of the destination."),
  tokenOut: Arguments.tokenOut,
  tokens: Schema.Array(TokenArgument)
    .check(Schema.isMinLength(1), Schema.isMaxLength(MAX_TOKENS))
    .annotate({
      description: `Tokens to sweep, on any served chains. 1 to ${MAX_TOKENS}, each at most once.`,
      examples: [[{ chainId: 8453, token: TOKEN_EXAMPLE, amount: "max" }]]
    }),
  userId: Arguments.text("User for the fee policy. 1 to 256 characters.", "user-1"),
  subscriptionActive: Arguments.subscriptionActive,
  apiKey: Schema.optionalKey(Arguments.apiKey),
  slippageBps: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })).annotate({
      description: "Slippage tolerance in basis points (1 = 0.01 %), 1 to 1000. Default: that of the service.",
      examples: [100]
    })
  )
})

const SubmitArguments = Schema.Struct({
  quoteIds: Schema.Array(Schema.String)
    .check(Schema.isMinLength(1), Schema.isMaxLength(MAX_TOKENS))
    .annotate({ description: "Ids of the quotes, in the order of the signed legs.", examples: [QUOTE_IDS] }),
  signature: Arguments.bytes("The owner's EIP-712 signature of the SweepBatch.", `0x${"12".repeat(64)}1b`),
  authorizations: Schema.Array(Arguments.authorization("signing.authorizations[]", "sweep_quotes")).annotate({
    description:
      "The owner's signed EIP-7702 authorizations: one for each entry of `signing.authorizations`, if the chain has a leg. " +
      "Empty if there is none.",
    examples: [[]]
  })
})

const QUOTE_AGAIN = "call sweep_quotes again and have the owner sign the new batch."

/** Next steps that differ from new quotes. */
const NEXT: Partial<Record<LastingReason, string>> = {
  already_submitted:
    "call get_intent_status for each quoteId to see how the earlier submission went. Request new quotes only for tokens whose status is still `quoted`.",
  screening_blocked: "stop; do not try again.",
  missing_authorization:
    "have the owner sign an EIP-7702 authorization for each entry of `signing.authorizations` of sweep_quotes's answer, and call " +
    "submit_sweep again with the same quoteIds and signature and with `authorizations`.",
  wrong_authorization_chain:
    "send one authorization for each entry of `signing.authorizations` whose chain has a leg, and no other. Then call submit_sweep again.",
  bad_signature:
    "check that quoteIds has the order of the signed legs. If it has, have the owner sign those orders again as a SweepBatch, and " +
    "call submit_sweep again."
}

type Client = HttpApiClient.ForApi<typeof OrchestratorApi>
type OfOrchestrator = ReturnType<typeof ofServiceError>
type Submit = Effect.Success<ReturnType<typeof Submission.make>>

const sweepQuotes = (client: Client, ofOrchestrator: OfOrchestrator, { apiKey }: McpSettings) =>
  ToolDefinition.make({
    name: "sweep_quotes",
    title: "Quote many tokens",
    description:
      `Quotes up to ${MAX_TOKENS} tokens of one owner, on any chains, for one signature. \`quotes\` has one entry for each token, in ` +
      "the order of the request: `quote` with its unsigned `order`, or `reason` if there is none. Compare each order with your " +
      "request, and decode its `swapCalldata`: the account makes this call, so it must be the swap or the deposit of the order and " +
      "nothing else. Show the owner the amounts, the fees and the least amount received (`totals`), the destination and the expiry " +
      "(`expiresAtMs`, UNIX milliseconds). The owner's wallet then signs one SweepBatch (EIP-712) with a leg for each wanted order, " +
      "built from the compared orders, and for each entry of `signing.authorizations` an authorization (EIP-7702) for a delegate " +
      "that it knows. Call submit_sweep with quoteIds = each `quote.id`, in the order of the legs.",
    input: QuotesArguments,
    output: SweepQuotesResponse,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        const payload = yield* decoded(SweepQuotesRequest, { ...attribution(apiKey), ...input })
        return yield* client.quotes.quotes({ payload }).pipe(
          Effect.mapError((error) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the request: ${error.error}.`,
                  "correct these fields and call sweep_quotes again."
                )
              case "ScreeningRefused":
                return error.retryAfterSeconds === undefined
                  ? failure("Sanctions screening blocks the owner or the destination.", "stop; do not try again.")
                  : failure(
                      "Sanctions screening does not answer at the moment.",
                      `call sweep_quotes again after ${error.retryAfterSeconds} seconds.`
                    )
              default:
                return ofOrchestrator(error)
            }
          })
        )
      })
  })

const refused = (reason: LastingReason) =>
  failure(
    reason === "already_submitted" ? LASTING[reason] : `Nothing was submitted: ${LASTING[reason]}`,
    NEXT[reason] ?? QUOTE_AGAIN
  )

const submitSweep = (submit: Submit) =>
  ToolDefinition.make({
    name: "submit_sweep",
    title: "Submit a signed sweep of many tokens",
    description:
      "Submits the owner's one signature of many orders. Relayers then send the sweeps and pay the gas. This moves the owner's " +
      "tokens: call it only after the owner agreed to every order. All quotes are accepted or none, and each token then settles or " +
      "fails alone. Follow each one with get_intent_status, by its id in `intents`.",
    input: SubmitArguments,
    output: SweepAccepted,
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        const payload = yield* decoded(SweepSubmission, input)
        return yield* submit({
          tool: "submit_sweep",
          ids: "each quoteId",
          send: ({ sweeps }) => sweeps.submit({ payload }),
          explain: (error, pause) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the submission: ${error.error}.`,
                  "correct these fields and call submit_sweep again."
                )
              case "SweepRefused":
                return refused(error.error)
              case "SweepPostponed":
                return failure(
                  `Nothing was submitted: ${PASSING[error.error]}`,
                  `call submit_sweep again ${pause} with the same arguments.`
                )
              default:
                return undefined
            }
          }
        })
      })
  })

export const make = Effect.fnUntraced(function* (settings: McpSettings) {
  const { orchestratorUrl } = settings
  const client = yield* HttpApiClient.make(OrchestratorApi, { baseUrl: orchestratorUrl })
  const ofOrchestrator = ofServiceError("SERVICE_ORCHESTRATOR_URL", orchestratorUrl)
  return [sweepQuotes(client, ofOrchestrator, settings), submitSweep(yield* Submission.make(orchestratorUrl))]
})
