/**
 * Programs of the Foundry toolchain. The launchers that npm puts into `node_modules/.bin` end with 0 when the program fails, so
 * the binary of the platform's own package is run.
 */
import { createRequire } from "node:module"
import { arch, platform } from "node:process"
import { Effect } from "effect"
import { SubprocessFailed } from "./Subprocess.ts"

export type Tool = "anvil" | "cast" | "forge"

/** Absolute path of a tool's binary. Fails when the package of this platform is not installed. */
export const binary = (tool: Tool): Effect.Effect<string, SubprocessFailed> => {
  const name = `@foundry-rs/${tool}-${platform}-${arch === "x64" ? "amd64" : arch}`
  return Effect.try({
    try: () =>
      createRequire(createRequire(import.meta.url).resolve(`@foundry-rs/${tool}/package.json`)).resolve(
        `${name}/bin/${tool}`
      ),
    catch: () =>
      new SubprocessFailed({ command: tool, detail: `the package ${name} is not installed. Run: bun install` })
  })
}
