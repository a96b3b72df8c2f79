/** Tests beside the gate say what they lack, and what they do not know. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sweep } from "./sweep.ts"

layer(BunServices.layer, { excludeTestServices: true })("sweep test", (it) => {
  it.effect("image: says what is missing, and is no failure, where there are no containers", () =>
    Effect.gen(function* () {
      const { code, out } = yield* sweep(["test", "image"], { PATH: "/nowhere" })
      assert.strictEqual(code, 0)
      assert.match(out, /^image: left out\. Missing here: podman, buildah, runc/)
    })
  )

  it.effect("operate: says what to install", () =>
    Effect.gen(function* () {
      const { code, err } = yield* sweep(["test", "operate"], { PATH: "/nowhere" })
      assert.strictEqual(code, 1)
      assert.include(err, "pg_dump is not installed. Install PostgreSQL with its client")
      assert.include(err, "the test `operate` failed, see above")
    })
  )

  for (const [name, needed] of [
    ["pgbouncer", "pgbouncer is not installed. Install PgBouncer"],
    ["redis", "neither redis-server nor valkey-server is installed. Install Redis 7 or Valkey"]
  ] as const) {
    it.effect(`${name}: says what to install`, () =>
      Effect.gen(function* () {
        const { code, err } = yield* sweep(["test", name], { PATH: "/nowhere" })
        assert.strictEqual(code, 1)
        assert.include(err, needed)
      })
    )
  }

  it.effect("postgres: names the versions that it knows", () =>
    Effect.gen(function* () {
      const { code, err } = yield* sweep(["test", "postgres", "--versions", "15,9"])
      assert.strictEqual(code, 1)
      assert.include(err, "no binaries are known of PostgreSQL 9. Known: 15, 16, 17, 18")
      assert.include(err, "the test `postgres` failed, see above")
    })
  )
})
