/** The published package: packed, unpacked into an empty project, imported by Node, and type-checked there. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import * as Project from "../examples/Project.ts"

const run = async (command: ReadonlyArray<string>, cwd: string): Promise<string> => {
  const { code, error, out } = await Project.run(command, { cwd })
  assert.strictEqual(code, 0, `${command.join(" ")}\n${out}${error}`)
  return out
}

const main = `
import {
  createSweepClient,
  IdempotencyKeyInUseError,
  OrderMismatchError,
  QuoteUnavailableError,
  RateLimitedError,
  type SweepReview,
  type SweepSigner
} from "token-sweep"
import { createWalletClient, http } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { base } from "viem/chains"

const account = privateKeyToAccount(\`0x\${"11".repeat(32)}\`)
export const signer: SweepSigner = account
const client = createSweepClient({
  orchestratorUrl: "https://sweep.test",
  nodes: { 8453: "https://node.test" },
  retry: { attempts: 2 },
  newIdempotencyKey: () => "a key"
})

export const sweep = async (show: (review: SweepReview) => boolean): Promise<string | undefined> => {
  try {
    const result = await client.sweep(
      { owner: account.address, tokenIn: account.address, amountIn: 1n, tokenOut: account.address, destChainId: 8453 },
      account,
      { confirm: show, signal: AbortSignal.timeout(1000), onProgress: ({ status }) => console.log(status) }
    )
    return result?.intent.txHash
  } catch (error) {
    if (error instanceof IdempotencyKeyInUseError) return error.code satisfies "idempotency_key_in_use"
    if (error instanceof RateLimitedError) return String(error.retryAfterSeconds)
    if (error instanceof QuoteUnavailableError) return error.code satisfies "quote_unavailable"
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field).join()
    throw error
  }
}

export const revoke = (): Promise<string> =>
  client.revokeDelegation({
    owner: account,
    sender: createWalletClient({ account, chain: base, transport: http() }),
    chainId: 8453
  })
// @ts-expect-error amounts are bigint
client.quote({ owner: account.address, tokenIn: account.address, amountIn: 1, tokenOut: account.address, destChainId: 1 })
`

const venuesMain = `
import { createSweepClient, type ReviewOptions } from "token-sweep"
import { readUniswapV2Call, type Routers, type SwapReader, VENUE_ROUTERS, venueRouters } from "token-sweep/venues"

const own: SwapReader = (target, calldata) => (calldata === "0x" ? undefined : readUniswapV2Call(target, calldata))
const routers: Routers = { ...VENUE_ROUTERS[8453], "0x4200000000000000000000000000000000000006": own }
export const all: ReviewOptions = { routers: venueRouters({ trustAggregators: true }) }
export const client = createSweepClient({
  orchestratorUrl: "https://sweep.test",
  review: { routers: { ...VENUE_ROUTERS, 8453: routers, 99: "0x4200000000000000000000000000000000000006" } }
})
`

const effectMain = `
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { SweepApi } from "token-sweep/effect"

export const program = Effect.gen(function* () {
  const sweeps = yield* SweepApi
  return yield* sweeps.api.system.liveness()
}).pipe(Effect.provide(SweepApi.layer({ orchestratorUrl: "https://sweep.test" })), Effect.provide(FetchHttpClient.layer))
`

const reactMain = `
import { useMemo } from "react"
import { createSweepClient, type BatchReview, type SweepSigner } from "token-sweep"
import { type SweepState, SweepWidget, type SweepWidgetProps, usePortfolio, useSweep } from "token-sweep/react"
import "token-sweep/react/styles.css"

const review: SweepWidgetProps["review"] = { delegates: {}, maxFeeBps: 200 }
const labelOf = (state: SweepState): string => (state.step === "review" ? String(state.review.legs.length) : state.step)

export const Page = ({ signer }: { readonly signer: SweepSigner }) => {
  const client = useMemo(() => createSweepClient({ orchestratorUrl: "https://sweep.test" }), [])
  const { portfolio, reload } = usePortfolio(client, signer.address)
  const { confirm, start, state } = useSweep(client)
  const begin = () => start({ request: { owner: signer.address, token: signer.address, to: { chainId: 8453 } }, signer })
  const sign = (chosen: BatchReview) => confirm(chosen)
  return (
    <main>
      <button onClick={begin}>{labelOf(state)}</button>
      {state.step === "review" && <button onClick={() => sign(state.review)}>Sign</button>}
      <button onClick={reload}>{portfolio?.tokens.map(({ symbol }) => symbol).join()}</button>
      <SweepWidget orchestratorUrl="https://sweep.test" review={review} onDelivered={({ id }) => console.log(id)} />
      {/* @ts-expect-error the widget needs a service */}
      <SweepWidget />
    </main>
  )
}
`

const rendering = `
import { createElement } from "react"
import { renderToString } from "react-dom/server"
import { createSweepClient } from "token-sweep"
import { SweepWidget, usePortfolio, useSweep } from "token-sweep/react"

const orchestratorUrl = "http://127.0.0.1:1"
const client = createSweepClient({ orchestratorUrl })
const Own = () => {
  const { isLoading } = usePortfolio(client, "0x0000000000000000000000000000000000000001")
  return createElement("p", null, (isLoading ? "loading " : "loaded ") + useSweep(client).state.step)
}
const account = { address: "0x0000000000000000000000000000000000000001" }
console.log(renderToString(createElement("div", null, createElement(Own), createElement(SweepWidget, {
  orchestratorUrl, signer: account
}))))
`

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
    assert.isAtMost(Bun.gzipSync(all).byteLength, 13_000)
    assert.isAtMost(Bun.gzipSync(client).byteLength, 12_400)
    assert.isAtMost(Bun.gzipSync(typedData).byteLength, 6_000)
  })

  it("has readers for routers beside it, each by itself", async () => {
    const size = async (imported: string) => Bun.gzipSync(await bundled(imported, "token-sweep/venues")).byteLength
    assert.isAtMost(await size("*"), 3_100)
    assert.isAtMost(await size("{ VENUE_ROUTERS }"), 2_200)
    assert.isAtMost(await size("{ readUniswapV2Call }"), 900)
    // The main entry has none of them.
    assert.notInclude(await bundled("*"), "swapExactTokensForETH")
  })

  it("passes publint, and resolves with its types in Node and in bundlers", async () => {
    const tool = (name: string) => join(Project.root, "node_modules", ".bin", name)
    await run([tool("publint"), "--strict", "--pack", "false", installed], project)
    const archive = join(directory, "build", `${packageJson.name}-${packageJson.version}.tgz`)
    await run([tool("attw"), archive, "--profile", "esm-only"], project)
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
