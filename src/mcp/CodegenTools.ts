/** The tools that only compute: nothing leaves the process. */
import { Effect, Option, Redacted, Schema } from "effect"
import { allowanceTypedData } from "./AllowanceTypedData.ts"
import * as Arguments from "./Arguments.ts"
import type { McpSettings } from "./McpSettings.ts"
import { snippet } from "./Snippet.ts"
import * as ToolDefinition from "./ToolDefinition.ts"

const DEFAULT_SOURCE_CHAIN = 8453

const hints: ToolDefinition.Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

const TypeMembers = Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String }))

const AllowanceTypedData = Schema.Struct({
  domain: Schema.Struct({ name: Schema.String, chainId: Schema.Int, verifyingContract: Schema.String }),
  types: Schema.Struct({
    EIP712Domain: TypeMembers,
    PermitWitnessTransferFrom: TypeMembers,
    TokenPermissions: TypeMembers,
    SweepOrder: TypeMembers
  }),
  primaryType: Schema.Literal("PermitWitnessTransferFrom"),
  message: Schema.Struct({
    permitted: Schema.Struct({ token: Schema.String, amount: Schema.String }),
    spender: Schema.String,
    nonce: Schema.String,
    deadline: Schema.String,
    witness: Arguments.order
  })
})

export const make = (settings: McpSettings) => [
  ToolDefinition.make({
    name: "build_allowance_typeddata",
    title: "Typed data of the allowance path",
    description:
      "Builds the EIP-712 typed data of the retained, unused allowance path: Permit2's PermitWitnessTransferFrom with the order " +
      "as its witness. No network call. A sweep does not need it: sign `signing` of get_quote's answer instead.",
    input: Schema.Struct({
      order: Arguments.order,
      spender: Arguments.address("the router contract that may pull the tokens"),
      chainId: Arguments.chainId("chain id of the source chain")
    }),
    output: AllowanceTypedData,
    hints,
    run: ({ chainId, order, spender }) => Effect.succeed(allowanceTypedData(order, spender, chainId))
  }),
  ToolDefinition.make({
    name: "gen_integration_snippet",
    title: "Code that sweeps",
    description:
      "Writes a TypeScript module that quotes, reviews, signs, submits and follows a sweep with viem and fetch alone. No network " +
      "call. It type-checks as it stands; call its `sweep` with an account and a request.",
    input: Schema.Struct({
      orchestratorUrl: Schema.optionalKey(
        Arguments.url("base URL of the orchestrator; SERVICE_ORCHESTRATOR_URL unless given", "https://sweep.example")
      ),
      builderApiKey: Schema.optionalKey(
        Arguments.text("builder API key to attribute sweeps with; SERVICE_API_KEY unless given", "swp_0123…")
      ),
      sweepRouter: Schema.optionalKey(
        Arguments.address("router of the retained allowance path; the code then refuses to delegate an account to it")
      ),
      sourceChainId: Schema.optionalKey(
        Arguments.chainId(`chain id of the source chain; ${DEFAULT_SOURCE_CHAIN} unless given`)
      )
    }),
    output: Schema.Struct({ snippet: Schema.String.annotate({ description: "the module's source" }) }),
    hints,
    text: (output) => output.snippet,
    run: (input) =>
      Effect.succeed({
        snippet: snippet({
          orchestratorUrl: input.orchestratorUrl ?? settings.orchestratorUrl,
          builderApiKey:
            input.builderApiKey ?? Option.getOrUndefined(Option.map(settings.apiKey, (key) => Redacted.value(key))),
          sweepRouter: input.sweepRouter,
          sourceChainId: input.sourceChainId ?? DEFAULT_SOURCE_CHAIN
        })
      })
  })
]
