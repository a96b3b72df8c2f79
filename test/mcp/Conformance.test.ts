/**
 * Runs the official conformance tool against the server over HTTP. Every scenario runs, or has a reason why it does not apply to a
 * server that has only tools.
 */
import { createRequire } from "node:module"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Layer, Option, Schema } from "effect"
import { McpSchema } from "effect/ai"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as Ports from "../../src/devnet/Ports.ts"
import * as SweepMcp from "../../src/mcp/SweepMcp.ts"
import * as ToolDefinition from "../../src/mcp/ToolDefinition.ts"
import { failure } from "../../src/mcp/ToolFailure.ts"

const hints: ToolDefinition.Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

/** Adds keywords to the schema of a tool that ours do not use, to see that the server passes them on. */
const withKeywords = ({ handle, tool }: ToolDefinition.ToolDefinition): ToolDefinition.ToolDefinition => ({
  handle,
  tool: new McpSchema.Tool({
    ...tool,
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: { type: "object", properties: { street: { type: "string" }, city: { type: "string" } } }
      },
      properties: { name: { type: "string" }, address: { $ref: "#/$defs/address" } },
      additionalProperties: false
    }
  })
})

/** Tools that the scenarios call by name, made and registered as ours are. */
const fixtures = Layer.effectDiscard(
  Effect.forEach(
    [
      ToolDefinition.make({
        name: "test_simple_text",
        title: "Simple text",
        description: "Returns a text",
        input: Schema.Struct({}),
        output: Schema.Struct({ text: Schema.String }),
        hints,
        text: ({ text }) => text,
        run: () => Effect.succeed({ text: "This is a simple text response for testing." })
      }),
      withKeywords(
        ToolDefinition.make({
          name: "json_schema_2020_12_tool",
          title: "JSON Schema",
          description: "Tool with JSON Schema 2020-12 features",
          input: Schema.Struct({}),
          output: Schema.Struct({}),
          hints,
          run: () => Effect.succeed({})
        })
      ),
      ToolDefinition.make({
        name: "test_error_handling",
        title: "Error",
        description: "Fails",
        input: Schema.Struct({}),
        output: Schema.Struct({}),
        hints,
        run: () => Effect.fail(failure("This tool intentionally returns an error for testing.", "nothing."))
      })
    ],
    ToolDefinition.register,
    { discard: true }
  )
)

const settings = {
  orchestratorUrl: "http://127.0.0.1:1",
  builderUrl: "http://127.0.0.1:1",
  domainName: "Service",
  apiKey: Option.none(),
  adminToken: Option.none()
}

/** The port is chosen before the server starts, as its own origin is among those that it allows. */
const server = Layer.unwrap(
  Effect.map(Ports.free, (port) =>
    HttpRouter.serve(
      fixtures.pipe(
        Layer.provide(SweepMcp.layerHttp(settings, { path: "/mcp", allowedOrigins: [`http://127.0.0.1:${port}`] }))
      ),
      { disableLogger: true }
    ).pipe(Layer.provideMerge(BunHttpServer.layer({ hostname: "127.0.0.1", port })))
  )
).pipe(Layer.provide(FetchHttpClient.layer))

const NO_RESOURCES = "the server has tools and no resources"
const NO_PROMPTS = "the server has tools and no prompts"
const TEXT_ONLY = "our tools answer with text and structured content, and `ToolDefinition` can make no others"
const ASKS_NOBODY = "our tools ask the client's model or user for nothing: an owner signs outside of the protocol"
const ONE_ANSWER = "our tools answer within one request, and say nothing before"

/** Every scenario of the conformance tool: `run`, or the reason why it does not apply. */
const SCENARIOS: Readonly<Record<string, "run" | { readonly because: string; readonly capability?: string }>> = {
  "server-initialize": "run",
  "logging-set-level": "run",
  ping: "run",
  "completion-complete": { because: "it completes an argument of a prompt, and the server has none" },
  "tools-list": "run",
  "tools-call-simple-text": "run",
  "tools-call-image": { because: TEXT_ONLY },
  "tools-call-audio": { because: TEXT_ONLY },
  "tools-call-embedded-resource": { because: TEXT_ONLY },
  "tools-call-mixed-content": { because: TEXT_ONLY },
  "tools-call-with-logging": { because: ONE_ANSWER },
  "tools-call-error": "run",
  "tools-call-with-progress": { because: ONE_ANSWER },
  "tools-call-sampling": { because: ASKS_NOBODY },
  "tools-call-elicitation": { because: ASKS_NOBODY },
  "json-schema-2020-12": "run",
  "elicitation-sep1034-defaults": { because: ASKS_NOBODY },
  "server-sse-polling": { because: `it needs a tool that outlives its connection: ${ONE_ANSWER}` },
  "server-sse-multiple-streams": {
    because:
      "it negotiates 2025-11-25 and then sends `MCP-Protocol-Version: 2025-03-26`, which the server refuses; below, the same with the version that was negotiated"
  },
  "elicitation-sep1330-enums": { because: ASKS_NOBODY },
  "resources-list": { because: NO_RESOURCES, capability: "resources" },
  "resources-read-text": { because: NO_RESOURCES, capability: "resources" },
  "resources-read-binary": { because: NO_RESOURCES, capability: "resources" },
  "resources-templates-read": { because: NO_RESOURCES, capability: "resources" },
  "resources-subscribe": { because: NO_RESOURCES, capability: "resources" },
  "resources-unsubscribe": { because: NO_RESOURCES, capability: "resources" },
  "prompts-list": { because: NO_PROMPTS, capability: "prompts" },
  "prompts-get-simple": { because: NO_PROMPTS, capability: "prompts" },
  "prompts-get-with-args": { because: NO_PROMPTS, capability: "prompts" },
  "prompts-get-embedded-resource": { because: NO_PROMPTS, capability: "prompts" },
  "prompts-get-with-image": { because: NO_PROMPTS, capability: "prompts" },
  "dns-rebinding-protection": "run"
}

const tool = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist",
  "index.js"
)

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

/** Runs one scenario; resolves with its checks. */
const run = async (url: string, scenario: string): Promise<ReadonlyArray<Check>> => {
  const out = await mkdtemp(join(tmpdir(), "sweep-conformance-"))
  try {
    const child = Bun.spawn(
      [process.execPath, "--bun", tool, "server", "--url", url, "--scenario", scenario, "--output-dir", out],
      { stdout: "ignore", stderr: "ignore", timeout: 20_000 }
    )
    await child.exited
    const files = (await readdir(out, { recursive: true })).filter((name) => name.endsWith("checks.json"))
    return (await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(out, name), "utf8"))))).flat()
  } finally {
    await rm(out, { recursive: true, force: true })
  }
}

/** The scenarios that the installed tool knows. */
const known = async (): Promise<ReadonlyArray<string>> => {
  const child = Bun.spawn([process.execPath, "--bun", tool, "list", "--server"], { stdout: "pipe", stderr: "ignore" })
  const listed = await new Response(child.stdout).text()
  return Array.from(listed.matchAll(/^ *- (\S+) \[/gm), ([, name = ""]) => name)
}

const serverUrl = Effect.map(HttpServer.HttpServer, ({ address }) =>
  address._tag === "InetAddressV4" ? `http://127.0.0.1:${address.port}/mcp` : assert.fail("the server has no port")
)

layer(server, { excludeTestServices: true })("MCP conformance", (it) => {
  it.effect("leaves no scenario out without saying why", () =>
    Effect.gen(function* () {
      assert.sameMembers([...(yield* Effect.promise(known))], Object.keys(SCENARIOS))
    })
  )

  it.effect("offers nothing of what is said not to apply", () =>
    Effect.gen(function* () {
      const url = new URL(yield* serverUrl)
      const capabilities = yield* Effect.promise(async () => {
        const client = new Client({ name: "test", version: "0" })
        await client.connect(new StreamableHTTPClientTransport(url))
        const offered = client.getServerCapabilities()
        await client.close()
        return Object.keys(offered ?? {})
      })
      assert.include(capabilities, "tools")
      for (const scenario of Object.values(SCENARIOS)) {
        if (scenario !== "run" && scenario.capability !== undefined)
          assert.notInclude(capabilities, scenario.capability)
      }
    })
  )

  it.effect("answers several requests of a session at once", () =>
    Effect.gen(function* () {
      const url = new URL(yield* serverUrl)
      const names = yield* Effect.promise(async () => {
        const client = new Client({ name: "test", version: "0" })
        await client.connect(new StreamableHTTPClientTransport(url))
        const lists = await Promise.all([client.listTools(), client.listTools(), client.listTools()])
        await client.close()
        return lists.map(({ tools }) => tools.map(({ name }) => name).join())
      })
      assert.lengthOf(new Set(names), 1)
      assert.include(names[0], "get_quote")
    })
  )

  for (const [scenario, how] of Object.entries(SCENARIOS)) {
    if (how !== "run") continue
    it.effect(scenario, () =>
      Effect.gen(function* () {
        const url = yield* serverUrl
        const checks = yield* Effect.promise(() => run(url, scenario))
        assert.isNotEmpty(checks)
        assert.deepStrictEqual(
          checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO"),
          []
        )
        assert.isTrue(checks.some(({ status }) => status === "SUCCESS"))
      })
    )
  }
})
