/** Doctor's check of the database opens every URL that leads to it. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Deployment } from "../../../src/cli/doctor/Check.ts"
import { database } from "../../../src/cli/doctor/check/Database.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { migratedDatabaseUrl, TestDatabase } from "../../support/Postgres.ts"

const nothing = Effect.fail({ message: "not needed" })

const deployment: Deployment = {
  services: ["orchestrator"],
  listed: Option.none(),
  served: nothing,
  lanes: nothing,
  feeRecipientKey: nothing,
  withDatabase: () => nothing
}

const environment = Layer.mergeAll(BunServices.layer, FetchHttpClient.layer, migratedDatabaseUrl)

layer(environment, { excludeTestServices: true })("the check of the database", (it) => {
  it.effect("opens the direct URL, which must lead to the same database", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const about = (direct: string, used = url) =>
        database.findings(deployment).pipe(
          Effect.provide(
            ConfigProvider.layer(ConfigProvider.fromEnv({ env: { DATABASE_URL: used, DATABASE_LISTEN_URL: direct } }))
          ),
          withLiveClock,
          Effect.map((all) => all.map(({ code, subject }) => `${code} ${subject}`)),
          Effect.map((all) => all.filter((each) => /^database_(unreachable|listen_other)/.test(each)))
        )
      const nowhere = "postgres://sweep:secret@127.0.0.1:1/sweep"
      assert.deepStrictEqual(yield* about(url), [])
      assert.deepStrictEqual(yield* about(url.replace(/\/[^/]*$/, "/postgres")), [
        "database_listen_other DATABASE_LISTEN_URL"
      ])
      assert.deepStrictEqual(yield* about(nowhere), ["database_unreachable DATABASE_LISTEN_URL"])
      assert.deepStrictEqual(yield* about(url, nowhere), ["database_unreachable DATABASE_URL"])
    })
  )
})
