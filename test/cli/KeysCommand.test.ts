/** `sweep keys`: keystores are made, imported and checked. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { sweepHere } from "./inProcess.ts"

const KEY = `0x${"11".repeat(32)}` as const
const ACCOUNT = privateKeyToAccount(KEY).address

const scene = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* fs.makeTempDirectoryScoped()
  return { fs, at: (name: string) => path.join(directory, name) }
})

layer(BunServices.layer, { excludeTestServices: true })("sweep keys", (it) => {
  it.effect("new makes a keystore and its passphrase, for the owner only, and touches no file that is there", () =>
    Effect.gen(function* () {
      const { at, fs } = yield* scene
      const make = sweepHere(["keys", "new", at("a.json"), "--passphrase-file", at("a.pass")])
      const made = yield* make
      assert.strictEqual(made.code, 0, made.err)
      assert.strictEqual(made.out, `keystore:${at("a.json")}?passphrase=${at("a.pass")}\n`)
      for (const file of ["a.json", "a.pass"]) {
        assert.strictEqual((yield* fs.stat(at(file))).mode & 0o777, 0o600)
      }
      const before = yield* fs.readFileString(at("a.json"))
      const again = yield* make
      assert.strictEqual(again.code, 1)
      assert.include(again.err, "exists already")
      assert.strictEqual(yield* fs.readFileString(at("a.json")), before)
    })
  )

  it.effect("import, address and check go from a private key to a lane that signs", () =>
    Effect.gen(function* () {
      const { at, fs } = yield* scene
      yield* fs.writeFileString(at("old.key"), `${KEY.slice(2)}\n`)
      yield* fs.writeFileString(at("pass"), "open sesame\n", { mode: 0o600 })
      const files = ["--passphrase-file", at("pass"), "--key-file", at("old.key")]
      const imported = yield* sweepHere(["keys", "import", at("b.json"), ...files])
      assert.strictEqual(imported.code, 0, imported.err)
      assert.notInclude(imported.out + imported.err, KEY.slice(2))
      const setting = imported.out.trim()
      assert.strictEqual((yield* sweepHere(["keys", "address", setting])).out, `${ACCOUNT}\n`)
      const checked = yield* sweepHere(["keys", "check"], { RELAYER_KEYS: setting, VAULT_KEY: KEY })
      assert.strictEqual(checked.code, 0, checked.err)
      assert.match(checked.out, new RegExp(`RELAYER_KEYS +keystore:.+ ${ACCOUNT} +signs`))
      assert.match(checked.out, new RegExp(`VAULT_KEY +raw +${ACCOUNT} +signs`))
      assert.notInclude(checked.out, KEY.slice(2))
      yield* fs.chmod(at("b.json"), 0o644)
      yield* fs.writeFileString(at("pass"), "wrong")
      const wrong = yield* sweepHere(["keys", "check", "--json"], { RELAYER_KEYS: setting })
      assert.strictEqual(wrong.code, 1)
      assert.deepStrictEqual(JSON.parse(wrong.out)[0].problems, [
        `${at("b.json")} can be read by others. Run: chmod 600 ${at("b.json")}`,
        `the passphrase of the keystore ${at("b.json")} is wrong`
      ])
    })
  )

  it.effect("address takes no private key", () =>
    Effect.gen(function* () {
      const { code, err } = yield* sweepHere(["keys", "address", KEY])
      assert.strictEqual(code, 1)
      assert.include(err, "visible to others")
      assert.notInclude(err, KEY)
    })
  )
})
