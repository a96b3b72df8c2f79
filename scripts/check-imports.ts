/**
 * Holds the direction of imports that ARCHITECTURE.md describes. Reads every module of `src`, type imports included, and names
 * each import that its room may not have, and each cycle. Run by the gate: `bun scripts/check-imports.ts`.
 */
import { dirname, join, normalize } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { RULES } from "./import-rules.ts"

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

const isWithin = (name: string, allowed: ReadonlyArray<string>): boolean =>
  allowed.some((each) => name === each || name.startsWith(`${each}/`))

const LONGEST_FIRST = Object.keys(RULES).toSorted((a, b) => b.length - a.length)

/** True if the room has rooms of its own, so that a directory in it needs its own rule too. */
const isDivided = (room: string): boolean => LONGEST_FIRST.some((each) => each.startsWith(`${room}/`))

/** The room of a path below `src`; undefined where none is known. */
const roomOf = (path: string): string | undefined => {
  const within = path.slice("src/".length)
  const room = LONGEST_FIRST.find((each) => isWithin(within, [each]))
  const isInUnknownRoom = room !== undefined && isDivided(room) && within.slice(room.length + 1).includes("/")
  return isInUnknownRoom ? undefined : room
}

/** Why `path` may not import `specifier`; undefined when it may. */
const objection = (path: string, specifier: string): string | undefined => {
  const room = roomOf(path)
  if (room === undefined) return `${dirname(path)} has no rule in scripts/import-rules.ts`
  const rule = RULES[room] ?? { imports: [] }
  if (!isRelative(specifier)) {
    return rule.packages === undefined || isWithin(specifier, rule.packages)
      ? undefined
      : `${room} may not use the package ${specifier}`
  }
  const target = normalize(join(dirname(path), specifier))
  if (!target.startsWith("src/")) {
    const allowed = target === "package.json" || (room.startsWith("adapters/sql/") && target.startsWith("migrations/"))
    return allowed ? undefined : `${target} is not part of src`
  }
  const to = roomOf(target) ?? dirname(target).slice("src/".length)
  return to === room || isWithin(to, rule.imports) ? undefined : `${room} may not import ${to}`
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

/** Circles among the rooms that the modules of `src` make, whatever the rules say. */
const roomCycles = (graph: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rooms = new Map<string, Set<string>>()
  for (const [path, targets] of graph) {
    const from = roomOf(path)
    if (from === undefined) continue
    const known = rooms.get(from) ?? new Set()
    rooms.set(from, known)
    for (const target of targets) {
      const to = target.startsWith("src/") ? roomOf(target) : undefined
      if (to !== undefined && to !== from) known.add(to)
    }
  }
  return cyclesOf(new Map(Array.from(rooms, ([room, targets]) => [room, Array.from(targets)])))
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
  return [
    ...objections,
    ...cyclesOf(graph).map((cycle) => `cycle: ${cycle}`),
    ...roomCycles(graph).map((cycle) => `cycle of rooms: ${cycle}`)
  ]
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
