/**
 * Holds the direction of imports that ARCHITECTURE.md describes. Reads every module of `src`, type imports included, and names
 * each import that its layer may not have, and each cycle. Run by the gate: `bun scripts/check-imports.ts`.
 */
import { dirname, join, normalize } from "node:path"
import { parseSync, Visitor } from "oxc-parser"

/** What a layer, a directory or file directly under `src`, may import besides itself. */
interface Rule {
  readonly layers: ReadonlyArray<string>
  /** Packages by name or prefix; absent means any. */
  readonly packages?: ReadonlyArray<string>
}

/** Packages that run in a browser as well. */
const PURE = ["effect", "viem"]

const INNER = ["domain", "ports"]
const SERVICES = [...INNER, "api", "orchestrator", "builder"]
const EVERYTHING = [
  ...SERVICES,
  "adapters",
  "server",
  "sdk",
  "mcp",
  "web",
  "devnet",
  "cli",
  "apps",
  "config",
  "config.ts"
]

const RULES: Readonly<Record<string, Rule>> = {
  domain: { layers: [], packages: PURE },
  ports: { layers: ["domain"], packages: ["effect"] },
  api: { layers: ["domain"], packages: ["effect"] },
  orchestrator: { layers: INNER, packages: PURE },
  builder: { layers: INNER, packages: PURE },
  adapters: { layers: INNER },
  server: { layers: [...SERVICES, "config.ts"] },
  sdk: { layers: ["domain", "api"], packages: PURE },
  mcp: { layers: ["domain", "api", "sdk", "config.ts"] },
  web: { layers: ["domain", "api", "sdk"] },
  devnet: { layers: [...SERVICES, "adapters", "sdk", "config.ts"] },
  config: { layers: ["domain", "orchestrator"], packages: ["effect"] },
  "config.ts": { layers: ["config", "orchestrator"], packages: ["effect"] },
  cli: { layers: EVERYTHING },
  apps: { layers: EVERYTHING },
  "main.ts": { layers: EVERYTHING }
}

/** Everything that a module imports, re-exports or names in a type, as written. */
export const importsOf = (path: string, source: string): ReadonlyArray<string> => {
  const { errors, module, program } = parseSync(path, source)
  const [error] = errors
  if (error !== undefined) throw new Error(`${path}: ${error.message}`)
  const specifiers = [
    ...module.staticImports.map((each) => each.moduleRequest.value),
    ...module.staticExports.flatMap((each) => each.entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []))
  ]
  new Visitor({
    ImportExpression: ({ source: named }) => {
      if (named.type === "Literal" && typeof named.value === "string") specifiers.push(named.value)
    },
    TSImportType: ({ source: named }) => {
      specifiers.push(named.value)
    }
  }).visit(program)
  return Array.from(new Set(specifiers))
}

const isRelative = (specifier: string): boolean => specifier.startsWith(".")

const layerOf = (path: string): string => path.split("/")[1] ?? path

const isWithin = (name: string, allowed: ReadonlyArray<string>): boolean =>
  allowed.some((each) => name === each || name.startsWith(`${each}/`))

/** Why `path` may not import `specifier`; undefined when it may. */
const objection = (path: string, specifier: string): string | undefined => {
  const layer = layerOf(path)
  const rule = RULES[layer]
  if (rule === undefined) return `${layer} is no layer that is known here`
  if (!isRelative(specifier)) {
    return rule.packages === undefined || isWithin(specifier, rule.packages)
      ? undefined
      : `${layer} may not use the package ${specifier}`
  }
  const target = normalize(join(dirname(path), specifier))
  if (!target.startsWith("src/")) {
    const allowed = target === "package.json" || (layer === "adapters" && target.startsWith("migrations/"))
    return allowed ? undefined : `${target} is not part of src`
  }
  const to = layerOf(target)
  return to === layer || rule.layers.includes(to) ? undefined : `${layer} may not import ${to}`
}

/** The modules of each cycle, once, beginning with the one that comes first by name. */
const cyclesOf = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const found = new Set<string>()
  const done = new Set<string>()
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(path)
    if (start >= 0) {
      const cycle = trail.slice(start)
      const first = cycle.indexOf(cycle.toSorted()[0] ?? path)
      found.add([...cycle.slice(first), ...cycle.slice(0, first + 1)].join(" -> "))
    } else if (!done.has(path)) {
      for (const next of graph.get(path) ?? []) walk(next, [...trail, path])
      done.add(path)
    }
  }
  for (const path of graph.keys()) walk(path, [])
  return Array.from(found)
}

/** Everything that is wrong with the imports of these modules, by path from the project's root, with their sources. */
export const violations = (modules: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const graph = new Map<string, ReadonlyArray<string>>()
  const objections: Array<string> = []
  for (const [path, source] of modules) {
    const specifiers = importsOf(path, source)
    graph.set(
      path,
      specifiers.filter(isRelative).map((specifier) => normalize(join(dirname(path), specifier)))
    )
    for (const specifier of specifiers) {
      const reason = objection(path, specifier)
      if (reason !== undefined) objections.push(`${path} imports ${specifier}: ${reason}`)
    }
  }
  return [...objections, ...cyclesOf(graph).map((cycle) => `cycle: ${cycle}`)]
}

/** The modules of a project's `src`. */
export const modulesOf = async (root: string): Promise<ReadonlyMap<string, string>> => {
  const paths = await Array.fromAsync(new Bun.Glob("src/**/*.{ts,tsx}").scan({ cwd: root }))
  return new Map(
    await Promise.all(paths.toSorted().map(async (path) => [path, await Bun.file(join(root, path)).text()] as const))
  )
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const modules = await modulesOf(root)
  const found = violations(modules)
  for (const violation of found) process.stderr.write(`${violation}\n`)
  process.stdout.write(`imports: ${modules.size} modules, ${found.length} violations\n`)
  process.exitCode = found.length === 0 ? 0 : 1
}
