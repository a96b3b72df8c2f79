/** Doctor's check of Redis. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import * as BunServices from "@effect/platform-bun/BunServices"
import type { Deployment } from "../../../src/cli/doctor/Check.ts"
import { redis } from "../../../src/cli/doctor/check/Redis.ts"
import { judge } from "../../../src/domain/doctor/Redis.ts"
import * as RespServer from "../../adapters/redis/RespServer.ts"

const nothing = Effect.fail({ message: "not needed" })

const deployment: Deployment = {
  services: ["orchestrator"],
  listed: Option.none(),
  served: nothing,
  lanes: nothing,
  feeRecipientKey: nothing,
  withDatabase: () => nothing
}

const findings = (env: Readonly<Record<string, string>>) =>
  redis
    .findings(deployment)
    .pipe(
      Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...env } }))),
      Effect.provide([BunServices.layer, FetchHttpClient.layer])
    )

describe("the check of Redis", () => {
  it.live("is well if Redis takes all that the services ask of it, and names its host alone", () =>
    Effect.gen(function* () {
      const { url } = yield* RespServer.start
      const [found] = yield* findings({ REDIS_URL: url.replace("redis://", "redis://user:secret@") })
      // A busy machine may be slow.
      assert.include(["redis_ok", "redis_slow"], found?.code)
      assert.strictEqual(found?.subject, new URL(url).host)
    })
  )

  it.live("tells a server that refuses, and says nothing without one", () =>
    Effect.gen(function* () {
      const server = yield* RespServer.start
      server.behave("refuses")
      const [found] = yield* findings({ REDIS_URL: server.url })
      assert.deepInclude(found, { code: "redis_unreachable", level: "warning" })
      assert.deepStrictEqual(yield* findings({}), [])
    })
  )

  it("tells an answer that comes later than the services wait", () => {
    assert.strictEqual(judge({ host: "h", answer: 49.2 }).code, "redis_ok")
    assert.deepInclude(judge({ host: "h", answer: 50.1 }), { code: "redis_slow", seen: "51 ms" })
  })
})
