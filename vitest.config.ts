import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The default pool forks Node processes, which do not run under Bun.
    pool: "threads",
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
