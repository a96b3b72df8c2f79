/**
 * Writes the OpenAPI documents that the services serve to docs/openapi, and lints them: `bun scripts/openapi.ts`. With `--check`
 * it writes nothing, and fails when a document is stale or breaks a rule.
 */
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { OpenApi } from "effect/http-api"
import { BuilderApi } from "../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../src/api/orchestrator/OrchestratorApi.ts"

const DOCUMENTS = {
  orchestrator: OpenApi.fromApi(OrchestratorApi),
  builder: OpenApi.fromApi(BuilderApi)
}

const config = await createConfig({
  extends: ["recommended-strict"],
  rules: {
    // Some routes cannot be asked wrongly: liveness, and what is only listed.
    "operation-4xx-response": "off"
  }
})

const root = `${import.meta.dir}/..`
const check = process.argv.includes("--check")
const problemsOf = async (file: string, text: string) => {
  const problems = await lintFromString({ source: text, absoluteRef: `${root}/${file}`, config })
  return problems.map(
    ({ location, message, ruleId }) =>
      `${file}: ${ruleId}: ${message} at ${location.map(({ pointer }) => pointer ?? "").join(", ")}`
  )
}

const isStale = async (file: string, text: string) => {
  const written = Bun.file(`${root}/${file}`)
  return !(await written.exists()) || (await written.text()) !== text
}

const failures = await Promise.all(
  Object.entries(DOCUMENTS).map(async ([name, document]) => {
    const file = `docs/openapi/${name}.json`
    const text = `${JSON.stringify(document, null, 2)}\n`
    if (!check) await Bun.write(`${root}/${file}`, text)
    const stale = check && (await isStale(file, text)) ? [`${file}: stale; run bun scripts/openapi.ts`] : []
    return [...stale, ...(await problemsOf(file, text))]
  })
)

for (const failure of failures.flat()) process.stderr.write(`${failure}\n`)
process.exitCode = failures.flat().length > 0 ? 1 : 0
