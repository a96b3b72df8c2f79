/** The URL of the orchestrator for browsers, beside the one at which the backend calls it. */
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as OrchestratorOperationsHttp from "../../../src/adapters/http/OrchestratorOperationsHttp.ts"
import { operations } from "../../../src/cli/BuilderBackendCommand.ts"
import { builderSettings } from "../../../src/config/Builder.ts"
import { type Asset, WebAssets } from "../../../src/server/web/WebAssets.ts"
import { StubServer } from "../../support/StubServer.ts"
import * as Harness from "./Harness.ts"

const PUBLIC = "https://api.example.com"

const page: Asset = {
  contentType: "text/html; charset=utf-8",
  plain: new TextEncoder().encode("<!doctype html>"),
  brotli: undefined,
  gzip: undefined,
  isHashed: false
}

/** The backend with the settings of an environment, whose `ORCHESTRATOR_URL` leads to the stub. */
const backend = (more: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url } = yield* StubServer
      const env = { ORCHESTRATOR_URL: url, ORCHESTRATOR_ADMIN_TOKEN: "operator-token-of-the-test", ...more }
      const provided = Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      const { orchestratorUrl } = yield* provided(builderSettings)
      const called = yield* provided(operations)
      if ("missing" in called) return assert.fail("both settings are set")
      return Harness.layer({
        settings: { orchestratorUrl },
        operations: OrchestratorOperationsHttp.layer(called).pipe(Layer.provide(FetchHttpClient.layer))
      })
    })
  ).pipe(
    Layer.provide(
      Layer.succeed(
        WebAssets,
        new Map([
          ["index.html", page],
          ["sweep.html", page]
        ])
      )
    ),
    Layer.provideMerge(StubServer.layer),
    Layer.orDie
  )

/** Facts that a browser is told, by `GET /deployment` and by the policies of the pages. */
const told = Effect.gen(function* () {
  const deployment = yield* Harness.ask("GET /deployment")
  const policies = yield* Effect.forEach(["/app", "/app/sweep"], (path) =>
    Effect.map(
      Harness.ask(`GET ${path}`),
      ({ headers }) => /connect-src ([^;]*)/.exec(headers.get("content-security-policy") ?? "")?.[1]
    )
  )
  return { url: Harness.field(deployment, "orchestratorUrl"), policies }
})

const live = { excludeTestServices: true }

layer(backend({ PUBLIC_ORCHESTRATOR_URL: `${PUBLIC}/` }), live)("PUBLIC_ORCHESTRATOR_URL", (it) => {
  it.effect("is what the deployment and the policy of every page tell browsers", () =>
    Effect.gen(function* () {
      const policy = `'self' ${PUBLIC}`
      assert.deepStrictEqual(yield* told, { url: PUBLIC, policies: [policy, policy] })
    })
  )

  it.effect("is not what the backend calls", () =>
    Effect.gen(function* () {
      const { seen } = yield* StubServer
      yield* Harness.asAdmin("GET /admin/operations/alerts")
      assert.deepStrictEqual(
        (yield* seen).map(({ path }) => path),
        ["/admin/alerts"]
      )
    })
  )
})

layer(backend({}), live)("PUBLIC_ORCHESTRATOR_URL, if it is not set,", (it) => {
  it.effect("is ORCHESTRATOR_URL", () =>
    Effect.gen(function* () {
      const { url } = yield* StubServer
      const policy = `'self' ${url}`
      assert.deepStrictEqual(yield* told, { url, policies: [policy, policy] })
    })
  )
})
