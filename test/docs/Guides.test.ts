/** Compares the documents with the project: links, JSON, routes, settings, commands, alerts, vectors and contracts. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, normalize } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { type Abi, toFunctionSignature } from "viem"
import authorizations from "../vectors/authorization.json"
import orders from "../vectors/sweep-order.json"
import { sweepDelegate, sweepEntry, sweepGuard } from "../../src/adapters/evm/abi/contracts.generated.ts"
import { uniswapV4Router } from "../../src/adapters/evm/abi/routers.generated.ts"
import { BuilderApi } from "../../src/api/builder/BuilderApi.ts"
import { OrchestratorApi } from "../../src/api/orchestrator/OrchestratorApi.ts"
import { projectRoot } from "../../src/cli/Project.ts"
import { commandHelp } from "../../scripts/docs/CommandHelp.ts"
import * as sdk from "../../src/sdk/index.ts"
import * as venues from "../../src/sdk/venues.ts"
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

const routes = new Set<string>(
  [OpenApi.fromApi(OrchestratorApi), OpenApi.fromApi(BuilderApi)].flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "*")}`)
    )
  )
)
// Outside of both interfaces, in a format of its own.
routes.add("GET /metrics")

const settings = new Set(documented.flatMap((group) => group.settings.map(({ name }) => name)))

/** Looks like a setting, and is none. */
const NOT_SETTINGS = new Set([
  "POSTGRES_PASSWORD",
  "API_DOMAIN",
  "BUILDER_DOMAIN",
  "RESTORED_URL",
  "KEYSTORE_DIRECTORY",
  "OFAC_SNAPSHOT_DIRECTORY",
  "SWEEP_USER",
  "GRAFANA_PASSWORD",
  "ORCHESTRATOR_HEARTBEAT_URL",
  "BUILDER_HEARTBEAT_URL",
  "BATCH_TYPES",
  "KNOWN_BRIDGES",
  "KNOWN_ROUTERS",
  "SHIPPED_ROUTERS",
  "VENUE_ROUTERS",
  "AGGREGATOR_ROUTERS",
  "SHIPPED_DELEGATES",
  "MORE_DELEGATES",
  "ORDER_TYPES",
  "DEFAULT_DOMAIN_NAME",
  // Of AWS KMS and Google Cloud KMS.
  "AWS_ACCESS_KEY_ID",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "ECC_SECG_P256K1",
  "SIGN_VERIFY",
  "EC_SIGN_SECP256K1_SHA256"
])

/** Flags of every command, by its path such as `payouts open`. */
const commands: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (await Effect.runPromise(commandHelp)).map(({ doc, path }) => [
    path.join(" "),
    new Set(doc.flags.flatMap(({ aliases, name }) => [`--${name}`, ...aliases]))
  ])
)

/** The document, with each command of its `sh live` blocks on one line and called as in the checkout. */
const withLiveCommands = (file: string): string =>
  [
    read(file),
    ...codeBlocks(file)
      .filter(({ info, language }) => language === "sh" && info === "live")
      .map(({ code }) => code.replaceAll(/\\\n\s*/g, " ").replaceAll(/^(?:\w+=\S+ )?sweep /gm, "./sweep "))
  ].join("\n")

describe.each(["README.md", ...guides, "llms.txt"])("%s", (file) => {
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
    const shown = withLiveCommands(file).matchAll(
      /\.\/sweep ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?(?: ([a-z][a-z-]*))?((?:(?! \.\/sweep)[^`\n])*)/g
    )
    for (const [, first = "", second, third, rest = ""] of shown) {
      // The longest path that is a command. Arguments or prose follow it.
      const path = [`${first} ${second} ${third}`, `${first} ${second}`].find((each) => commands.has(each)) ?? first
      const flags = commands.get(path)
      assert.isDefined(flags, `${file}: sweep ${path}`)
      for (const [flag] of rest.matchAll(/--[a-z][a-z0-9-]*/g)) {
        assert.isTrue(flags?.has(flag), `${file}: sweep ${path} ${flag}`)
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
    const raised = ["src/orchestrator", "src/builder", "src/adapters/sql", "src/adapters/prices", "src/runtime"]
      .flatMap(sources)
      .flatMap((source) =>
        /severity: .*"(?:critical|warning)"/.test(source)
          ? [...source.matchAll(/(?:kind: |KIND = |alertConflict\()((?:"[a-z_]+"(?: \| )?)+)/g)].flatMap(
              ([, kinds = ""]) => [...kinds.matchAll(/"([a-z_]+)"/g)].map(([, kind]) => kind)
            )
          : []
      )
    const table = read("docs/reference/alerts.md")
    const listed = [...table.matchAll(/^\| `([a-z_]+)`/gm)].map(([, kind]) => kind)
    const sorted = (kinds: ReadonlyArray<string | undefined>) => [...new Set(kinds)].toSorted()
    assert.deepStrictEqual(sorted(listed), sorted(raised), "the alerts in docs/reference/alerts.md")
  })
})

describe("the vectors in the signing guide", () => {
  const vector = (name: string): unknown => {
    const block = codeBlocks("docs/reference/signing.md").find(({ info }) => info === `vector=${name}`)
    return JSON.parse(block?.code ?? "null")
  }

  it("are vectors of the tests", () => {
    assert.strictEqual(read("docs/reference/signing.md").includes(orders.typeHash), true)
    const [order] = orders.orders
    assert.isDefined(order)
    assert.containSubset(order, vector("order"))
    const [authorization] = authorizations.authorizations
    assert.isDefined(authorization)
    assert.containSubset(authorization, vector("authorization"))
  })
})

/** solc-js has no types. */
const solc = createRequire(import.meta.url)("solc") as { readonly compile: (input: string) => string }

interface Compiled {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, { readonly abi: Abi }>>>>
}

const compiled = (source: string): Abi => {
  const output: Compiled = JSON.parse(
    solc.compile(
      JSON.stringify({
        language: "Solidity",
        sources: { page: { content: source } },
        settings: { outputSelection: { "*": { "*": ["abi"] } } }
      })
    )
  )
  const errors = (output.errors ?? []).filter(({ severity }) => severity === "error")
  assert.deepStrictEqual(errors, [])
  return Object.values(output.contracts?.["page"] ?? {}).flatMap(({ abi }) => abi)
}

/** The entry's kind, its signature and its results; undefined for one without a name. */
const signatureOf = (entry: Abi[number]): string | undefined => {
  if (entry.type !== "function" && entry.type !== "event" && entry.type !== "error") return undefined
  const results = entry.type === "function" ? entry.outputs.map(({ type }) => type).join() : ""
  return `${entry.type} ${toFunctionSignature({ ...entry, type: "function", outputs: [], stateMutability: "view" })} ${results}`
}

describe("the contracts' page", () => {
  it("compiles, and describes nothing that the contracts do not have", () => {
    const own = new Set(
      [sweepDelegate, sweepGuard, sweepEntry, uniswapV4Router].flatMap(({ abi }) => (abi as Abi).map(signatureOf))
    )
    const blocks = codeBlocks("docs/reference/contracts.md").filter(({ language }) => language === "solidity")
    assert.strictEqual(blocks.length, 4)
    for (const { code } of blocks) {
      const entries = compiled(code)
      assert.isNotEmpty(entries)
      for (const entry of entries) assert.isTrue(own.has(signatureOf(entry)), signatureOf(entry))
    }
  })
})

describe("ARCHITECTURE.md", () => {
  const section = read("ARCHITECTURE.md").split("## Where things are")[1]?.split("\n## ")[0] ?? ""

  it("answers at least 20 questions, each with a file that exists", () => {
    const files = [...section.matchAll(/^\| Where [^|]+\| `([^`]+)` +\|$/gm)].map(([, file = ""]) => file)
    assert.isAtLeast(new Set(files).size, 20)
    for (const file of files) assert.isTrue(existsSync(join(projectRoot, file)), file)
  })

  it("names no source file that does not exist", () => {
    const roots = ["", "src/", "src/orchestrator/", "src/adapters/evm/"]
    for (const [, file = ""] of read("ARCHITECTURE.md").matchAll(/`([A-Za-z-]+(?:\/[A-Za-z0-9.-]+)+\.ts)`/g)) {
      assert.isTrue(
        roots.some((root) => existsSync(join(projectRoot, root, file))),
        file
      )
    }
  })
})

describe("the client's page", () => {
  it("names every value that the main entry exports", () => {
    const page = read("docs/reference/sdk.md")
    for (const name of Object.keys(sdk)) assert.include(page, `\`${name}`, name)
  })

  it("names every value that the entry for venues exports", () => {
    const page = read("docs/reference/sdk.md")
    for (const name of Object.keys(venues)) assert.match(page, new RegExp(`\\b${name}\\b`), name)
  })
})

describe("the settings' page", () => {
  it("lists every setting", () => {
    const page = read("docs/reference/settings.md")
    for (const name of settings) assert.include(page, `| \`${name}\``)
  })
})
