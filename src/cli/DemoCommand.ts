/** `./sweep demo`: sweeps tokens on a local network that it starts and stops. */
import { Console, Effect, FileSystem, Layer, Logger, Path, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import { asJson, asText } from "../devnet/demo/Events.ts"
import { projectRoot } from "./Project.ts"

/** At least one balance does not match its order. */
export class BalancesDiffer extends Schema.TaggedError<BalancesDiffer>()("BalancesDiffer", {}) {
  override get message(): string {
    return "some balances do not match their order, see the failed checks above"
  }
}

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object per line instead of text"),
  Flag.withDefault(false)
)

/** The services log to a file, so that the terminal shows only the demo. */
const logsTo = (file: string) => Logger.layer([Logger.toFile(Logger.formatLogFmt, file)])

export const demoCommand = Command.make("demo", { json }, ({ json }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const where = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-demo-" })
    const logFile = path.join(projectRoot, ".sweep", "demo.log")
    yield* fs.makeDirectory(path.dirname(logFile), { recursive: true })
    yield* Console.error(`starting PostgreSQL, two chains, their contracts and the services. Log: ${logFile}`)
    // Imported here, so that other commands do not load the services.
    const [DevApp, Demo] = yield* Effect.promise(() =>
      Promise.all([import("../apps/DevApp.ts"), import("../devnet/demo/Demo.ts")])
    )
    const matched = yield* Effect.gen(function* () {
      const { info } = yield* DevApp.start({ directory: where })
      return yield* Demo.run(info, (event) => Console.log(json ? asJson(event) : asText(event)))
    }).pipe(Effect.provide(Layer.mergeAll(logsTo(logFile), SecureRandom.layerWebCrypto, FetchHttpClient.layer)))
    if (!matched) return yield* new BalancesDiffer()
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Sweep tokens gaslessly on a local network, one by one and a wallet with one signature, and check every balance"
  ),
  Command.withExamples([
    { command: "sweep demo", description: "Print each step as it happens" },
    { command: "sweep demo --json", description: "Print each step as JSON" }
  ])
)
