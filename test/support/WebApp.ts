/** The built web app, which the first test file that needs it builds. */
import { join } from "node:path"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import * as WebBuild from "../../src/server/web/WebBuild.ts"
import { once, shared } from "./RunDirectory.ts"

const build = () => Effect.runPromise(Effect.provide(WebBuild.ensure(projectRoot, process.execPath), BunServices.layer))

/** Directory to serve. Files that need it at the same time would each build it. */
export const directory: Effect.Effect<string> = Effect.promise(async () => {
  await (shared() === undefined ? build() : once("web", build))
  return join(projectRoot, WebBuild.OUTPUT)
})
