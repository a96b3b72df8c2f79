/** Logs to standard error, for people or for machines. Standard output holds only the result of a command. */
import { Console, Effect, Layer, Logger, type LogLevel, References } from "effect"
import { builder } from "../config/Builder.ts"
import { chains } from "../config/Chains.ts"
import { common, CommonConfig } from "../config/Common.ts"
import { orchestrator } from "../config/Orchestrator.ts"
import * as Problems from "./Problems.ts"

/** JSON lines are written in batches: one write per line would cost a busy service more than reading its requests. */
const json = Logger.batched(Logger.formatJson, {
  window: "50 millis",
  flush: (lines) => Console.error(lines.join("\n"))
})

const withSettings = ({
  logFormat,
  logLevel
}: {
  readonly logFormat: "pretty" | "json"
  readonly logLevel: LogLevel.LogLevel
}) =>
  Layer.mergeAll(
    Logger.layer([logFormat === "json" ? json : Logger.consolePretty()]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )

/**
 * The logger that LOG_FORMAT and LOG_LEVEL choose. Every command reads these settings first, so if they are wrong, the other
 * wrong settings are reported with them.
 */
export const layer = Layer.unwrap(
  CommonConfig.pipe(
    Effect.tapError(() => Problems.check([common, chains, orchestrator, builder])),
    Effect.map(withSettings)
  )
)
