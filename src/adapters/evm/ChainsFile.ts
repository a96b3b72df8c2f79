/** The chains that an operator serves, from a JSON file: an array of entries as `ChainSettings` describes them. */
import { Effect, FileSystem, Schema } from "effect"
import { ChainSettings, withKnownFacts } from "./ChainSettings.ts"

/** The file is missing or is not what it should be; the message says what to change. */
export class BadChainsFile extends Schema.TaggedError<BadChainsFile>()("BadChainsFile", {
  path: Schema.String,
  detail: Schema.String
}) {
  override get message(): string {
    return `chains file ${this.path}: ${this.detail}`
  }
}

/** Decodes the file's text. Several problems are reported at once. */
export const decode = (path: string, text: string) =>
  Effect.gen(function* () {
    const entries = yield* Schema.decodeEffect(Schema.fromJsonString(Schema.Array(Schema.Unknown)))(text)
    const settings = yield* Schema.decodeUnknownEffect(Schema.NonEmptyArray(ChainSettings))(
      entries.map(withKnownFacts),
      { errors: "all" }
    )
    const ids = settings.map((chain) => chain.id)
    const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
    if (repeated !== undefined) return yield* Effect.fail(new Error(`chain ${repeated} is listed twice`))
    return settings
  }).pipe(Effect.mapError((error) => new BadChainsFile({ path, detail: error.message })))

/** Reads and decodes the file. */
export const read = Effect.fn("ChainsFile.read")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(path)
    .pipe(
      Effect.mapError(
        (error) =>
          new BadChainsFile({
            path,
            detail: `cannot be read (${error.message}); set CHAINS_FILE to the file that lists the chains`
          })
      )
    )
  return yield* decode(path, text)
})
