/** How the services log: to people or to machines, on standard error, so that standard output stays a command's answer. */
import { Console, Effect, Layer, Logger, type LogLevel, References } from "effect"
import { CommonConfig } from "../config/Common.ts"

/** Lines for machines are written together: one by one, writing them would cost a busy service more than reading requests. */
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

/** As LOG_FORMAT and LOG_LEVEL say. */
export const layer = Layer.unwrap(Effect.map(CommonConfig, withSettings))
