/** `./sweep demo`: the main job, on a local network that is there just for it. */
import { Console, Effect, FileSystem, Layer, Logger, Path, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { SecureRandom } from "effect/crypto"
import { FetchHttpClient } from "effect/http"
import * as DevApp from "../apps/DevApp.ts"
import * as Demo from "../devnet/demo/Demo.ts"
import { asJson, asText } from "../devnet/demo/Events.ts"
import { projectRoot } from "./Project.ts"

/** At least one balance is not what the order says. */
export class BalancesDiffer extends Schema.TaggedError<BalancesDiffer>()("BalancesDiffer", {}) {
  override get message(): string {
    return "not every balance matches its order; see the failed checks above"
  }
}

const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print one JSON object a line instead of text"),
  Flag.withDefault(false)
)

/** What the services log meanwhile would drown the story; it is kept in a file. */
const logsTo = (file: string) => Logger.layer([Logger.toFile(Logger.formatLogFmt, file)])

export const demoCommand = Command.make("demo", { json }, ({ json }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const where = yield* fs.makeTempDirectoryScoped({ prefix: "sweep-demo-" })
    const logFile = path.join(projectRoot, ".sweep", "demo.log")
    yield* fs.makeDirectory(path.dirname(logFile), { recursive: true })
    yield* Console.error(`starting PostgreSQL, two chains, their contracts and the services; their log is ${logFile}`)
    const matched = yield* Effect.gen(function* () {
      const { info } = yield* DevApp.start({ directory: where })
      return yield* Demo.run(info, (event) => Console.log(json ? asJson(event) : asText(event)))
    }).pipe(Effect.provide(Layer.mergeAll(logsTo(logFile), SecureRandom.layerWebCrypto, FetchHttpClient.layer)))
    if (!matched) return yield* new BalancesDiffer()
  }).pipe(Effect.scoped)
).pipe(
  Command.withDescription(
    "Sweep tokens gaslessly on a local network, on one chain and across two, and check every balance"
  ),
  Command.withExamples([
    { command: "sweep demo", description: "Tell each step as it happens" },
    { command: "sweep demo --json", description: "The same for programs" }
  ])
)
