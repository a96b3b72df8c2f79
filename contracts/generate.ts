/**
 * Compiles the contracts and writes what the service and the local network need of them. `--check` writes nothing and
 * fails when a checked-in file is stale.
 *
 * The compiler is called directly, with one fixed set of sources: the IR pipeline numbers declarations over its whole
 * input, so a compilation together with tests, or of changed sources alone, need not give the same bytes.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Compiled } from "./Compiler.ts"
import { compiled, DEVELOPMENT, PRODUCTION, SIMULATION } from "./Groups.ts"
import { permit2 } from "./Permit2.ts"

const root = dirname(import.meta.dirname)

const HEADER = "// Written by contracts/generate.ts from the Solidity sources. Do not edit.\n"

const camel = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)

/** Types by their source name only differ between compiler front ends, and nothing reads them. */
const abiLine = (item: Record<string, unknown>): string =>
  `    ${JSON.stringify(item, (key, value: unknown) => (key === "internalType" ? undefined : value))}`

const printed = (
  name: string,
  { abi, metadataHash: _metadataHash, ...code }: Pick<Compiled, "abi"> & Partial<Compiled>
): string =>
  [
    `export const ${camel(name)} = {`,
    `  abi: [\n${abi.map(abiLine).join(",\n")}\n  ],`,
    ...Object.entries(code).map(([field, value]) => `  ${field}: ${JSON.stringify(value)},`),
    "} as const\n"
  ].join("\n")

const ours = compiled("ours")
const hostile = compiled("hostile")
const market = compiled("market")
const routers = compiled("routers")

const production = [...ours].filter(([name]) => PRODUCTION.includes(name))
const simulation = [...ours].filter(([name]) => SIMULATION.includes(name))
const development = [...ours].filter(([name]) => DEVELOPMENT.includes(name))
const permit2Code = permit2()

const outputs: ReadonlyArray<readonly [path: string, content: string]> = [
  [
    "src/adapters/evm/abi/contracts.generated.ts",
    [HEADER, ...production.map(([name, contract]) => printed(name, contract))].join("\n")
  ],
  [
    "src/adapters/evm/abi/routers.generated.ts",
    [HEADER, ...[...routers].map(([name, contract]) => printed(name, contract))].join("\n")
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
