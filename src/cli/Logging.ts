/** Logs to standard error, for people or for machines. Standard output holds only the result of a command. */
import { Console, Effect, Layer, Logger, type LogLevel, References } from "effect"
import { CommonConfig } from "../config/Common.ts"

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

/** The logger that LOG_FORMAT and LOG_LEVEL choose. */
export const layer = Layer.unwrap(Effect.map(CommonConfig, withSettings))
