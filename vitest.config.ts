import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import LongestFirst from "./test/support/LongestFirst.ts"
import { unitTests } from "./test/support/TestKinds.ts"

const unit = unitTests(import.meta.dirname)

/** Each worker may start chains, a browser and services, so that many cores are not all put to use. */
const MAX_WORKERS = 8

/** Two more workers than cores: most of the time, two of them wait for a block, a deadline or a process. */
const WORKERS = Math.min(availableParallelism() + 2, MAX_WORKERS)

const shared = {
  // The default pool forks Node processes, which do not run under Bun.
  pool: "threads" as const,
  // Bun loads TypeScript itself, each module once per worker: test files share modules and must not change their state.
  isolate: false,
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Only to end a test that hangs: a busy machine must not make it red.
  testTimeout: 300_000,
  hookTimeout: 300_000
}

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    allowOnly: false,
    silent: "passed-only",
    projects: [
      { test: { ...shared, name: "unit", include: [...unit] } },
      {
        test: {
          ...shared,
          name: "real",
          include: ["test/**/*.test.ts"],
          exclude: [...unit],
          globalSetup: ["test/support/PostgresSetup.ts", "test/support/RunSetup.ts", "test/support/RedisNotice.ts"]
        }
      }
    ]
  }
})
