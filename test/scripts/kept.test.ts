/** Results are reused for the same inputs, and made again for others. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { reuseOrMake, stampOf } from "../../scripts/kept.ts"

let root: string
let made: Array<string>

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sweep-kept-"))
  made = []
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Wants the result of `stamp` in `name`, which is a file that holds the stamp. Resolves with the content that is there then. */
const want = async (name: string, stamp: string): Promise<string> => {
  const output = join(root, name)
  await reuseOrMake({
    kept: join(root, "kept"),
    stamp,
    output,
    make: async () => {
      assert.isFalse(existsSync(output))
      write(`${name}/deep/file`, stamp)
      made.push(name)
    }
  })
  return readFileSync(join(output, "deep/file"), "utf8")
}

describe("a kept result", () => {
  it("is copied while its stamp is the same", async () => {
    assert.deepStrictEqual([await want("one", "a"), await want("two", "a")], ["a", "a"])
    assert.deepStrictEqual(made, ["one"])
  })

  it("is made again for another stamp, and takes the place of the other", async () => {
    assert.deepStrictEqual([await want("one", "a"), await want("two", "b"), await want("three", "b")], ["a", "b", "b"])
    assert.deepStrictEqual(made, ["one", "two"])
    assert.deepStrictEqual(readdirSync(join(root, "kept")), ["b"])
  })

  it("is not kept if it cannot be made", async () => {
    const output = join(root, "one")
    const failing = {
      kept: join(root, "kept"),
      stamp: "a",
      output,
      make: () => Promise.reject(new Error("no compiler"))
    }
    const error = await reuseOrMake(failing).catch(String)
    assert.strictEqual(error, "Error: no compiler")
    assert.strictEqual(await want("two", "a"), "a")
    assert.deepStrictEqual(made, ["two"])
  })

  it("is made where nothing can be kept", async () => {
    write("kept", "a file")
    assert.strictEqual(await want("one", "a"), "a")
  })

  it("is whole for all that want it at the same time", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `at-once-${index}`)
    assert.deepStrictEqual(new Set(await Promise.all(names.map((name) => want(name, "a")))), new Set(["a"]))
    assert.deepStrictEqual(readdirSync(join(root, "kept")), ["a"])
  })
})

describe("a stamp", () => {
  it.each([
    ["content", () => write("src/a.ts", "2")],
    ["a new file", () => write("src/deep/b.ts", "1")],
    ["a name", () => (rmSync(join(root, "src/a.ts")), write("src/b.ts", "1"))]
  ])("changes with %s", async (_, change) => {
    write("src/a.ts", "1")
    write("README.md", "1")
    const stamp = () => stampOf(root, ["src/**/*.ts"])
    const before = await stamp()
    write("README.md", "2")
    assert.strictEqual(await stamp(), before)
    change()
    assert.notStrictEqual(await stamp(), before)
  })
})
