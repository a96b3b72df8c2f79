/** The registry's entry, server.json, has the version of the package and the settings that the server reads. */
import { assert, describe, it } from "vitest"
import { ConfigProvider, Effect } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import serverJson from "../../server.json" with { type: "json" }
import * as McpSettings from "../../src/mcp/McpSettings.ts"

const [image] = serverJson.packages
const variables = image?.environmentVariables ?? []

const settings = (env: Readonly<Record<string, string>>) =>
  Effect.runPromise(Effect.result(McpSettings.fromEnvironment.parse(ConfigProvider.fromUnknown(env))))

describe("server.json", () => {
  it("is of this version, in the registry's limits", () => {
    assert.strictEqual(serverJson.version, packageJson.version)
    assert.isTrue(image?.identifier.endsWith(`:${packageJson.version}`))
    assert.match(serverJson.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    assert.isAtMost(serverJson.description.length, 100)
    assert.isAtMost(serverJson.title.length, 100)
  })

  it("names the environment that the server reads, and what of it is required", async () => {
    const all: Record<string, string> = Object.fromEntries(variables.map(({ name }) => [name, "https://sweep.test"]))
    const full = await settings(all)
    assert.isTrue(
      full._tag === "Success" && full.success.apiKey._tag === "Some" && full.success.adminToken._tag === "Some"
    )
    for (const variable of variables) {
      const { [variable.name]: _, ...rest } = all
      const isRequired = "isRequired" in variable
      assert.strictEqual((await settings(rest))._tag, isRequired ? "Failure" : "Success", variable.name)
    }
  })
})
