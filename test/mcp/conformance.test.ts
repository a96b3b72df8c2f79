/** The official conformance tool on the server over HTTP: every scenario that applies to a server that offers tools. */
import { createRequire } from "node:module"
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as BunHttpServer from "@effect/platform-bun/BunHttpServer"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import * as Ports from "../../src/devnet/Ports.ts"
import * as SweepMcp from "../../src/mcp/SweepMcp.ts"
import * as ToolDefinition from "../../src/mcp/ToolDefinition.ts"
import { failure } from "../../src/mcp/ToolFailure.ts"

const hints: ToolDefinition.Hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false }

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

layer(server, { excludeTestServices: true, timeout: "30 seconds" })("MCP conformance", (it) => {
  for (const scenario of [
    "server-initialize",
    "ping",
    "logging-set-level",
    "tools-list",
    "tools-call-simple-text",
    "tools-call-error",
    "dns-rebinding-protection"
  ]) {
    it.effect(scenario, () =>
      Effect.gen(function* () {
        const { address } = yield* HttpServer.HttpServer
        if (address._tag !== "InetAddressV4") return assert.fail("the server has no port")
        const checks = yield* Effect.promise(() => run(`http://127.0.0.1:${address.port}/mcp`, scenario))
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
