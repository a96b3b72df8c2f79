/** Whether what the guides say is so: links, JSON, routes, settings, commands, alerts and vectors. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import authorizations from "../vectors/authorization.json"
import orders from "../vectors/sweep-order.json"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"
import { projectRoot } from "../../src/cli/Project.ts"
import { documented } from "../../src/config/Settings.ts"
import { anchors, codeBlocks, documents, guides, prose, read } from "./Markdown.ts"

const LINK = /\]\(([^)\s]+)\)/g

const linksOf = (file: string) => [...prose(file).matchAll(LINK)].map(([, target = ""]) => target)

const isLocal = (target: string) => !/^[a-z]+:/.test(target)

describe.each(documents)("%s", (file) => {
  it("links to what there is", () => {
    for (const target of linksOf(file).filter(isLocal)) {
      const [path = "", anchor] = target.split("#")
      const found = path === "" ? file : normalize(join(dirname(file), path))
      assert.isTrue(existsSync(join(projectRoot, found)), `${file} links to ${target}`)
      if (anchor !== undefined) assert.isTrue(anchors(found).has(anchor), `${file} links to ${target}`)
    }
  })

  it("has JSON that parses", () => {
    for (const { code, language } of codeBlocks(file)) {
      if (language === "json") JSON.parse(code)
    }
  })
})

const routes = new Set(
  [OpenApi.fromApi(OrchestratorApi), OpenApi.fromApi(BuilderApi)].flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`)
    )
  )
)

const settings = new Set(documented.flatMap((group) => group.settings.map(({ name }) => name)))

/** Looks like a setting, and is none. */
const NOT_SETTINGS = new Set(["POSTGRES_PASSWORD", "SIGTERM"])

const help = (...args: ReadonlyArray<string>) => {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, "src/main.ts", ...args, "--help"], { cwd: projectRoot })
  return exitCode === 0 ? stdout.toString() : ""
}

describe.each([...guides, "llms.txt"])("%s", (file) => {
  it("names routes that exist", () => {
    for (const [, method = "", path = ""] of read(file).matchAll(/`(GET|POST|PATCH|PUT|DELETE) (\/[^`\s?]*)[^`]*`/g)) {
      const route = `${method} ${path.replaceAll(/:\w+/g, "*")}`
      assert.isTrue(routes.has(route), `${file}: ${route}`)
    }
  })

  it("names settings that exist", () => {
    for (const [, name = ""] of read(file).matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`/g)) {
      assert.isTrue(settings.has(name) || NOT_SETTINGS.has(name), `${file}: ${name}`)
    }
  })

  it("shows commands that exist", () => {
    const commands = [...read(file).matchAll(/\.\/sweep ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)((?: --[a-z-]+)*)/g)]
    for (const [, command = "", flags = ""] of commands) {
      const [first = "", second] = command.split(" ")
      const group = help(first)
      assert.notStrictEqual(group, "", `${file}: sweep ${first}`)
      const isSubcommand = second !== undefined && new RegExp(`^  ${second} `, "m").test(group)
      const text = isSubcommand ? help(first, second) : group
      for (const flag of flags.trim().split(/ +/).filter(Boolean)) {
        assert.include(text, flag, `${file}: sweep ${command} ${flag}`)
      }
    }
  })
})

const sources = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(projectRoot, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(projectRoot, directory, name), "utf8"))

describe("the list of alerts", () => {
  it("is the alerts that the services raise", () => {
    const raised = [...sources("src/orchestrator"), ...sources("src/builder")].flatMap((source) =>
      /severity: "(?:critical|warning)"/.test(source)
        ? [...source.matchAll(/(?:kind: |alertConflict\()"([a-z_]+)"/g)].map(([, kind]) => kind)
        : []
    )
    const table = read("docs/operations.md").split("## Alerts")[1]?.split("\n## ")[0] ?? ""
    const listed = [...table.matchAll(/^\| `([a-z_]+)`/gm)].map(([, kind]) => kind)
    const sorted = (kinds: ReadonlyArray<string | undefined>) => [...new Set(kinds)].toSorted()
    assert.deepStrictEqual(sorted(listed), sorted(raised), "the alerts in docs/operations.md")
  })
})

describe("the vectors in the signing guide", () => {
  const vector = (name: string): unknown => {
    const block = codeBlocks("docs/signing.md").find(({ info }) => info === `vector=${name}`)
    return JSON.parse(block?.code ?? "null")
  }

  it("are vectors of the tests", () => {
    assert.strictEqual(read("docs/signing.md").includes(orders.typeHash), true)
    const [order] = orders.orders
    assert.isDefined(order)
    assert.containSubset(order, vector("order"))
    const [authorization] = authorizations.authorizations
    assert.isDefined(authorization)
    assert.containSubset(authorization, vector("authorization"))
  })
})
