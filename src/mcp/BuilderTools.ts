/** Tools of the builder backend: identify an API key, list accruals, and register builders. */
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

const builderId = Arguments.text("Id of the builder.", "bld_f39fd6e51aad88f6f4ce6ab8827279cfffb92266")

const bps = (description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 })).annotate({ description, examples: [30] })

const REFUSED_TOKEN = failure(
  "The builder backend refused the admin token.",
  "have the operator set SERVICE_ADMIN_TOKEN to the builder backend's ADMIN_TOKEN and restart this MCP server."
)

type Client = HttpApiClient.ForApi<typeof BuilderApi>
type OfBackend = ReturnType<typeof ofServiceError>

const attribute = (client: Client, ofBackend: OfBackend, key: Redacted.Redacted) =>
  ToolDefinition.make({
    name: "attribute",
    title: "Identify the API key",
    description:
      "Returns the builder to whom the API key of SERVICE_API_KEY belongs, with its markup and the markup's limit in basis points " +
      "(1 = 0.01 %), and its payout address.",
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

/** `client` sends the admin token, if there is one. */
const listAccruals = (client: Client, ofBackend: OfBackend, hasToken: boolean) =>
  ToolDefinition.make({
    name: "list_accruals",
    title: "List accruals of a builder",
    description:
      "Lists the unpaid earnings of a builder per token, in the token's smallest unit. Needs SERVICE_ADMIN_TOKEN.",
    input: Schema.Struct({ builderId }),
    output: BuilderBalances,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
    run: (input) =>
      hasToken
        ? client.machine
            .balances({ params: { id: input.builderId } })
            .pipe(Effect.mapError((error) => (error._tag === "Unauthorized" ? REFUSED_TOKEN : ofBackend(error))))
        : Effect.fail(
            failure(
              "list_accruals needs the builder backend's admin token, and SERVICE_ADMIN_TOKEN is not set.",
              "have the operator set it and restart this MCP server, or open the builder's dashboard."
            )
          )
  })

/** `client` sends the admin token. */
const registerBuilder = (client: Client, ofBackend: OfBackend) =>
  ToolDefinition.make({
    name: "register_builder",
    title: "Register a builder",
    description:
      "Registers a builder. The answer shows `apiKey` only this once: give it to the builder, and to nobody else.",
    input: Schema.Struct({
      id: Arguments.text("Permanent id of the builder: 1 to 128 letters, digits or _ . : @ -", "acme"),
      name: Arguments.text("Display name, 1 to 64 characters.", "Acme Wallet"),
      builderBps: bps("Markup in basis points (1 = 0.01 %)."),
      maxBuilderBps: bps("Upper limit of the markup, in basis points."),
      payoutAddress: Arguments.address("Wallet that is paid and signs in to the dashboard.")
    }),
    output: NewBuilderView,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
    run: (input) =>
      Effect.gen(function* () {
        const decoded = Schema.decodeUnknownEffect(RegistrationRequest, { errors: "all" })(input)
        const payload = yield* Effect.mapError(decoded, malformed)
        return yield* client.machine.register({ payload }).pipe(
          Effect.mapError((error) => {
            switch (error._tag) {
              case "Unauthorized":
                return REFUSED_TOKEN
              case "AlreadyRegistered":
                return failure(
                  "The id is taken, or the payout address already has a builder.",
                  "choose another id or payoutAddress. The key of an existing builder can only be rotated in the dashboard."
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
  return [
    ...Option.toArray(Option.map(apiKey, (key) => attribute(client, ofBackend, key))),
    listAccruals(admin, ofBackend, Option.isSome(adminToken)),
    ...Option.toArray(Option.map(adminToken, () => registerBuilder(admin, ofBackend)))
  ]
})
