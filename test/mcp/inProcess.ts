/** The MCP server in process, with a network that the test gives. */
import { Effect, Layer, Option, Redacted } from "effect"
import { McpProtocol, McpTest } from "effect/ai"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import type { McpSettings } from "../../src/mcp/McpSettings.ts"
import * as SweepMcp from "../../src/mcp/SweepMcp.ts"

export const bare: McpSettings = {
  orchestratorUrl: "https://sweep.test",
  builderUrl: "https://builder.test",
  domainName: "Service",
  apiKey: Option.none(),
  adminToken: Option.none()
}

export const full: McpSettings = {
  ...bare,
  apiKey: Option.some(Redacted.make("swp_key")),
  adminToken: Option.some(Redacted.make("token"))
}

/** Fails the test that makes a request. */
const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.die("a request was made"))
)

/** Answers each request as `respond` does. */
export const responding = (respond: (sent: HttpClientRequest.HttpClientRequest) => Response) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((sent) => Effect.sync(() => HttpClientResponse.fromWeb(sent, respond(sent))))
  )

/** Answers every request in the same way. */
export const answering = (status: number, error: string, headers: Readonly<Record<string, string>>) =>
  responding(() => Response.json({ error }, { status, headers }))

/** Loses every connection. */
export const losing = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.fail(new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) }))
  )
)

export const client = (settings: McpSettings, network = noNetwork) =>
  McpTest.makeClient(SweepMcp.registrations(settings).pipe(Layer.provide(network)), {
    protocols: [McpProtocol.v2025_11_25]
  })

export const call = (settings: McpSettings, name: string, args: Record<string, unknown>, network = noNetwork) =>
  Effect.gen(function* () {
    const connected = yield* client(settings, network)
    return yield* connected.callTool({ name, arguments: args })
  })

export const textOf = ({
  content
}: {
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
}) => content.map(({ text = "" }) => text).join("\n")
