/** `./sweep mcp`: runs the MCP server over standard input and output. MCP clients start it. */
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { Command } from "effect/cli"
import { FetchHttpClient } from "effect/http"
import { chains } from "../config/Chains.ts"
import { mcp } from "../config/Mcp.ts"
import * as McpSettings from "../mcp/McpSettings.ts"
import * as Problems from "./Problems.ts"

export const mcpCommand = Command.make("mcp", {}, () =>
  Effect.gen(function* () {
    yield* Problems.check([mcp, { domainName: chains.domainName }])
    const settings = yield* McpSettings.fromEnvironment
    // Imported here, so that other commands do not load the tools.
    const SweepMcp = yield* Effect.promise(() => import("../mcp/SweepMcp.ts"))
    const server = yield* Effect.forkChild(Layer.launch(SweepMcp.layerStdio(settings)))
    const exit = yield* Fiber.await(server)
    // The server interrupts itself when its client closes standard input, which is how a client stops it.
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) return yield* exit
  }).pipe(Effect.provide(FetchHttpClient.layer))
).pipe(
  Command.withDescription(
    "Run the MCP server over standard input and output. Needs SERVICE_ORCHESTRATOR_URL and SERVICE_BUILDER_URL"
  )
)
