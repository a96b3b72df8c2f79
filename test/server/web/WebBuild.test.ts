import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { publish } from "../../../src/server/web/WebBuild.ts"

const PROCESSES = 20
const FILES = 30

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "sweep-build-"))
})

afterEach(() => rm(root, { recursive: true, force: true }))

/** Writes a build whose files all have the same content. */
const build = async (name: string): Promise<string> => {
  const directory = join(root, name)
  await mkdir(directory)
  await Promise.all(Array.from({ length: FILES }, (_, index) => writeFile(join(directory, `${index}.js`), name)))
  return directory
}

describe("builds of the web app", () => {
  it("replace each other at once, and leave one of them whole", async () => {
    const output = join(root, "web")
    const fresh = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => build(`web-${index}`)))
    await Promise.all(fresh.map((directory) => publish(directory, output)))
    assert.deepStrictEqual(await readdir(root), ["web"])
    const names = await readdir(output)
    const contents = await Promise.all(names.map((name) => Bun.file(join(output, name)).text()))
    assert.lengthOf(contents, FILES)
    assert.lengthOf(new Set(contents), 1)
  })

  it("are in the place of an older build", async () => {
    const output = await build("web")
    await publish(await build("web-new"), output)
    assert.strictEqual(await Bun.file(join(output, "0.js")).text(), "web-new")
  })
})
