/** The tools of the builder backend: whose key it is, what a builder is owed, and new builders. */
import { Effect, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { BuilderApi } from "../api/builder/BuilderApi.ts"
import { NewBuilderView } from "../api/builder/AccountSchemas.ts"
import { BuilderBalances, RegistrationRequest } from "../api/builder/Schemas.ts"
import { Attribution } from "../domain/Builder.ts"
import * as Arguments from "./Arguments.ts"
import type { McpSettings } from "./McpSettings.ts"
import * as ToolDefinition from "./ToolDefinition.ts"
import { failure, malformed, ofServiceError } from "./ToolFailure.ts"

const builderId = Arguments.text("the builder's id", "bld_f39fd6e51aad88f6f4ce6ab8827279cfffb92266")

const bps = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({ description, examples: [30] })

const REFUSED_TOKEN = failure(
  "The builder backend does not take the admin token.",
  "have the operator set SERVICE_ADMIN_TOKEN to the builder backend's ADMIN_TOKEN and restart this MCP server."
)

export const make = Effect.fnUntraced(function* (settings: McpSettings) {
  const { adminToken, apiKey, builderUrl } = settings
  const client = yield* HttpApiClient.make(BuilderApi, { baseUrl: builderUrl })
  const admin = yield* HttpApiClient.make(BuilderApi, {
    baseUrl: builderUrl,
    transformClient: (http) =>
      Option.match(adminToken, {
        onNone: () => http,
        onSome: (token) => HttpClient.mapRequest(http, HttpClientRequest.bearerToken(token))
      })
  })
  const ofBackend = ofServiceError("SERVICE_BUILDER_URL", builderUrl)

  const attribute = Option.map(apiKey, (key) =>
    ToolDefinition.make({
      name: "attribute",
      title: "Whose API key this is",
      description:
        "Says which builder the API key of SERVICE_API_KEY belongs to, its markup and its cap in basis points (1 = 0.01 %), and " +
        "where it is paid.",
      input: Schema.Struct({}),
      output: Attribution,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
      run: () =>
        client.attribution
          .attribute({ headers: { "x-api-key": Redacted.value(key) } })
          .pipe(
            Effect.mapError((error) =>
              error._tag === "Unattributed"
                ? failure(
                    "The builder backend does not know the API key: it is wrong, was rotated, or its builder is suspended.",
                    "have the builder make a new key in the dashboard, set SERVICE_API_KEY to it and restart this MCP server."
                  )
                : ofBackend(error)
            )
          )
    })
  )

  const listAccruals = ToolDefinition.make({
    name: "list_accruals",
    title: "What a builder is owed",
    description:
      "Lists what a builder earned and was not paid yet, per token, in the token's smallest unit. Needs SERVICE_ADMIN_TOKEN.",
    input: Schema.Struct({ builderId }),
    output: BuilderBalances,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    run: (input) =>
      Option.isNone(adminToken)
        ? Effect.fail(
            failure(
              "This needs the builder backend's admin token, and SERVICE_ADMIN_TOKEN is not set.",
              "have the operator set it and restart this MCP server, or look into the builder's dashboard."
            )
          )
        : admin.machine
            .balances({ params: { id: input.builderId } })
            .pipe(Effect.mapError((error) => (error._tag === "Unauthorized" ? REFUSED_TOKEN : ofBackend(error))))
  })

  const registerBuilder = Option.map(adminToken, () =>
    ToolDefinition.make({
      name: "register_builder",
      title: "Register a builder",
      description:
        "Registers a builder. `apiKey` of the answer is shown this once: hand it to the builder at once, and nobody else.",
      input: Schema.Struct({
        id: Arguments.text("names the builder for good; 1 to 128 letters, digits or _ . : @ -", "acme"),
        name: Arguments.text("display name, 1 to 64 characters", "Acme Wallet"),
        builderBps: bps("markup in basis points (1 = 0.01 %)"),
        maxBuilderBps: bps("the most that the markup may be, in basis points"),
        payoutAddress: Arguments.address("wallet that is paid, and signs in to the dashboard")
      }),
      output: NewBuilderView,
      hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
      run: (input) =>
        Effect.gen(function* () {
          const decoded = Schema.decodeUnknownEffect(RegistrationRequest, { errors: "all" })(input)
          const payload = yield* Effect.mapError(decoded, malformed)
          return yield* admin.machine.register({ payload }).pipe(
            Effect.mapError((error) => {
              switch (error._tag) {
                case "Unauthorized":
                  return REFUSED_TOKEN
                case "AlreadyRegistered":
                  return failure(
                    "The id is taken, or the payout address already has a builder.",
                    "choose another id or payoutAddress; the existing builder's key can only be rotated in the dashboard."
                  )
                case "InvalidRequest":
                  return failure(
                    `The builder backend refused the request: ${error.error.issues.map(({ message, path }) => `${path.join(".")}: ${message}`).join("; ")}.`,
                    "correct these fields and call register_builder again."
                  )
                default:
                  return ofBackend(error)
              }
            })
          )
        })
    })
  )

  return [...Option.toArray(attribute), listAccruals, ...Option.toArray(registerBuilder)]
})
