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

/** Files as people write them, of the variables X, Y and Z. */
const WRITTEN = [
  "X=1\nY=2\nX=3\n",
  "X= # set me\nY=\nZ=#\n",
  "X=a#b\nY = a b # c\nZ==a=b\n",
  'X="abc\nY=1\n',
  "X='abc\nY=1",
  "X='a\\'\nY=1\n",
  "X='",
  'X="a"#b\nY="a" # b\nZ="a"b\n',
  "X='a'b'\nY='a#b'\nZ=`a \"b\"` c\n",
  'X="a\nb" # c\nY=1\n',
  'X="a\n\nY="b"\n',
  "X=\"a\\nb\\\"c\"\nY='a\\nb\\'c'\nZ=a\\nb\n",
  'X=`a\\nb\\tc`\nY="a\\\\"\nZ="\\r"\n',
  "X=a\r\r\nY=b\rZ=c\r",
  "\rX=a\r\nY='b'\r\n\r\nZ=\r\n",
  "# X=1\r#Y=1\n \t Y=2\n",
  "X=\n  'a'\nY=\n\nZ=1\n",
  "export X=1\nexport\tY=2\nexportZ=3\n",
  "X\nY Z=1\nno setting X=1\nexport Z\nY=2\n",
  "X: a\nY:b\nZ : 'c' # d\n"
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

  it.effect("has the value that Bun reads, however people write it", () =>
    Effect.forEach(
      WRITTEN,
      Effect.fnUntraced(function* (text) {
        const fs = yield* FileSystem.FileSystem
        const cwd = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${cwd}/.env`, text)
        const names = ["X", "Y", "Z"]
        const inBun = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name] || null)))`
        const lines = EnvFile.parse(text)
        assert.deepStrictEqual(
          names.map((name) => EnvFile.valueOf(lines, name) ?? null),
          JSON.parse(yield* output(cwd, process.execPath, ["-e", inBun])),
          JSON.stringify(text)
        )
        // The lines that stay in a new file keep their values.
        const again = EnvFile.parse(lines.map((line) => line.text).join("\n"))
        for (const name of names) assert.strictEqual(EnvFile.valueOf(again, name), EnvFile.valueOf(lines, name), text)
      }),
      { concurrency: 4 }
    )
  )

  it.effect("names other settings of the file as for Bun", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cwd = yield* fs.makeTempDirectoryScoped()
      const text = "A=1\nB='b b'\nX=$A-${B}-\\$A-$A.x\n"
      yield* fs.writeFileString(`${cwd}/.env`, text)
      const inBun = yield* output(cwd, process.execPath, ["-e", `console.log(process.env["X"])`])
      assert.strictEqual(`${EnvFile.expandedValueOf(EnvFile.parse(text), "X")}\n`, inBun)
      assert.strictEqual(EnvFile.expandedValueOf(EnvFile.parse("X=$NONE"), "X"), "$NONE")
    })
  )

  it("ends at every kind of line break", () => {
    for (const text of ["A=1\r", "A=1\r\r\n", "\rA=1", "\r\rA=1\r\r"]) {
      const lines = EnvFile.parse(text)
      assert.strictEqual(EnvFile.valueOf(lines, "A"), "1", JSON.stringify(text))
    }
  })

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
        ["D", "p"],
        [undefined, ""],
        ["A", "last"]
      ]
    )
    assert.strictEqual(lines[2]?.text, "export A = 'x y' # why")
    assert.strictEqual(EnvFile.valueOf(lines, "A"), "last")
    assert.isUndefined(EnvFile.valueOf(lines, "E"))
  })
})
