/** A file in which screening keeps a list for the next start. A disk that does not answer holds up neither a start nor a request. */
import { Clock, Duration, Effect, FileSystem, Schema } from "effect"

/** Timeout of reading and of writing the file. */
const PATIENCE = Duration.seconds(3)

const directoryOf = (path: string): string => {
  const end = path.lastIndexOf("/")
  return end === -1 ? "." : path.slice(0, end + 1)
}

/**
 * Makes `load`, which returns undefined if there is nothing that can be used, and `save`, which returns true if the file was written.
 * Neither fails. `use` reads the content at a time (UNIX milliseconds), and refuses it with a reason.
 */
export const make = Effect.fnUntraced(function* <Content, Value>(
  path: string,
  schema: Schema.Codec<Content, string>,
  use: (content: Content, now: number) => Effect.Effect<Value, { readonly message: string }>
) {
  const files = yield* FileSystem.FileSystem
  const decode = Schema.decodeEffect(schema)
  const encode = Schema.encodeEffect(schema)

  const complain = (event: string) => (error: { readonly message: string }) =>
    Effect.as(Effect.annotateLogs(Effect.logWarning(event), { path, detail: error.message }), undefined)
  const tooSlow = { duration: PATIENCE, orElse: () => Effect.fail({ message: "the disk does not answer" }) }

  const read = Effect.gen(function* () {
    if (!(yield* files.exists(path))) return undefined
    const content = yield* decode(yield* files.readFileString(path))
    return yield* use(content, yield* Clock.currentTimeMillis)
  })

  // Another process must never read a half of a list.
  const write = Effect.fnUntraced(function* (content: Content) {
    const temporary = yield* files.makeTempFileScoped({ directory: directoryOf(path), prefix: "sanctions-" })
    yield* files.writeFileString(temporary, yield* encode(content))
    yield* files.rename(temporary, path)
  }, Effect.scoped)

  return {
    load: read.pipe(Effect.timeoutOrElse(tooSlow), Effect.catch(complain("sanctions.kept_list_unread"))),
    save: (content: Content) =>
      Effect.as(write(content), true).pipe(
        Effect.timeoutOrElse(tooSlow),
        Effect.catch(complain("sanctions.kept_list_unwritten")),
        Effect.map((isWritten) => isWritten === true)
      )
  }
})
