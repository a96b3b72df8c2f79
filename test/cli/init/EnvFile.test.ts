/** Values of `.env` are the same for Bun and for a shell. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as EnvFile from "../../../src/cli/init/EnvFile.ts"

/** Output of a program in a folder, with no variable but the path. */
const output = Effect.fnUntraced(function* (cwd: string, command: string, args: ReadonlyArray<string>) {
  const handle = yield* ChildProcess.make(command, args, {
    cwd,
    stdin: "ignore",
    extendEnv: false,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/home", x: "replaced" }
  })
  return yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
}, Effect.scoped)

const VALUES = [
  "plain",
  "",
  "postgres://sweep:p%24x@db.example.com:5432/sweep?sslmode=require&application_name=a#b",
  'two words; `date` "quoted" (x) <y> | z & * ? [a] {b} ! ~ #',
  "keystore:/keys/lane.json?passphrase=/keys/pass word,awskms:arn:aws:kms:eu:1:key/2",
  "a:~/b",
  "ünicode"
]

layer(BunServices.layer, { excludeTestServices: true })("a line of .env", (it) => {
  it.effect("has the same value for Bun, for a shell, and for a later init", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cwd = yield* fs.makeTempDirectoryScoped()
      const text = VALUES.map((value, index) => `${EnvFile.assignment(`V${index}`, value)}\n`).join("")
      yield* fs.writeFileString(`${cwd}/.env`, text)
      const names = VALUES.map((_, index) => `V${index}`)
      const inBun = `console.log(${JSON.stringify(names)}.map((name) => process.env[name]).join("\\n"))`
      const inShell = `set -a; . ./.env; printf '%s\\n' ${names.map((name) => `"$${name}"`).join(" ")}`
      const expected = `${VALUES.join("\n")}\n`
      assert.strictEqual(yield* output(cwd, process.execPath, ["-e", inBun]), expected)
      assert.strictEqual(yield* output(cwd, "/bin/sh", ["-c", inShell]), expected)
      assert.deepStrictEqual(
        EnvFile.parse(text).map(({ value }) => value),
        VALUES
      )
      assert.isTrue(VALUES.every(EnvFile.isWritable))
    })
  )

  it("is not written if its readers differ", () => {
    for (const value of ["p$x", "it's", "a\\", "a\nb"]) assert.isFalse(EnvFile.isWritable(value), value)
  })

  it("takes a URL without the characters of shells, which means the same", () => {
    const url = EnvFile.plainUrl("postgres://sweep:a$b'c`d\"e f@db/sweep?x=1&y=2")
    assert.strictEqual(url, "postgres://sweep:a%24b%27c%60d%22e%20f@db/sweep?x=1&y=2")
    assert.strictEqual(decodeURIComponent(new URL(url).password), "a$b'c`d\"e f")
    assert.isTrue(EnvFile.isWritable(url))
  })

  it("is read as operators write it", () => {
    const text = "# note\n\nexport A = 'x y' # why\r\nB=plain # why\nC=\"two\nlines\"\nD=p#q\nnonsense\nA=last"
    const lines = EnvFile.parse(text)
    assert.deepStrictEqual(
      lines.map(({ name, value }) => [name, value]),
      [
        [undefined, ""],
        [undefined, ""],
        ["A", "x y"],
        ["B", "plain"],
        ["C", "two\nlines"],
        ["D", "p#q"],
        [undefined, ""],
        ["A", "last"]
      ]
    )
    assert.strictEqual(lines[2]?.text, "export A = 'x y' # why")
    assert.strictEqual(EnvFile.valueOf(lines, "A"), "last")
    assert.isUndefined(EnvFile.valueOf(lines, "E"))
  })
})
