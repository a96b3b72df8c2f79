import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { unitTests } from "./TestKinds.ts"

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sweep-kinds-"))
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const write = (file: string, source: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), source)
}

describe("unit tests", () => {
  it("are those that load no module that starts a process", () => {
    write("test/domain/Fees.test.ts", 'import { fee } from "../../src/domain/Fees.ts"')
    write("test/e2e/Sweep.test.ts", 'import { chains } from "../support/Chains.ts"')
    write("test/support/Chains.ts", 'import {\n  start\n} from "./Nodes.ts"')
    write("test/support/Nodes.ts", 'import * as Anvil from "../../src/devnet/Anvil.ts"\nimport "./Chains.ts"')
    write("test/launcher.test.ts", 'import { spawn } from "node:child_process"')
    write("test/cli/Run.test.ts", "Bun.spawn([])")
    write("test/sdk/Types.test.ts", 'import type { Anvil } from "../../src/devnet/Anvil.ts"')
    assert.deepStrictEqual(unitTests(root), ["test/domain/Fees.test.ts", "test/sdk/Types.test.ts"])
  })
})
