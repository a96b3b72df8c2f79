/** The steps of `./sweep check` and `./sweep test`: which programs run, and how their results are counted. */
import { Effect, type Option } from "effect"
import * as Foundry from "../devnet/Foundry.ts"
import { type Counts, forgeCounts, vitestCounts } from "./TestCounts.ts"

export const NAMES = [
  "format",
  "types",
  "lint",
  "imports",
  "prose",
  "generated",
  "openapi",
  "docs",
  "solidity-format",
  "solidity",
  "unit",
  "typescript"
] as const

export type Name = (typeof NAMES)[number]

export interface Step {
  readonly name: Name
  readonly command: ReadonlyArray<string>
  /** Working directory below the checkout. Default: the checkout. */
  readonly cwd?: string
  /** Reads how many tests passed and failed from a runner's output. A step without it counts as one check. */
  readonly counts?: (output: string) => Option.Option<Counts>
  /** Prints the output as it arrives. Otherwise it is printed only when the step fails. */
  readonly isLive?: boolean
}

/** Results of the last run, so that files that did not change are not checked again. */
const CACHE = ".sweep/checks"

const bin = (name: string) => `node_modules/.bin/${name}`

/** Every step by name. `filters` narrow the TypeScript tests to files whose path contains one of them. */
export const all = Effect.fnUntraced(function* (bun: string, filters: ReadonlyArray<string> = []) {
  const forge = yield* Foundry.binary("forge")
  const vitest = [bun, "--bun", bin("vitest"), "run"]
  const steps: Readonly<Record<Name, Omit<Step, "name">>> = {
    format: { command: [bin("oxfmt"), "--list-different"] },
    types: {
      // Several checkers would each check the types that files share, which doubles the work.
      command: [
        bin("tsc"),
        "-p",
        ".",
        "--checkers",
        "1",
        "--incremental",
        "--tsBuildInfoFile",
        `${CACHE}/types.tsbuildinfo`
      ]
    },
    lint: { command: [bin("oxlint"), "--deny-warnings"] },
    imports: { command: [bun, "scripts/check-imports.ts"] },
    prose: { command: [bun, "scripts/check-prose.ts"] },
    generated: { command: [bun, "contracts/generate.ts", "--check"] },
    openapi: { command: [bun, "scripts/openapi.ts", "--check"] },
    docs: { command: [bun, "scripts/docs.ts", "--check"] },
    "solidity-format": { command: [forge, "fmt", "--check"], cwd: "contracts" },
    // Gas must be as it is committed, which is what the bars are checked against. Without the flag, forge writes what it measured.
    solidity: { command: [forge, "test", "--gas-snapshot-check=true"], cwd: "contracts", counts: forgeCounts },
    unit: { command: [...vitest, "--project=unit", ...filters], counts: vitestCounts },
    typescript: { command: [...vitest, ...filters], counts: vitestCounts, isLive: true }
  }
  return (name: Name): Step => ({ name, ...steps[name] })
})
