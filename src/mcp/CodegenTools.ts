/** Tools that only compute. They make no network call. */
import { Effect, Option, Redacted, Schema } from "effect"
import { allowanceTypedData } from "./AllowanceTypedData.ts"
import * as Arguments from "./Arguments.ts"
import type { McpSettings } from "./McpSettings.ts"
import { snippet } from "./snippet/Snippet.ts"
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
    title: "Build allowance typed data",
    description:
      "Builds EIP-712 typed data for the retained, unused allowance path: Permit2's PermitWitnessTransferFrom with the order " +
      "as its witness. Makes no network call. A sweep does not need it: the owner signs the order of get_quote instead.",
    input: Schema.Struct({
      order: Arguments.order,
      spender: Arguments.address("Router contract that may pull the tokens."),
      chainId: Arguments.chainId("Chain id of the source chain.")
    }),
    output: AllowanceTypedData,
    hints,
    run: ({ chainId, order, spender }) => Effect.succeed(allowanceTypedData(order, spender, chainId))
  }),
  ToolDefinition.make({
    name: "gen_integration_snippet",
    title: "Generate integration code",
    description:
      "Generates a TypeScript module that quotes, reviews, signs, submits and follows sweeps with viem and fetch. Makes no " +
      "network call. Set `DELEGATE` in it to the delegate that the operator publishes for the source chain, and " +
      "`MORE_DELEGATES` for further chains: it signs nothing before. Then call its `sweep` with an account and a request, or " +
      "`sweepWallet` for many tokens under one signature.",
    input: Schema.Struct({
      orchestratorUrl: Schema.optionalKey(
        Arguments.url("Base URL of the orchestrator. Default: SERVICE_ORCHESTRATOR_URL.", "https://sweep.example")
      ),
      builderApiKey: Schema.optionalKey(
        Arguments.text("API key of the builder to whom sweeps are attributed. Default: SERVICE_API_KEY.", "swp_0123…")
      ),
      sweepRouter: Schema.optionalKey(
        Arguments.address("Router of the retained allowance path. The code refuses to delegate an account to it.")
      ),
      sourceChainId: Schema.optionalKey(
        Arguments.chainId(`Chain id of the source chain. Default: ${DEFAULT_SOURCE_CHAIN}.`)
      )
    }),
    output: Schema.Struct({ snippet: Schema.String.annotate({ description: "Source of the module." }) }),
    hints,
    text: (output) => output.snippet,
    run: (input) =>
      Effect.succeed({
        snippet: snippet({
          orchestratorUrl: input.orchestratorUrl ?? settings.orchestratorUrl,
          builderApiKey:
            input.builderApiKey ?? Option.getOrUndefined(Option.map(settings.apiKey, (key) => Redacted.value(key))),
          sweepRouter: input.sweepRouter,
          domainName: settings.domainName,
          sourceChainId: input.sourceChainId ?? DEFAULT_SOURCE_CHAIN
        })
      })
  })
]
