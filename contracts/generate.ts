/**
 * Compiles the contracts and writes what the service and the local network need of them. `--check` writes nothing and
 * fails when a checked-in file is stale.
 *
 * The compiler is called directly, with one fixed set of sources: the IR pipeline numbers declarations over its whole
 * input, so a compilation together with tests, or of changed sources alone, need not give the same bytes.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, normalize } from "node:path"
import { getContractAddress, type Hex } from "viem"
import foundry from "./foundry.toml"

interface Compiled {
  readonly abi: ReadonlyArray<Record<string, unknown>>
  readonly creationCode: Hex
  readonly runtimeCode: Hex
  /** Byte offsets of the words in the runtime code that the constructor fills in. */
  readonly immutables: Readonly<Record<string, ReadonlyArray<number>>>
}

interface CompilerOutput {
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
  readonly contracts: Record<string, Record<string, ContractOutput>>
  readonly sources: Record<string, { readonly ast: unknown }>
}

interface ContractOutput {
  readonly abi: ReadonlyArray<Record<string, unknown>>
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: {
      readonly object: string
      readonly immutableReferences: Record<string, ReadonlyArray<{ readonly start: number }>>
    }
  }
}

interface Cached {
  readonly key: string
  readonly compiled: ReadonlyArray<readonly [name: string, contract: Compiled]>
}

interface Compiler {
  readonly compile: (input: string) => string
}

const require = createRequire(import.meta.url)
const here = import.meta.dirname
const root = dirname(here)

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

/** The compiler's input for the contracts in these files. */
const inputOf = (
  base: string,
  paths: ReadonlyArray<string>,
  remappings: ReadonlyArray<string>,
  settings: Record<string, unknown>
) => {
  const outputs = [
    "abi",
    "evm.bytecode.object",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.immutableReferences"
  ]
  return {
    language: "Solidity",
    sources: closure(base, paths, remappings),
    settings: {
      ...settings,
      viaIR: true,
      remappings,
      outputSelection: {
        "*": { "": ["ast"] },
        ...Object.fromEntries(paths.map((path) => [path, { "": ["ast"], [basename(path, ".sol")]: outputs }]))
      }
    }
  }
}

/** Compiles the contracts, each named after its file. */
const compile = (
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
        immutables: Object.fromEntries(immutables)
      }
      return [name, compiled]
    })
  )
}

const isCanonicalPermit2 = (creationCode: Hex): boolean =>
  getContractAddress({
    opcode: "CREATE2",
    from: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
    salt: "0x0000000000000000000000000000000000000000d3af2663da51c10215000000",
    bytecode: creationCode
  }) === "0x000000000022D473030F116dDEE9F6B43aC78BA3"

const PERMIT2_FIXTURE = join(here, "test/fixtures/Permit2.json")

/**
 * Permit2 from its own sources and settings. Its CREATE2 address proves that these are the deployed bytes, so once
 * they are checked in they need no second compilation.
 */
const permit2 = (): Pick<Compiled, "abi" | "creationCode"> => {
  if (existsSync(PERMIT2_FIXTURE)) {
    const checkedIn = JSON.parse(readFileSync(PERMIT2_FIXTURE, "utf8")) as Pick<Compiled, "abi" | "creationCode">
    if (isCanonicalPermit2(checkedIn.creationCode)) return checkedIn
  }
  const base = join(dirname(require.resolve("@uniswap/v4-periphery/package.json")), "lib/permit2")
  const paths = ["src/Permit2.sol"]
  const input = inputOf(base, paths, ["solmate/=lib/solmate/"], {
    optimizer: { enabled: true, runs: 1_000_000 },
    evmVersion: "london",
    metadata: { bytecodeHash: "none" }
  })
  const compiled = compile("solc-0-8-17", input, paths).get("Permit2")
  if (compiled === undefined || !isCanonicalPermit2(compiled.creationCode)) {
    throw new Error("Permit2 did not compile to the deployed bytes.")
  }
  return { abi: compiled.abi, creationCode: compiled.creationCode }
}

const HEADER = "// Written by contracts/generate.ts from the Solidity sources. Do not edit.\n"

const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** Types by their source name only differ between compiler front ends, and nothing reads them. */
const abiLine = (item: Record<string, unknown>): string =>
  `    ${JSON.stringify(item, (key, value: unknown) => (key === "internalType" ? undefined : value))}`

const printed = (name: string, { abi, ...code }: Pick<Compiled, "abi"> & Partial<Compiled>): string =>
  [
    `export const ${camel(name)} = {`,
    `  abi: [\n${abi.map(abiLine).join(",\n")}\n  ],`,
    ...Object.entries(code).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},`),
    "} as const\n"
  ].join("\n")

const PRODUCTION = ["SweepDelegate", "SweepGuard", "SweepEntry"]
/** Compiled apart, too: operators may deploy it, but the addresses of the others do not depend on it. */
const ROUTERS = ["UniswapV4Router"]
const SIMULATION = ["Rehearsal", "RoundTrips", "UnsignedSweepDelegate"]
const DEVELOPMENT = ["DevToken", "DevNoReturnToken", "DevFeeToken", "DevBlocklistToken", "SanctionsOracle"]
/** Compiled apart, since a new source may change the bytes of the others. */
const HOSTILE = ["HostileToken", "HostileProxy"]
const MARKET = ["MarketToken", "MarketSolidly", "MarketSlipstream", "MarketAggregator"]

const { optimizer, optimizer_runs, evm_version, bytecode_hash, cbor_metadata, remappings } = foundry.profile.default

/** Contracts of the last run. The key hashes this program, the compiler and its whole input, which decide the result. */
const CACHE = join(root, ".sweep/checks/contracts")

const keyOf = (input: ReturnType<typeof inputOf>): string => {
  const hash = createHash("sha256").update(readFileSync(import.meta.path))
  for (const file of ["solc/package.json", "solc/soljson.js"]) hash.update(readFileSync(require.resolve(file)))
  return hash.update(JSON.stringify(input)).digest("hex")
}

/** The contracts in these files of ours. A group whose sources did not change is not compiled again. */
const compileOurs = (group: string, paths: ReadonlyArray<string>): ReadonlyMap<string, Compiled> => {
  const input = inputOf(here, paths, remappings, {
    optimizer: { enabled: optimizer, runs: optimizer_runs },
    evmVersion: evm_version,
    metadata: { bytecodeHash: bytecode_hash, appendCBOR: cbor_metadata }
  })
  const [file, key] = [join(CACHE, `${group}.json`), keyOf(input)]
  const cached = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Cached) : undefined
  if (cached?.key === key) return new Map(cached.compiled)
  const compiled = compile("solc", input, paths)
  mkdirSync(CACHE, { recursive: true })
  // A reader must see no half of it, and no file that disappears.
  const unfinished = `${CACHE}.${group}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify({ key, compiled: [...compiled] } satisfies Cached))
  renameSync(unfinished, file)
  return compiled
}

const ours = compileOurs("ours", [
  ...PRODUCTION.map((name) => `src/${name}.sol`),
  ...SIMULATION.map((name) => `src/simulation/${name}.sol`),
  ...DEVELOPMENT.map((name) => `src/dev/${name}.sol`)
])
const hostile = compileOurs(
  "hostile",
  HOSTILE.map((name) => `src/dev/${name}.sol`)
)

const market = compileOurs(
  "market",
  MARKET.map((name) => `src/dev/${name}.sol`)
)

const routers = compileOurs(
  "routers",
  ROUTERS.map((name) => `src/${name}.sol`)
)

const production = [...ours].filter(([name]) => PRODUCTION.includes(name))
const simulation = [...ours].filter(([name]) => SIMULATION.includes(name))
const development = [...ours].filter(([name]) => DEVELOPMENT.includes(name))
const permit2Code = permit2()

const outputs: ReadonlyArray<readonly [path: string, content: string]> = [
  [
    "src/adapters/evm/abi/contracts.generated.ts",
    [HEADER, ...production.map(([name, compiled]) => printed(name, compiled))].join("\n")
  ],
  [
    "src/adapters/evm/abi/routers.generated.ts",
    [HEADER, ...[...routers].map(([name, compiled]) => printed(name, compiled))].join("\n")
  ],
  [
    "src/adapters/evm/abi/simulation.generated.ts",
    [
      HEADER,
      ...simulation.map(([name, { abi, immutables, runtimeCode }]) => printed(name, { abi, runtimeCode, immutables }))
    ].join("\n")
  ],
  [
    "src/devnet/artifacts.generated.ts",
    [
      HEADER,
      ...development.map(([name, { abi, creationCode }]) => printed(name, { abi, creationCode })),
      printed("Permit2", permit2Code)
    ].join("\n")
  ],
  [
    "chaos/attacks/hostile.generated.ts",
    [HEADER, ...[...hostile].map(([name, { abi, creationCode }]) => printed(name, { abi, creationCode }))].join("\n")
  ],
  [
    "src/devnet/market/contracts.generated.ts",
    [HEADER, ...[...market].map(([name, { abi, creationCode }]) => printed(name, { abi, creationCode }))].join("\n")
  ],
  ["contracts/test/fixtures/Permit2.json", `${JSON.stringify(permit2Code)}\n`]
]

const stale = outputs.filter(([path, content]) => {
  const file = join(root, path)
  return !existsSync(file) || readFileSync(file, "utf8") !== content
})

if (!process.argv.includes("--check")) {
  for (const [path, content] of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    process.stdout.write(`wrote ${path}\n`)
  }
} else if (stale.length > 0) {
  const files = stale.map(([path]) => path).join(", ")
  process.stderr.write(`The contracts changed but ${files} did not: run "bun contracts/generate.ts" and commit it.\n`)
  process.exitCode = 1
}
