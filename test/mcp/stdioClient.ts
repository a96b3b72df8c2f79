/** The MCP server as a process, and a client that calls its tools. */
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import * as Project from "../examples/Project.ts"
import { throughBundle } from "../support/Program.ts"
import { type Place, place, Services } from "../support/Services.ts"
import * as Support from "../support/SweepClient.ts"

/** The command in a user's MCP client configuration. */
export const COMMAND = join(Project.root, "sweep")

export const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`

/** An address that is not the owner's. */
export const DESTINATION = "0x00000000000000000000000000000000000a11ce"

export type Environment = Readonly<Record<string, string>>

/** The official client, connected to a server of its own. */
export const connect = (env: Environment) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "0" })
      const transport = new StdioClientTransport({
        command: COMMAND,
        args: ["mcp"],
        // Clients start it from wherever they are, with a little of their environment.
        cwd: tmpdir(),
        env: { PATH, ...(await throughBundle()), ...env },
        stderr: "ignore"
      })
      await client.connect(transport)
      // Knows the output schemas from now on, and holds every result to them.
      await client.listTools()
      return client
    }),
    (client) => Effect.promise(() => client.close())
  )

interface Outcome {
  readonly isError: boolean
  readonly text: string
  readonly value: Readonly<Record<string, unknown>>
}

export const call = (client: Client, name: string, args: Readonly<Record<string, unknown>>) =>
  Effect.promise(async (): Promise<Outcome> => {
    const result = await client.callTool({ name, arguments: { ...args } })
    const blocks = result.content as ReadonlyArray<{ readonly text?: string }>
    return {
      isError: result.isError === true,
      text: blocks.map(({ text = "" }) => text).join("\n"),
      value: (result.structuredContent ?? {}) as Readonly<Record<string, unknown>>
    }
  })

/** The status of an intent once it is final. */
export const ended = Effect.fnUntraced(function* (client: Client, id: string) {
  for (;;) {
    const status = yield* call(client, "get_intent_status", { id })
    if (["delivered", "failed"].includes(String(status.value["status"]))) return status
    yield* Effect.sleep("200 millis")
  }
})

/** The answer of `POST /quote` in the test client's shape, so that it is signed as any other is. */
export const asAnswer = (outcome: Outcome): Support.Answer => ({
  status: 200,
  headers: new Headers(),
  text: outcome.text,
  at: <A>(path: string): A =>
    path.split(".").reduce((value, key) => value[key], JSON.parse(JSON.stringify(outcome.value))),
  string: (path) =>
    String(path.split(".").reduce((value, key) => value[key], JSON.parse(JSON.stringify(outcome.value))))
})

export const quoteArguments = (owner: `0x${string}`, { info }: Place, amountIn: string) => ({
  ...Support.quoteBody({ owner, chain: info, tokenIn: "DAI", amountIn, tokenOut: "USDC" })
})

/** The services, the first chain, and environments of a server without and with secrets. */
export const setUp = Effect.gen(function* () {
  const services = yield* Services
  const alpha = place(services, 0)
  const env = {
    SERVICE_ORCHESTRATOR_URL: services.info.orchestratorUrl,
    SERVICE_BUILDER_URL: services.info.builderUrl
  }
  const trusted = {
    ...env,
    SERVICE_API_KEY: services.builder.apiKey,
    SERVICE_ADMIN_TOKEN: services.info.builderAdminToken
  }
  return { services, alpha, env, trusted }
})
