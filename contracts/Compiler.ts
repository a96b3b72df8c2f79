/** Compiles Solidity files with the pinned compiler, which is a package of the lock file. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, normalize } from "node:path"
import { type Hex, keccak256, stringToHex } from "viem"

export interface Compiled {
  readonly abi: ReadonlyArray<Record<string, unknown>>
  readonly creationCode: Hex
  readonly runtimeCode: Hex
  /** Byte offsets of the words in the runtime code that the constructor fills in. */
  readonly immutables: Readonly<Record<string, ReadonlyArray<number>>>
  /** Hash (keccak256) of the compiler's metadata, which names the version, the settings and the hash of every source. */
  readonly metadataHash: Hex
}

interface CompilerOutput {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Record<string, Record<string, ContractOutput>>
  readonly sources: Record<string, { readonly ast: unknown }>
}

interface ContractOutput {
  readonly abi: ReadonlyArray<Record<string, unknown>>
  readonly metadata: string
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: {
      readonly object: string
      readonly immutableReferences: Record<string, ReadonlyArray<{ readonly start: number }>>
    }
  }
}

interface Compiler {
  readonly compile: (input: string) => string
  readonly version: () => string
}

const require = createRequire(import.meta.url)

/** The file a remapped or relative import leads to, relative to `base`. */
const resolveImport = (importer: string, path: string, remappings: ReadonlyArray<string>): string => {
  if (path.startsWith(".")) return normalize(join(dirname(importer), path))
  for (const remapping of remappings) {
    const [prefix = "", target = ""] = remapping.split("=")
    if (path.startsWith(prefix)) return normalize(target + path.slice(prefix.length))
  }
  return path
}

/** The entries and all they import, sorted by path. */
const closure = (base: string, entries: ReadonlyArray<string>, remappings: ReadonlyArray<string>) => {
  const sources = new Map<string, { readonly content: string }>()
  const visit = (path: string): void => {
    if (sources.has(path)) return
    const content = readFileSync(join(base, path), "utf8")
    sources.set(path, { content })
    for (const [, imported = ""] of content.matchAll(/^import\s[^"';]*["']([^"']+)["']/gm)) {
      visit(resolveImport(path, imported, remappings))
    }
  }
  entries.forEach(visit)
  return Object.fromEntries([...sources].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Names of the declarations in an AST, by id. */
const names = (node: unknown, found = new Map<string, string>()): Map<string, string> => {
  if (Array.isArray(node)) for (const child of node) names(child, found)
  else if (typeof node === "object" && node !== null) {
    if ("id" in node && "name" in node && "nodeType" in node && node.nodeType === "VariableDeclaration") {
      found.set(String(node.id), String(node.name))
    }
    for (const child of Object.values(node)) names(child, found)
  }
  return found
}

/** Version of a compiler package, as the compiler itself says it. */
export const versionOf = (compiler: string): string => (require(compiler) as Compiler).version()

/** The compiler's input for the contracts in these files. */
export const inputOf = (
  base: string,
  paths: ReadonlyArray<string>,
  remappings: ReadonlyArray<string>,
  settings: Record<string, unknown>
) => {
  const outputs = [
    "abi",
    "metadata",
    "evm.bytecode.object",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.immutableReferences"
  ]
  return {
    language: "Solidity",
    sources: closure(base, paths, remappings),
    settings: {
      viaIR: true,
      ...settings,
      remappings,
      outputSelection: {
        "*": { "": ["ast"] },
        ...Object.fromEntries(paths.map((path) => [path, { "": ["ast"], [basename(path, ".sol")]: outputs }]))
      }
    }
  }
}

/** Compiles the contracts, each named after its file. */
export const compile = (
  compiler: string,
  input: ReturnType<typeof inputOf>,
  paths: ReadonlyArray<string>
): ReadonlyMap<string, Compiled> => {
  const solc = require(compiler) as Compiler
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput
  const errors = output.errors?.filter((error) => error.severity === "error") ?? []
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))
  const declared = names(Object.values(output.sources).map((source) => source.ast))
  return new Map(
    paths.map((path) => {
      const name = basename(path, ".sol")
      const contract = output.contracts[path]?.[name]
      if (contract === undefined) throw new Error(`${path} has no contract ${name}.`)
      const { bytecode, deployedBytecode } = contract.evm
      const immutables = Object.entries(deployedBytecode.immutableReferences ?? {}).map(([id, places]) => {
        const immutable = declared.get(id)
        if (immutable === undefined) throw new Error(`${path} has an immutable without a name.`)
        return [immutable, places.map((place) => place.start)] as const
      })
      const compiled: Compiled = {
        abi: contract.abi,
        creationCode: `0x${bytecode.object}`,
        runtimeCode: `0x${deployedBytecode.object}`,
        immutables: Object.fromEntries(immutables),
        metadataHash: keccak256(stringToHex(contract.metadata))
      }
      return [name, compiled]
    })
  )
}
