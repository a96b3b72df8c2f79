/** The alert rules for Prometheus, examined by its own program. */
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { must } from "./Report.ts"
import type { Shell } from "./Shell.ts"
import * as Tools from "./Tools.ts"

const DIRECTORY = fileURLToPath(new URL("../../deploy/prometheus", import.meta.url))

/** True if `promtool` is installed. */
export const isInstalled = Effect.map(Tools.installed(["promtool"]), (command) => command !== undefined)

/** `promtool` accepts the rules, and the rules pass their unit tests, which provoke and resolve each of them. */
export const accepted = Effect.fnUntraced(function* ({ output }: Shell) {
  const checked = yield* output(`promtool check rules ${DIRECTORY}/rules.yml`)
  const tested = yield* output(`promtool test rules ${DIRECTORY}/rules.test.yml`)
  yield* must(!tested.includes("FAILED"), tested)
  return /\d+ rules/.exec(checked)?.[0] ?? checked
})
