/** Runs a local network in the directory of the first argument until it is stopped. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import * as DevNetwork from "../../src/devnet/DevNetwork.ts"

const program = Effect.gen(function* () {
  const network = yield* DevNetwork.start({ directory: process.argv[2] ?? "", blockSeconds: 1 })
  yield* network.publish({
    orchestratorUrl: "http://127.0.0.1:1",
    builderUrl: "http://127.0.0.1:2",
    dashboardUrl: "http://127.0.0.1:3",
    orchestratorAdminToken: "orchestrator token",
    builderAdminToken: "builder token"
  })
  yield* Effect.sync(() => process.stdout.write("ready\n"))
  yield* Effect.never
})

BunRuntime.runMain(program.pipe(Effect.scoped, Effect.provide(BunServices.layer)))
