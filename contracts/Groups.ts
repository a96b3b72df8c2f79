/** The groups of contracts that are compiled together, and the settings of all of them. */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { compile, type Compiled, inputOf } from "./Compiler.ts"
import foundry from "./foundry.toml"

interface Cached {
  readonly key: string
  readonly compiled: ReadonlyArray<readonly [name: string, contract: Compiled]>
}

const require = createRequire(import.meta.url)
const here = import.meta.dirname

/** The compiler's program. */
export const COMPILER = ["solc/package.json", "solc/soljson.js"] as const

export const PRODUCTION = ["SweepDelegate", "SweepGuard", "SweepEntry"]
export const ROUTERS = ["UniswapV4Router"]
export const SIMULATION = ["Rehearsal", "RoundTrips", "UnsignedSweepDelegate"]
export const DEVELOPMENT = ["DevToken", "DevNoReturnToken", "DevFeeToken", "DevBlocklistToken", "SanctionsOracle"]
const HOSTILE = ["HostileToken", "HostileProxy"]
const MARKET = ["MarketToken", "MarketSolidly", "MarketSlipstream", "MarketAggregator"]

const within = (directory: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${directory}/${name}.sol`)

/** Files that are compiled at once. They are apart because a new source may change the bytes of all others of its group. */
const GROUPS = {
  ours: [...within("src", PRODUCTION), ...within("src/simulation", SIMULATION), ...within("src/dev", DEVELOPMENT)],
  /** Operators may deploy it, but the addresses of the others do not depend on it. */
  routers: within("src", ROUTERS),
  hostile: within("src/dev", HOSTILE),
  market: within("src/dev", MARKET)
} as const

export type Group = keyof typeof GROUPS

const { bytecode_hash, cbor_metadata, evm_version, optimizer, optimizer_runs, remappings } = foundry.profile.default

/** Settings of the compiler, in the form of its standard input. */
export const SETTINGS = {
  viaIR: true,
  evmVersion: evm_version,
  optimizer: { enabled: optimizer, runs: optimizer_runs },
  metadata: { bytecodeHash: bytecode_hash, appendCBOR: cbor_metadata }
}

/** Contracts of the last run. The key hashes these programs, the compiler and its whole input, which decide the result. */
const CACHE = join(dirname(here), ".sweep/checks/contracts")

const keyOf = (input: ReturnType<typeof inputOf>): string => {
  const hash = createHash("sha256")
  const programs = [import.meta.path, join(here, "Compiler.ts"), ...COMPILER.map((file) => require.resolve(file))]
  for (const file of programs) hash.update(readFileSync(file))
  return hash.update(JSON.stringify(input)).digest("hex")
}

const input = (group: Group) => inputOf(here, GROUPS[group], remappings, SETTINGS)

/** The contracts of a group by name, compiled from their sources now. */
export const compiledAnew = (group: Group): ReadonlyMap<string, Compiled> =>
  compile("solc", input(group), GROUPS[group])

/** The contracts of a group by name. A group whose sources did not change is not compiled again. */
export const compiled = (group: Group): ReadonlyMap<string, Compiled> => {
  const [file, key] = [join(CACHE, `${group}.json`), keyOf(input(group))]
  const cached = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Cached) : undefined
  if (cached?.key === key) return new Map(cached.compiled)
  const contracts = compiledAnew(group)
  mkdirSync(CACHE, { recursive: true })
  // A reader must see no half of it, and no file that disappears.
  const unfinished = `${CACHE}.${group}.${process.pid}`
  writeFileSync(unfinished, JSON.stringify({ key, compiled: [...contracts] } satisfies Cached))
  renameSync(unfinished, file)
  return contracts
}
