/**
 * The code of the quickstart, run as it is pasted, against the local network: by an integrator's Node, browser and MCP client. The
 * service then has seen each step of the builder.
 */
import { mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, FileSystem, Layer } from "effect"
import type { DeploymentView } from "../../src/api/builder/DeploymentApi.ts"
import type { Builder } from "../../src/domain/Builder.ts"
import type { Milestones } from "../../src/domain/Milestones.ts"
import { type Snippet, snippets } from "../../src/web/dashboard/quickstart/snippets.ts"
import * as PageServer from "../examples/PageServer.ts"
import * as Project from "../examples/Project.ts"
import { Services } from "../support/Services.ts"
import * as Browser from "../web/Browser.ts"
import { ask, patch, signUp, until } from "./BuilderScene.ts"

/** A builder with a markup, its project, and the code that its quickstart shows. */
class Quickstart extends Context.Service<
  Quickstart,
  {
    readonly apiKey: string
    readonly builder: Builder
    readonly directory: string
    readonly milestones: Effect.Effect<Milestones>
    readonly snippet: (name: Snippet["name"]) => Snippet
  }
>()("sweep/test/Quickstart") {
  static readonly layer = Layer.effect(
    Quickstart,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { info } = yield* Services
      const { apiKey, cookie, id } = yield* signUp(info)
      yield* patch(info, id, { builderBps: 30, maxBuilderBps: 100 })
      const get = <A>(path: string) =>
        Effect.map(ask<A>(`${info.builderUrl}${path}`, { cookie }), ({ answer }) => answer)
      const builder = yield* get<Builder>("/me")
      const deployment = yield* get<DeploymentView>("/deployment")
      const shown = snippets({ apiKey, builder, deployment, builderUrl: info.builderUrl })
      const made = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-quickstart-" })
      const directory = yield* Effect.promise(() => Project.make(made))
      return Quickstart.of({
        apiKey,
        builder,
        directory,
        milestones: get<Milestones>("/me/milestones"),
        snippet: (name) => shown.find((each) => each.name === name) ?? assert.fail(`no code for ${name}`)
      })
    })
  ).pipe(Layer.provide(BunServices.layer), Layer.orDie)
}

/** Runs a program as its note says, with an account that holds every token. */
const runs = Effect.fnUntraced(function* (name: Snippet["name"], account: number) {
  const { apiKey, directory, snippet } = yield* Quickstart
  const { info } = yield* Services
  const { code, file } = snippet(name)
  const cwd = join(directory, name)
  yield* Effect.promise(() => Bun.write(join(cwd, file), code))
  const env = { OWNER_KEY: info.accounts[account]?.privateKey ?? "", SWEEP_API_KEY: apiKey }
  const ran = yield* Effect.promise(() => Project.run(["node", file], { cwd, env }))
  assert.strictEqual(ran.code, 0, `${ran.out}${ran.error}`)
  assert.match(ran.out, /delivered 0x[0-9a-f]{64}/)
  return ran.out
})

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title></head>
  <body><script type="module" src="./main.tsx"></script></body></html>`

/** The widget's peers in the project, as a package manager puts them there. */
const withReact = async (directory: string) => {
  await mkdir(join(directory, "node_modules", "@types"), { recursive: true })
  await Promise.all(
    ["react", "react-dom", "@types/react", "@types/react-dom"].map((name) =>
      symlink(join(Project.root, "node_modules", name), join(directory, "node_modules", name))
    )
  )
}

const live = { excludeTestServices: true, timeout: "5 minutes" } as const

layer(Quickstart.layer.pipe(Layer.provideMerge(Services.layer())), live)("the quickstart's code", (it) => {
  it.effect("for MCP gives a client tools that know the builder, and quote for it", () =>
    Effect.gen(function* () {
      const { builder, milestones, snippet } = yield* Quickstart
      const { info } = yield* Services
      const { args, command, env } = JSON.parse(snippet("MCP").code).mcpServers["token-sweep"]
      const client = new Client({ name: "quickstart", version: "1" })
      const PATH = `${Project.root}:${process.env["PATH"]}`
      yield* Effect.acquireRelease(
        Effect.promise(() =>
          client.connect(new StdioClientTransport({ command, args, env: { PATH, ...env }, stderr: "ignore" }))
        ),
        () => Effect.promise(() => client.close())
      )
      const call = (name: string, given: Record<string, unknown>) =>
        Effect.promise(() => client.callTool({ name, arguments: given }))
      const attributed = yield* call("attribute", {})
      assert.strictEqual(Reflect.get(Object(attributed.structuredContent), "builderId"), builder.id)
      assert.isUndefined((yield* milestones).firstQuoteAtMs, "a key that is tried quotes nothing")
      const [chain] = info.chains
      const quoted = yield* call("get_quote", {
        owner: info.accounts[3]?.address,
        tokenIn: chain?.tokens["DAI"]?.address,
        amountIn: `${25n * 10n ** 18n}`,
        tokenOut: chain?.tokens["USDC"]?.address,
        destination: info.accounts[3]?.address,
        destChainId: chain?.id,
        tier: "tier1",
        subscriptionActive: false,
        userId: "agent"
      })
      const quote = Reflect.get(Object(quoted.structuredContent), "quote")
      assert.strictEqual(Reflect.get(Object(quote), "builderId"), builder.id, JSON.stringify(quoted))
      const seen = yield* until(({ firstQuoteAtMs }) => firstQuoteAtMs !== undefined, milestones)
      assert.isUndefined(seen.firstDeliveryAtMs)
      assert.isUndefined(seen.firstEarningAtMs)
    }).pipe(Effect.scoped)
  )

  it.effect("for HTTP sweeps in plain Node, and the sweep and the earning are seen", () =>
    Effect.gen(function* () {
      const { milestones } = yield* Quickstart
      yield* runs("HTTP", 4)
      const seen = yield* until(
        ({ firstDeliveryAtMs, firstEarningAtMs }) => firstDeliveryAtMs !== undefined && firstEarningAtMs !== undefined,
        milestones
      )
      assert.sameMembers(Object.keys(seen), [
        "keyCreatedAtMs",
        "firstQuoteAtMs",
        "firstDeliveryAtMs",
        "firstEarningAtMs"
      ])
    })
  )

  it.effect("for the client sweeps in plain Node", () =>
    Effect.gen(function* () {
      const out = yield* runs("SDK", 5)
      assert.match(out, /fees \d+, yours [1-9]\d*, receive at least \d+/)
    })
  )

  it.effect("for the widget type-checks, and shows the widget in a real browser", () =>
    Effect.gen(function* () {
      const { directory, snippet } = yield* Quickstart
      const { code, file } = snippet("Widget")
      const at = join(directory, "widget")
      yield* Effect.promise(async () => {
        await withReact(directory)
        await Bun.write(join(at, file), code)
        await Bun.write(join(at, "index.html"), PAGE)
        const settings = JSON.parse(Project.tsconfig([file]))
        const compilerOptions = {
          ...settings.compilerOptions,
          jsx: "react-jsx",
          module: "ESNext",
          moduleResolution: "Bundler"
        }
        await Bun.write(join(at, "tsconfig.json"), JSON.stringify({ ...settings, compilerOptions }))
      })
      const checked = yield* Effect.promise(() => Project.typeCheck(at))
      assert.strictEqual(checked.code, 0, checked.out)
      const url = yield* PageServer.serve(join(at, "index.html"))
      const browser = yield* Browser.open
      yield* Effect.promise(async () => {
        const page = await Browser.newPage(browser)
        const troubles: Array<string> = []
        page.on("pageerror", (error) => troubles.push(error.message))
        await page.goto(url)
        await page.getByText("No wallet was found in this browser").waitFor()
        assert.deepStrictEqual(troubles, [])
      })
    }).pipe(Effect.scoped)
  )
})
