/** The gate fails on a fault in each of its steps: every fault is planted in a scratch copy of the checkout. */
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import * as TestSteps from "../../src/cli/TestSteps.ts"
import { once } from "../support/RunDirectory.ts"
import { run, sweep } from "./sweep.ts"

interface Fault {
  /** Parts of the checkout that the step needs. */
  readonly copied: ReadonlyArray<string>
  /** Results of earlier steps, copied if there are any, so that the step does not repeat them. */
  readonly reused?: string
  readonly file: string
  /** The file's faulty content, given its content in the checkout if it has one. */
  readonly plant: (before: string) => string
  /** Part of the output that names the fault. */
  readonly named: RegExp
}

const SETTINGS = ["package.json", "tsconfig.json", ".oxlintrc.json", ".oxfmtrc.json"]

const failingTest = `
import { assert, it } from "vitest"
it("passes", () => assert.isTrue(true))
it("is planted", () => assert.isTrue(false))
`

const failingContract = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

contract PlantedTest {
    function test_Passes() public pure {}

    function test_IsPlanted() public pure {
        revert("planted");
    }
}
`

const vitest = {
  copied: [
    "vitest.config.ts",
    ...["LongestFirst", "PostgresSetup", "RunDirectory", "RunSetup", "TestKinds"].map(
      (name) => `test/support/${name}.ts`
    ),
    "src"
  ],
  file: "test/Planted.test.ts",
  plant: () => failingTest,
  named: /1 failed \| \d+ passed/
} as const

const generated = (copied: ReadonlyArray<string>, file: string): Fault => ({
  copied: [...copied, file],
  file,
  plant: (before) => `${before}\n// planted\n`,
  named: new RegExp(file.replaceAll(".", "\\."))
})

const FAULTS: Readonly<Record<TestSteps.Name, Fault>> = {
  format: { copied: [], file: "src/planted.ts", plant: () => "export const  planted = 1\n", named: /src\/planted\.ts/ },
  types: {
    copied: [],
    file: "src/planted.ts",
    plant: () => 'export const planted: number = "one"\n',
    named: /src\/planted\.ts\(1,14\): error TS2322/
  },
  lint: {
    copied: [],
    file: "src/planted.ts",
    plant: () => "export const planted = (value: any) => value\n",
    named: /no-explicit-any/
  },
  imports: {
    copied: ["scripts/check-imports.ts", "scripts/import-rules.ts", "src/domain"],
    file: "src/domain/Planted.ts",
    plant: () => 'import "../cli/Planted.ts"\n',
    named: /src\/domain\/Planted\.ts/
  },
  prose: {
    copied: ["scripts/check-prose.ts"],
    file: "src/planted.ts",
    plant: () => "/** What is planted. */\nexport const planted = 1\n",
    named: /src\/planted\.ts:1/
  },
  generated: {
    ...generated(["contracts", "src", "test/vectors"], "src/adapters/evm/abi/contracts.generated.ts"),
    reused: ".sweep/checks/contracts"
  },
  openapi: generated(["scripts", "src", "docs"], "docs/openapi/orchestrator.json"),
  docs: generated(
    ["scripts", "src", "docs", "migrations", "bench", "README.md", "examples"],
    "docs/reference/settings.md"
  ),
  "solidity-format": {
    copied: ["contracts/foundry.toml"],
    file: "contracts/src/Planted.sol",
    plant: () => "contract   Planted {}\n",
    named: /Planted\.sol/
  },
  solidity: {
    copied: ["contracts/foundry.toml", "contracts/bin"],
    file: "contracts/test/Planted.t.sol",
    plant: () => failingContract,
    named: /1 tests? passed, 1 failed/
  },
  unit: vitest,
  typescript: vitest
}

/** A directory with parts of the checkout, and all installed packages. */
const scratch = Effect.fnUntraced(function* (parts: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const root = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-gate-" })
  yield* fs.symlink(path.join(projectRoot, "node_modules"), path.join(root, "node_modules"))
  yield* Effect.forEach(parts, (part) =>
    Effect.andThen(
      fs.makeDirectory(path.dirname(path.join(root, part)), { recursive: true }),
      fs.copy(path.join(projectRoot, part), path.join(root, part))
    )
  )
  return root
})

const existing = Effect.fnUntraced(function* (part: string | undefined) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return part !== undefined && (yield* fs.exists(path.join(projectRoot, part))) ? [part] : []
})

const plant = Effect.fnUntraced(function* (root: string, fault: Fault) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(root, fault.file)
  const before = (yield* fs.exists(file)) ? yield* fs.readFileString(file) : ""
  yield* fs.makeDirectory(path.dirname(file), { recursive: true })
  yield* fs.writeFileString(file, fault.plant(before))
})

/** The program of one step, bundled: it starts for each fault, and its sources load in five times the CPU time. */
const stepProgram = Effect.promise(async () => {
  const source = join(import.meta.dirname, "stepProcess.ts")
  const build = (outdir: string) => Bun.build({ entrypoints: [source], outdir, target: "bun" })
  return join(await once("step", build), "stepProcess.js")
})

const runStep = (root: string, name: TestSteps.Name) =>
  Effect.flatMap(stepProgram, (program) => run([program, root, name]))

layer(BunServices.layer, { excludeTestServices: true })("the gate", (it) => {
  it.effect.each(TestSteps.NAMES)("fails on a fault in the step %s", (name) =>
    Effect.gen(function* () {
      const fault = FAULTS[name]
      const root = yield* scratch([...SETTINGS, ...fault.copied, ...(yield* existing(fault.reused))])
      yield* plant(root, fault)
      const { code, err, out } = yield* runStep(root, name)
      assert.notStrictEqual(code, 0, out)
      assert.match(out, fault.named)
      assert.match(out.trimEnd().split("\n").at(-1) ?? "", /^\d+ passed, [1-9]\d* failed$/, err)
    })
  )

  it.effect("passes where there is no fault", () =>
    Effect.gen(function* () {
      const root = yield* scratch([...SETTINGS, "scripts/check-imports.ts", "scripts/import-rules.ts", "src/domain"])
      for (const name of ["lint", "imports"] as const) {
        const { code, out } = yield* runStep(root, name)
        assert.strictEqual(code, 0, out)
        assert.match(out, /\n1 passed, 0 failed\n$/)
      }
    })
  )

  it.effect("fails when no test runs", () =>
    Effect.gen(function* () {
      const { code, out } = yield* sweep(["test", "no test has this path"])
      assert.strictEqual(code, 1)
      assert.match(out, /\n0 passed, 1 failed\n$/)
    })
  )
})
