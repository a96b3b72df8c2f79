/** The published package: packed, unpacked into an empty project, imported by Node, and type-checked there. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import * as Project from "../examples/Project.ts"
import { effectMain, main, reactMain, rendering, venuesMain } from "./PackagePrograms.ts"

const run = async (command: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const { code, error, out } = await Project.run(command, { cwd })
  assert.strictEqual(code, 0, `${command.join(" ")}\n${out}${error}`)
  return out
}

describe("the package", () => {
  let directory = ""
  let project = ""
  let installed = ""

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-sdk-"))
    project = await Project.make(directory)
    installed = join(project, "node_modules", "token-sweep")
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const typeCheck = async (
    file: string,
    source: string,
    more: Readonly<Record<string, unknown>> = {}
  ): Promise<void> => {
    const { compilerOptions, files } = JSON.parse(Project.tsconfig([file]))
    await writeFile(join(project, file), source)
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...more }, files })
    )
    const { code, out } = await Project.typeCheck(project)
    assert.strictEqual(code, 0, out)
  }

  it("is packed by npm as it was here: code, types and papers, and nothing else", async () => {
    const listed = JSON.parse(await run(["npm", "pack", "--dry-run", "--json", "--ignore-scripts"], installed))
    const packed = [listed].flat()[0].files.map(({ path }: { readonly path: string }) => path)
    const unpacked = await Array.fromAsync(new Bun.Glob("**/*").scan({ cwd: installed }))
    assert.sameMembers(packed, unpacked)
    assert.includeMembers(packed, [
      "LICENSE",
      "README.md",
      "index.js",
      "venues.js",
      "arrivals.js",
      "effect.js",
      "react.js",
      "styles.css"
    ])
    for (const path of packed)
      assert.match(path, /^(LICENSE|README\.md|package\.json|styles\.css|[\w-]+\.js(\.map)?|types\/.+\.d\.ts)$/)
  })

  it("exports what the repository does, each entry with its types", async () => {
    const manifest = await Bun.file(join(installed, "package.json")).json()
    const inRepository = JSON.parse(JSON.stringify(manifest.exports).replaceAll('"./types', '"./dist/sdk/types'))
    for (const entry of Object.values<{ default: string }>(inRepository)) {
      entry.default = entry.default.replace("./", "./dist/sdk/")
    }
    assert.deepStrictEqual<unknown>(packageJson.exports, inRepository)
    assert.strictEqual(manifest.types, manifest.exports["."].types)
    assert.strictEqual(manifest.main, manifest.exports["."].default)
    for (const entry of Object.values<{ types: string; default: string }>(manifest.exports)) {
      for (const path of [entry.types, entry.default])
        assert.isTrue(await Bun.file(join(installed, path)).exists(), path)
    }
  })

  it("has viem as its only requirement", async () => {
    const manifest = await Bun.file(join(installed, "package.json")).json()
    assert.isUndefined(manifest.dependencies)
    assert.deepStrictEqual(Object.keys(manifest.peerDependencies), ["effect", "react", "react-dom", "viem"])
    const optional = { optional: true }
    assert.deepStrictEqual(manifest.peerDependenciesMeta, { effect: optional, react: optional, "react-dom": optional })
  })

  it("runs in plain Node, without effect", async () => {
    await writeFile(
      join(project, "main.mjs"),
      `import { createSweepClient, SweepError } from "token-sweep"
       const client = createSweepClient({ orchestratorUrl: "http://127.0.0.1:1" })
       const error = await client.portfolio("0x0000000000000000000000000000000000000001").catch((error) => error)
       console.log(error instanceof SweepError, error.code, Object.keys(client).join())`
    )
    const said = await run(["node", "main.mjs"], project)
    assert.include(said, "true network_error quote,reviewOrder,signSweep,submit,waitForIntent,sweep,")
  })

  /** The code that a bundler makes of what a page imports, without viem. */
  const bundled = async (imported: string, entry = "token-sweep"): Promise<string> => {
    const page = join(project, `${Bun.hash(imported + entry)}.js`)
    await writeFile(page, `export ${imported} from "${entry}"`)
    const { outputs } = await Bun.build({
      entrypoints: [page],
      target: "browser",
      minify: true,
      external: ["viem", "viem/*"]
    })
    return (await Promise.all(outputs.map((output) => output.text()))).join("")
  }

  /** Bundled and minified by Bun, then compressed by gzip at its default level. */
  it("is small, and holds nothing of effect", async () => {
    const [all, client, typedData] = await Promise.all(
      ["*", "{ createSweepClient }", "{ orderTypedData }"].map((imported) => bundled(imported))
    )
    if (all === undefined || client === undefined || typedData === undefined) return assert.fail("nothing was bundled")
    assert.notMatch(all, /from\s*"effect/)
    assert.isAtMost(Bun.gzipSync(all).byteLength, 15_450)
    assert.isAtMost(Bun.gzipSync(client).byteLength, 14_800)
    assert.isAtMost(Bun.gzipSync(typedData).byteLength, 6_000)
  })

  it("has readers for routers beside it, each by itself", async () => {
    const size = async (imported: string) => Bun.gzipSync(await bundled(imported, "token-sweep/venues")).byteLength
    assert.isAtMost(await size("*"), 3_750)
    assert.isAtMost(await size("{ VENUE_ROUTERS }"), 2_600)
    assert.isAtMost(await size("{ readUniswapV2Call }"), 600)
    // The main entry has none of them.
    assert.notInclude(await bundled("*"), "swapExactTokensForETH")
  })

  it("has the review of swaps on arrival beside it", async () => {
    const arrivals = await bundled("*", "token-sweep/arrivals")
    assert.isAtMost(Bun.gzipSync(arrivals).byteLength, 3_800)
    assert.notInclude(await bundled("*"), "swaps on arrival")
  })

  it("passes publint, and resolves with its types in Node and in bundlers", async () => {
    const tool = (name: string) => join(Project.root, "node_modules", ".bin", name)
    await run([tool("publint"), "--strict", "--pack", "false", installed], project)
    await run([tool("attw"), await Project.archive(), "--profile", "esm-only"], project)
  })

  it("type-checks in a project of its own", () => typeCheck("main.ts", main))

  it("type-checks with routers and readers of its own", () => typeCheck("venues.ts", venuesMain))

  describe("for React", () => {
    beforeAll(async () => {
      const modules = join(project, "node_modules")
      await mkdir(join(modules, "@types"))
      await Promise.all(
        ["react", "react-dom", "@types/react"].map((name) =>
          symlink(join(Project.root, "node_modules", name), join(modules, name))
        )
      )
    })

    it("type-checks as an app resolves it, in Node and in bundlers", async () => {
      await typeCheck("app.tsx", reactMain, { jsx: "react-jsx" })
      await typeCheck("app.tsx", reactMain, { jsx: "react-jsx", module: "ESNext", moduleResolution: "Bundler" })
    })

    it("renders the widget and the hooks, with a rule for every class", async () => {
      await writeFile(join(project, "render.mjs"), rendering)
      const page = await run(["node", "render.mjs"], project)
      assert.include(page, "loading idle")
      assert.include(page, "Loading</p>")
      const styles = await Bun.file(join(installed, "styles.css")).text()
      const classes = new Set([...page.matchAll(/class="([^"]+)"/g)].flatMap(([, names]) => (names ?? "").split(" ")))
      assert.isAbove(classes.size, 3)
      for (const name of classes) {
        assert.include(styles, `.${name.replace(/[^\w-]/g, "\\$&")}`)
      }
    })

    it("shares its errors and its client with the main entry", async () => {
      const code = await Bun.file(join(installed, "react.js")).text()
      assert.match(code, /from"\.\/index\.js"/)
      assert.match(code, /^"use client"/)
      assert.notMatch(code, /from"(?!\.\/index\.js|react|viem)/)
      assert.notMatch(code, /malformed response|no response from|the id is unknown/, "errors of its own")
    })
  })

  it("has an Effect API beside it", async () => {
    await symlink(join(Project.root, "node_modules", "effect"), join(project, "node_modules", "effect"))
    await typeCheck("effect.ts", effectMain)
    await writeFile(
      join(project, "effect.mjs"),
      `import { SweepApi } from "token-sweep/effect"; console.log(typeof SweepApi.layer)`
    )
    assert.strictEqual((await run(["node", "effect.mjs"], project)).trim(), "function")
  })
})
