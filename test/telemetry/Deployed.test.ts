/**
 * The rules and dashboards of `deploy/` name metrics and labels of the code, and the proxy keeps the metrics inside the network.
 * `promtool test rules` proves what the rules do.
 */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { all } from "../../src/telemetry/metrics/Catalog.ts"

const at = (path: string): string => new URL(`../../deploy/${path}`, import.meta.url).pathname
const read = (path: string): string => readFileSync(at(path), "utf8")

const known = new Map(all.map((family) => [family.name, family]))

/** Labels that Prometheus adds by itself. */
const ADDED = new Set(["job", "instance", "le"])

/** The family that a name of a query belongs to. */
const familyOf = (name: string) =>
  known.get(name) ??
  [/_bucket$/, /_count$/, /_sum$/]
    .map((suffix) => known.get(name.replace(suffix, "")))
    .find((family) => family?.kind === "histogram")

/** Each metric of a query with the labels of its matchers. */
const selectors = (query: string) =>
  [...query.matchAll(/\b(sweep_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name = "", matchers = ""]) => ({
    name,
    labels: [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label)
  }))

/** Labels by which a query groups. */
const grouped = (query: string): ReadonlyArray<string> =>
  [...query.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(",").map((each) => each.trim()))

const problemsOf = (query: string): ReadonlyArray<string> => {
  const named = selectors(query)
  const families = named.map(({ name }) => familyOf(name))
  const labels = new Set(families.flatMap((family) => Object.keys(family?.labels ?? {})))
  return [
    ...named.filter((_, index) => families[index] === undefined).map(({ name }) => `unknown metric ${name}`),
    ...named.flatMap(({ labels: matched, name }, index) =>
      matched
        .filter((label) => !ADDED.has(label) && !(label in (families[index]?.labels ?? {})))
        .map((label) => `${name} has no label ${label}`)
    ),
    ...grouped(query)
      .filter((label) => !ADDED.has(label) && !labels.has(label))
      .map((label) => `no metric of ${query} has the label ${label}`)
  ]
}

const rules = read("prometheus/rules.yml")
const tests = read("prometheus/rules.test.yml")

const rulesBlocks = rules.split(/^ {6}- alert: /m).slice(1)
const expressions = rulesBlocks.map((block) => /expr:([^]*?)\n {8}for:/.exec(block)?.[1] ?? "")
const alerts = rulesBlocks.map((block) => block.split("\n", 1)[0] ?? "")

interface Board {
  readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

const boards = readdirSync(at("grafana")).map((name) => {
  const board: Board = JSON.parse(read(`grafana/${name}`))
  return { name, queries: board.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)) }
})

describe("metrics", () => {
  it("have unique names in Prometheus's forms, and help for each label", () => {
    assert.strictEqual(known.size, all.length)
    for (const { help, kind, labels, name } of all) {
      assert.match(name, /^sweep_[a-z_]+$/)
      assert.strictEqual(name.endsWith("_total"), kind === "counter", name)
      assert.strictEqual(kind === "histogram" && !name.endsWith("_seconds"), false, name)
      assert.match(help, /\.$/, name)
      for (const [label, meaning] of Object.entries(labels)) {
        assert.match(label, /^[a-z_]+$/)
        assert.match(meaning, /\.$/, `${name} ${label}`)
      }
    }
  })
})

describe("alert rules", () => {
  it.each(alerts.map((alert, index) => [alert, expressions[index] ?? ""] as const))(
    "%s uses metrics of the code",
    (_, query) => {
      assert.isNotEmpty(query)
      assert.deepStrictEqual(problemsOf(query), [])
    }
  )

  it("are each provoked and resolved by a test", () => {
    const tested = [...tests.matchAll(/^ {2}- name: (\w+)$([^]*?)(?=^ {2}- name: |(?![^]))/gm)]
    assert.sameMembers(
      tested.map(([, name]) => name),
      alerts
    )
    for (const [, name, test = ""] of tested) {
      assert.match(test, /exp_alerts:\n +- exp_labels:/, `${name} is not provoked`)
      assert.match(test, /exp_alerts: \[\]/, `${name} is not resolved`)
    }
  })

  it("see a metric that does not exist, and a label that it does not have", () => {
    assert.deepStrictEqual(problemsOf("max(sweep_intents_oldst_seconds)"), [
      "unknown metric sweep_intents_oldst_seconds"
    ])
    assert.lengthOf(problemsOf('sweep_intents{state="x"}'), 1)
    assert.lengthOf(problemsOf("sum by (owner) (sweep_intents)"), 1)
  })
})

describe("the proxy", () => {
  it("has no path of the metrics, however it ends", () => {
    const sites = read("../Caddyfile").split(/^\{\$/m).slice(1)
    assert.lengthOf(sites, 2)
    for (const site of sites) assert.match(site, /^\trespond \/metrics\* 404$/m)
  })
})

describe("dashboards", () => {
  it.each(boards)("$name shows metrics of the code", ({ queries }) => {
    assert.isNotEmpty(queries)
    assert.deepStrictEqual(queries.flatMap(problemsOf), [])
  })

  it("show every metric", () => {
    const shown = new Set(
      boards.flatMap(({ queries }) => queries.flatMap(selectors).map(({ name }) => familyOf(name)?.name))
    )
    assert.deepStrictEqual(
      all.map(({ name }) => name).filter((name) => !shown.has(name)),
      []
    )
  })
})
