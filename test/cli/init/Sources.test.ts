/** `sweep init` says which secrets it takes from the environment, and keeps those of the files that it replaces. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { address } from "../../support/FakeChain.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import * as EnvFile from "../../../src/cli/init/EnvFile.ts"
import { sweepHere } from "../inProcess.ts"
import { sweep } from "../sweep.ts"

const OWNERS = ["--fee-recipient", address(0xf1), "--guard-owner", address(0x99)]
const BASE = ["--yes", "--chain", "8453", "--rpc", "8453=https://rpc.example.com/key", ...OWNERS]

const KEY = `0x${"11".repeat(32)}`
const DATABASE_URL = "postgres://sweep:secret@db.example.com/sweep"

const folder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped()
  const file = `${directory}/.env`
  const init = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
    withLiveClock(sweepHere(["init", "--directory", directory, ...BASE, ...args], env))
  const value = (name: string) =>
    Effect.map(fs.readFileString(file), (text) => EnvFile.valueOf(EnvFile.parse(text), name))
  return { directory, file, fs, init, value }
})

layer(BunServices.layer, { excludeTestServices: true })("the secrets of sweep init", (it) => {
  it.effect("are not those of the present folder for another one, unless the operator says so", () =>
    Effect.gen(function* () {
      const { directory, init, value } = yield* folder
      const env = { RELAYER_KEYS: KEY, DATABASE_URL }
      const { code, err } = yield* init([], env)
      assert.strictEqual(code, 0, err)
      assert.notStrictEqual(yield* value("RELAYER_KEYS"), KEY)
      assert.isUndefined(yield* value("DATABASE_URL"))
      assert.include(err, "RELAYER_KEYS and DATABASE_URL of the environment are left out")
      assert.include(err, `because ${directory} is another folder. Use --from-environment to take them over`)
      const taken = yield* init(["--force", "--from-environment"], env)
      assert.strictEqual(taken.code, 0, taken.err)
      assert.deepStrictEqual([yield* value("RELAYER_KEYS"), yield* value("DATABASE_URL")], [KEY, DATABASE_URL])
      assert.include(taken.err, "took RELAYER_KEYS and DATABASE_URL from the environment")
      assert.notInclude(err + taken.err, "secret")
    })
  )

  it.effect("are those of the environment in the present folder, and are named", () =>
    Effect.gen(function* () {
      const { directory, value } = yield* folder
      const { code, err } = yield* sweep(["init", ...BASE], { RELAYER_KEYS: KEY }, directory)
      assert.strictEqual(code, 0, err)
      assert.strictEqual(yield* value("RELAYER_KEYS"), KEY)
      assert.include(err, "took RELAYER_KEYS from the environment")
    })
  )

  it.effect("have new keys with --lanes, whatever the environment has", () =>
    Effect.gen(function* () {
      const { init, value } = yield* folder
      const { code, err, out } = yield* init(["--lanes", "3", "--from-environment"], { RELAYER_KEYS: KEY })
      assert.strictEqual(code, 0, err)
      assert.strictEqual((yield* value("RELAYER_KEYS"))?.split(",").length, 3)
      assert.notInclude(yield* value("RELAYER_KEYS"), KEY)
      assert.include(err, "RELAYER_KEYS of the environment is left out, because --lanes generates keys")
      assert.notInclude(out, "the accounts of RELAYER_KEYS")
    })
  )

  it.effect("stay those of a file that is replaced, with all that an operator added", () =>
    Effect.gen(function* () {
      const { file, fs, init, value } = yield* folder
      assert.strictEqual((yield* init([])).code, 0)
      const own = [
        "POSTGRES_PASSWORD",
        "ORCH_ADMIN_TOKEN",
        "BUILDER_ADMIN_TOKEN",
        "ADMIN_TOKEN",
        "ORCHESTRATOR_ADMIN_TOKEN"
      ]
      const before = yield* Effect.forEach(own, value)
      const keys = yield* value("RELAYER_KEYS")
      const added = "# Since May\nSECRETS_KEY='k=1'\nexport METRICS_TOKEN=\"a\nb\"\n"
      const text = (yield* fs.readFileString(file)).replace(
        "BUILDER_URL=http://127.0.0.1:8788",
        "BUILDER_URL=https://builder.example.com"
      )
      yield* fs.writeFileString(file, text + added)

      const { code, err } = yield* init(["--force"])
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(yield* Effect.forEach(own, value), before)
      assert.strictEqual(yield* value("BUILDER_URL"), "https://builder.example.com")
      const after = yield* fs.readFileString(file)
      assert.include(after, added)
      assert.match(err, /kept of the former \.env: POSTGRES_PASSWORD, ORCH_ADMIN_TOKEN, .*SECRETS_KEY, METRICS_TOKEN\n/)
      for (const secret of ["k=1", ...before]) assert.notInclude(err, secret ?? "none")
      assert.notStrictEqual(yield* value("RELAYER_KEYS"), keys)
      assert.include(err, "RELAYER_KEYS is new. The copy has the former keys, whose accounts may hold gas")

      // Nothing piles up.
      assert.strictEqual((yield* init(["--force"])).code, 0)
      const again = yield* fs.readFileString(file)
      assert.strictEqual(again.split("\n").length, after.split("\n").length, again)
    })
  )

  it.effect("include the database of a file that is replaced, and a missing twin of a token", () =>
    Effect.gen(function* () {
      const { file, fs, init, value } = yield* folder
      const url = "postgres://sweep:${DB_PASSWORD}@db.example.com/sweep"
      yield* fs.writeFileString(
        file,
        `DB_PASSWORD=secret\nDATABASE_URL=${url}\nADMIN_TOKEN=a-long-token-of-the-backend\n`
      )
      const { code, err } = yield* init(["--force"])
      assert.strictEqual(code, 0, err)
      assert.strictEqual(yield* value("DATABASE_URL"), url)
      assert.strictEqual(yield* value("DB_PASSWORD"), "secret")
      assert.isUndefined(yield* value("POSTGRES_PASSWORD"))
      assert.strictEqual(yield* value("BUILDER_ADMIN_TOKEN"), "a-long-token-of-the-backend")
      const text = yield* fs.readFileString(file)
      assert.isBelow(text.indexOf("DB_PASSWORD="), text.indexOf("DATABASE_URL="))
    })
  )

  it.effect("lead to no former database beside a new one", () =>
    Effect.gen(function* () {
      const { file, fs, init, value } = yield* folder
      const direct = "postgres://sweep:secret@direct.example.com/sweep"
      const dropped =
        "DATABASE_LISTEN_URL is left out, because DATABASE_URL is new. If that leads to a proxy, set DATABASE_LISTEN_URL to its database"
      const replaced = Effect.fnUntraced(function* (former: string, url: string) {
        yield* fs.writeFileString(file, `${former}DATABASE_LISTEN_URL=${direct}\n`)
        const { code, err } = yield* init(["--force", "--from-environment"], { DATABASE_URL: url })
        assert.strictEqual(code, 0, err)
        assert.notInclude(err, "secret")
        assert.strictEqual(err.includes(dropped), !/kept of.*DATABASE_LISTEN_URL/.test(err))
        return yield* value("DATABASE_LISTEN_URL")
      })
      const other = "postgres://sweep:secret@new.example.com/sweep"
      assert.isUndefined(yield* replaced(`DATABASE_URL=${DATABASE_URL}\n`, other))
      assert.isUndefined(yield* replaced("", other))
      assert.isUndefined(yield* replaced("DATABASE_URL=\n", other))
      assert.strictEqual(yield* replaced(`DATABASE_URL='${DATABASE_URL}'\n`, DATABASE_URL), direct)
      // Bun replaces the variables of the file that it reads.
      const variables = "DB_PASSWORD=secret\nHOST_OF_DB=db\n"
      const templated = `${variables}DATABASE_URL=postgres://sweep:\${DB_PASSWORD}@$HOST_OF_DB.example.com/sweep\n`
      assert.strictEqual(yield* replaced(templated, DATABASE_URL), direct)
      assert.isUndefined(yield* replaced(templated, other))
      // Without a new one.
      yield* fs.writeFileString(file, `${templated}DATABASE_LISTEN_URL=${direct}\n`)
      const { code, err } = yield* init(["--force"])
      assert.strictEqual(code, 0, err)
      assert.strictEqual(yield* value("DATABASE_LISTEN_URL"), direct)
    })
  )

  it.effect("are written so that every reader of the file sees the same", () =>
    Effect.gen(function* () {
      const { directory, fs, init } = yield* folder
      const env = { DATABASE_URL: "postgres://sweep:a$b@db.example.com/sweep?sslmode=require&application_name=x" }
      const unwritable = { ...env, RELAYER_KEYS: "keystore:/keys/$lane.json?passphrase=/keys/passphrase" }
      const refused = yield* init(["--from-environment"], unwritable)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "RELAYER_KEYS has a $, a ', a \\ or a line break")
      assert.deepStrictEqual(yield* fs.readDirectory(directory), [])
      const { code, err } = yield* init(["--from-environment"], env)
      assert.strictEqual(code, 0, err)
      assert.include(
        yield* fs.readFileString(`${directory}/.env`),
        "\nDATABASE_URL='postgres://sweep:a%24b@db.example.com/sweep?sslmode=require&application_name=x'\n"
      )
    })
  )
})
