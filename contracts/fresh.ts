/**
 * Compiles the contracts that operators deploy, and prints the result with the compiler's version and settings as JSON:
 * `bun contracts/fresh.ts`. It reads no earlier result. `--cached` accepts the last one of the same sources, as the tests do.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { versionOf } from "./Compiler.ts"
import { compiled, compiledAnew, PRODUCTION, ROUTERS, SETTINGS } from "./Groups.ts"

const contractsOf = process.argv.includes("--cached") ? compiled : compiledAnew

const program = readFileSync(createRequire(import.meta.url).resolve("solc/soljson.js"))

const contracts = [...contractsOf("ours"), ...contractsOf("routers")]
  .filter(([name]) => [...PRODUCTION, ...ROUTERS].includes(name))
  .map(([name, { abi: _abi, ...code }]) => [name, code] as const)

process.stdout.write(
  JSON.stringify({
    compiler: versionOf("solc"),
    compilerSha256: createHash("sha256").update(program).digest("hex"),
    settings: SETTINGS,
    contracts: Object.fromEntries(contracts)
  })
)
