/**
 * Defines and registers tools. Arguments are checked, results have the declared shape, and every failure becomes a tool error,
 * which the model sees and can act on.
 */
import { Cause, Context, Effect, Result, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import { malformed, type ToolFailure } from "./ToolFailure.ts"

export interface Hints {
  /** True if a call changes nothing. */
  readonly readOnly: boolean
  /** True if a call cannot be undone. */
  readonly destructive: boolean
  /** True if a repeated call with the same arguments has no further effect. */
  readonly idempotent: boolean
  /** True if a call makes requests. */
  readonly openWorld: boolean
}

export interface ToolDefinition {
  readonly tool: McpSchema.Tool
  readonly handle: (payload: unknown) => Effect.Effect<McpSchema.CallToolResult>
}

interface Options<Input extends Schema.Codec<unknown, unknown>, Output extends Schema.Codec<unknown, unknown>> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly hints: Hints
  readonly run: (input: Input["Type"]) => Effect.Effect<Output["Type"], ToolFailure>
  /** Writes the text of the result. Default: the result as JSON. */
  readonly text?: (output: Output["Type"]) => string
}

/** Inlines every part, since some clients do not resolve references. */
const jsonSchema = (schema: Schema.Codec<unknown, unknown>): McpSchema.ToolJson => ({
  ...Schema.toJsonSchemaDocument(schema, { onExcessProperty: "ignore", referencePolicy: () => undefined }).schema,
  type: "object"
})

const content = (text: string) => [{ type: "text" as const, text }]

const toolError = (text: string) => new McpSchema.CallToolResult({ isError: true, content: content(text) })

export const make = <
  const Input extends Schema.Codec<unknown, unknown>,
  const Output extends Schema.Codec<unknown, unknown>
>(
  options: Options<Input, Output>
): ToolDefinition => {
  const { hints, name, run, title } = options
  const decode = Schema.decodeUnknownResult(options.input, { errors: "all" })
  const encode = Schema.encodeUnknownEffect(options.output)
  const text = options.text ?? (() => undefined)
  return {
    tool: new McpSchema.Tool({
      name,
      title,
      description: options.description,
      inputSchema: jsonSchema(options.input),
      outputSchema: jsonSchema(options.output),
      annotations: {
        title,
        readOnlyHint: hints.readOnly,
        destructiveHint: hints.destructive,
        idempotentHint: hints.idempotent,
        openWorldHint: hints.openWorld
      }
    }),
    handle: Effect.fn(`mcp.${name}`)(
      function* (payload: unknown) {
        const input = decode(payload ?? {})
        if (Result.isFailure(input)) return yield* malformed(input.failure)
        const output = yield* run(input.success)
        const encoded = yield* Effect.orDie(encode(output))
        return new McpSchema.CallToolResult({
          content: content(text(output) ?? JSON.stringify(encoded)),
          structuredContent: encoded
        })
      },
      Effect.catchTag("ToolFailure", (error) => Effect.succeed(toolError(error.message))),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.failCause(cause)
          : Effect.as(
              Effect.logError(`${name} failed unexpectedly`, cause),
              toolError(
                `${name} failed unexpectedly. Next: tell the operator of this MCP server; its log has the reason.`
              )
            )
      )
    )
  }
}

/** Registers a tool with the server. */
export const register = Effect.fnUntraced(function* ({ handle, tool }: ToolDefinition) {
  const server = yield* McpServer.McpServer
  yield* server.addTool({ tool, annotations: Context.empty(), handle })
})
