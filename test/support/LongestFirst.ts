/** Order of the test files: long ones first, so that at the end no worker is left alone with one of them. */
import { relative } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files of more than 20 seconds, longest first. Their place must not depend on a cache, which a fresh clone does not have. */
export const LONG: ReadonlyArray<string> = [
  "test/docs/Blocks.test.ts",
  "test/faults/Crash.test.ts",
  "test/faults/ChaosSteps.test.ts",
  "test/faults/Chaos.test.ts",
  "test/web/Accessibility.test.ts",
  "test/e2e/Restore.test.ts",
  "test/e2e/Builder.test.ts",
  "test/web/Sweep.test.ts",
  "test/web/SweepWallet.test.ts",
  "test/faults/Database.test.ts",
  "test/faults/Attacks.test.ts",
  "test/cli/Gate.test.ts",
  "test/examples/Hostile.test.ts",
  "test/web/Dashboard.test.ts",
  "test/faults/Node.test.ts",
  "test/faults/RateLimits.test.ts",
  "test/web/Holdings.test.ts",
  "test/e2e/Edr.test.ts",
  "test/faults/SharedLimits.test.ts",
  "test/web/LostSweep.test.ts",
  "test/web/Journeys.test.ts",
  "test/faults/Replicas.test.ts",
  "test/faults/Shutdown.test.ts",
  "test/web/Admin.test.ts",
  "test/mcp/Stdio.test.ts",
  "test/mcp/Stdio.snippet.test.ts",
  "test/e2e/Failures.test.ts",
  "test/cli/Usage.test.ts",
  "test/docs/Pages.test.ts",
  "test/server/builder/Fuzz.test.ts",
  "test/e2e/Sweep.test.ts",
  "test/sdk/Network.test.ts",
  "test/server/shared/ServiceServer.test.ts",
  "test/web/Webhooks.test.ts",
  "test/orchestrator/watch/Watcher.node.test.ts"
]

const places = new Map(LONG.map((file, index) => [file, index]))

/** The long files in their order, then the others in vitest's: by project, and longest first by the last run. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const others = await super.sort(files)
    const place = ({ moduleId }: TestSpecification): number =>
      places.get(relative(this.ctx.config.root, moduleId)) ?? LONG.length
    return others.toSorted((a, b) => place(a) - place(b))
  }
}
