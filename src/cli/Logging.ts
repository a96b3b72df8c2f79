/** How the services log: to people or to machines, on standard error, so that standard output stays a command's answer. */
import { Effect, Layer, Logger, type LogLevel, References } from "effect"
import { CommonConfig } from "../config.ts"

const withSettings = ({
  logFormat,
  logLevel
}: {
  readonly logFormat: "pretty" | "json"
  readonly logLevel: LogLevel.LogLevel
}) =>
  Layer.mergeAll(
    Logger.layer([logFormat === "json" ? Logger.consoleJson : Logger.consolePretty()]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, logLevel)
  )

/** As LOG_FORMAT and LOG_LEVEL say. */
export const layer = Layer.unwrap(Effect.map(CommonConfig, withSettings))
