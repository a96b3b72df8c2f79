/** `sweep migrate` on a real PostgreSQL. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestDatabase, testDatabaseUrl } from "../support/Postgres.ts"
import { sweep } from "./sweep.ts"

layer(Layer.merge(BunServices.layer, testDatabaseUrl), { excludeTestServices: true })("sweep migrate", (it) => {
  it.effect("applies what is missing, and then finds the schemas up to date", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const first = yield* sweep(["migrate"], { DATABASE_URL: url })
      assert.strictEqual(first.code, 0, first.err)
      assert.match(first.out, /^(applied (orchestrator|builder)\/\d{4}_\w+\n)+$/)
      assert.include(first.out, "applied orchestrator/0001_")
      assert.include(first.out, "applied builder/0001_")
      const second = yield* sweep(["migrate"], { DATABASE_URL: url })
      assert.deepStrictEqual(second, { code: 0, out: "up to date\n", err: "" })
    })
  )

  it.effect("fails in one sentence without a database, and does not repeat the url", () =>
    Effect.gen(function* () {
      const { code, err, out } = yield* sweep(["migrate"], { DATABASE_URL: "postgres://me:SECRET@127.0.0.1:1/none" })
      assert.strictEqual(code, 1)
      assert.strictEqual(out, "")
      assert.match(err, /^sweep: store unavailable during migrate: [^\n]+\n$/)
      assert.notInclude(err, "SECRET")
    })
  )

  it.effect("refuses a direct URL that leads to another database", () =>
    Effect.gen(function* () {
      const { url } = yield* TestDatabase
      const done = yield* sweep(["migrate"], {
        DATABASE_URL: url,
        DATABASE_LISTEN_URL: url.replace(/\/[^/]*$/, "/postgres")
      })
      assert.strictEqual(done.code, 1, done.out)
      assert.include(done.err, "DATABASE_LISTEN_URL leads to another database than DATABASE_URL: to postgres instead")
    })
  )
})
