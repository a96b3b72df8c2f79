/** The tools of the orchestrator: price a sweep, submit what the owner signed, see what became of it. */
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpApiClient } from "effect/http-api"
import { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
import { IntentAccepted, IntentSubmission, IntentView, QuoteResponse } from "../api/orchestrator/Schemas.ts"
import { QuoteRequest } from "../domain/Quote.ts"
import * as Arguments from "./Arguments.ts"
import type { McpSettings } from "./McpSettings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import { failure, malformed, ofServiceError } from "./ToolFailure.ts"

const QuoteArguments = Schema.Struct({
  owner: Arguments.address("the account to sweep; it must be an externally owned one, and its owner must sign"),
  tokenIn: Arguments.tokenIn,
  amountIn: Arguments.uint256(
    "how much to send, in the smallest unit of tokenIn: 25 USDC (6 decimals) is 25000000",
    "25000000"
  ),
  tokenOut: Arguments.tokenOut,
  destination: Arguments.address("who receives tokenOut on the destination chain; often the owner"),
  destChainId: Arguments.chainId("chain id of the destination"),
  tier: Schema.Literals(["tier1", "tier2", "tier3"]).annotate({
    description:
      "token risk tier, a hint that the service raises to what it knows: tier1 blue chips and stables, tier2 listed, tier3 others",
    examples: ["tier1"]
  }),
  subscriptionActive: Schema.Boolean.annotate({
    description: "whether the user has a subscription, which lowers the fee",
    examples: [false]
  }),
  userId: Arguments.text("identifies the user for the fee policy", "user-1"),
  route: Schema.optionalKey(
    Arguments.text(
      "route hint `<source>-><destination>` by chain names; tells the source chain where the token is on several",
      "base->optimism"
    )
  ),
  apiKey: Schema.optionalKey(
    Arguments.text("builder API key that attributes the sweep; SERVICE_API_KEY unless given", "swp_0123…")
  )
})

const integer = (description: string, example: string) =>
  Schema.Union([Schema.Int, Schema.String]).annotate({ description, examples: [example] })

const AuthorizationArgument = Schema.Struct({
  address: Arguments.address("the delegate: `signing.authorization.address` of get_quote's answer"),
  chainId: integer("source chain id: `signing.authorization.chainId` of get_quote's answer", "8453"),
  nonce: integer("`signing.authorization.nonce` of get_quote's answer", "7"),
  r: Arguments.bytes("signature component r", `0x${"34".repeat(32)}`),
  s: Arguments.bytes("signature component s", `0x${"56".repeat(32)}`),
  yParity: Schema.optionalKey(
    Schema.Literals([0, 1]).annotate({ description: "signature parity; 0 when the wallet returns none", examples: [0] })
  )
}).annotate({
  description:
    "the owner's signed EIP-7702 authorization for `signing.authorization` of get_quote's answer; required by the service"
})

const SubmitArguments = Schema.Struct({
  quoteId: Arguments.quoteId,
  signature: Arguments.bytes("the owner's EIP-712 signature of the order, 65 bytes", `0x${"12".repeat(64)}1b`),
  authorization: Schema.optionalKey(AuthorizationArgument)
})

const MISSING_AUTHORIZATION = failure(
  "Nothing was submitted: the EIP-7702 authorization is missing, and the service takes no sweep without it.",
  "have the owner sign an EIP-7702 authorization of `signing.authorization` (address, chainId, nonce) from get_quote's " +
    "answer, and call submit_signed again with the same quoteId and signature and with `authorization`: " +
    "{ address, chainId, nonce, r, s, yParity }. Do so before the quote's expiresAtMs; else call get_quote again."
)

/** Values that passed a tool's own schema and not the contract's. */
const decoded = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown) =>
  Effect.mapError(Schema.decodeUnknownEffect(schema, { errors: "all" })(value), malformed)

export const make = Effect.fnUntraced(function* (settings: McpSettings) {
  const { orchestratorUrl } = settings
  const client = yield* HttpApiClient.make(OrchestratorApi, { baseUrl: orchestratorUrl })
  const ofOrchestrator = ofServiceError("SERVICE_ORCHESTRATOR_URL", orchestratorUrl)

  const getQuote = ToolDefinition.make({
    name: "get_quote",
    title: "Price a sweep",
    description:
      "Prices a gasless token sweep, on one chain or across two, and returns the unsigned order. `signing` holds all that the " +
      "owner signs: `typedData` (EIP-712) and `authorization` (EIP-7702). Before anybody signs, compare `order` with your " +
      "request, and show the owner what is sent, both fees, the least that is received (`quote.minAmountOut`), the destination " +
      "and the expiry (`quote.expiresAtMs`, UNIX milliseconds). Then call submit_signed with quoteId = `quote.id`.",
    input: QuoteArguments,
    output: QuoteResponse,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        const fromEnvironment = Option.match(settings.apiKey, {
          onNone: () => ({}),
          onSome: (apiKey) => ({ apiKey: Redacted.value(apiKey) })
        })
        const payload = yield* decoded(QuoteRequest, { ...fromEnvironment, ...input })
        return yield* client.quotes.quote({ payload }).pipe(
          Effect.mapError((error) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the request: ${error.error}.`,
                  "correct these fields and call get_quote again."
                )
              case "ScreeningRefused":
                return failure("Owner or destination is blocked by sanctions screening.", "stop; do not try again.")
              case "Unprocessable":
                return failure(
                  "The service can make no quote for this sweep, and does not say why: fees may reach the amount, the token may be declined, or there may be no route.",
                  "try a larger amountIn, another tokenOut or destChainId, or a `route` hint; the same request may fail again."
                )
              default:
                return ofOrchestrator(error)
            }
          })
        )
      })
  })

  const submitSigned = ToolDefinition.make({
    name: "submit_signed",
    title: "Submit a signed sweep",
    description:
      "Hands over what the owner signed; a relayer then sends the sweep and pays the gas. This moves the owner's tokens: call it " +
      "only once the owner has agreed to the order. Needs the order's signature and the EIP-7702 authorization of the same quote. " +
      "Then follow the sweep with get_intent_status.",
    input: SubmitArguments,
    output: IntentAccepted,
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        if (input.authorization === undefined) return yield* MISSING_AUTHORIZATION
        const payload = yield* decoded(IntentSubmission, input)
        return yield* client.intents.submit({ payload }).pipe(
          Effect.mapError((error) => {
            switch (error._tag) {
              case "ValidationFailed":
                return failure(
                  `The service refused the submission: ${error.error}.`,
                  "correct these fields and call submit_signed again."
                )
              case "Refused":
                return failure(
                  "The service refused the submission, and does not say why: the quote is unknown, expired or already submitted, a party is blocked, or a signature is not the owner's of this quote.",
                  "see with get_intent_status whether it was submitted already; if it is still `quoted`, call get_quote again and have the owner sign anew."
                )
              default:
                return ofOrchestrator(error)
            }
          })
        )
      })
  })

  const getIntentStatus = ToolDefinition.make({
    name: "get_intent_status",
    title: "Status of a sweep",
    description:
      "`quoted` (not submitted), `submitted` (will be sent), `settled_source` (done on the source chain, being delivered), " +
      "`delivered` or `failed` (with `failureReason`). The last two are final: until then, ask again every 3 seconds.",
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

  return [getQuote, submitSigned, getIntentStatus]
})
