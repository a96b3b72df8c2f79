/** Reads the operator's JSON files of rules. A file that is wrong is refused with all of its problems. */
import { Effect, FileSystem, Schema, SchemaIssue } from "effect"
import { UsageError } from "./UsageError.ts"

export interface PolicyFile<A, I> {
  /** Setting that names the file. */
  readonly name: string
  readonly path: string
  /** Schema of the file. */
  readonly schema: Schema.Codec<A, I>
  /** Finds the problems of contents that the schema accepts. */
  readonly objections: (value: A) => ReadonlyArray<string>
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const places = (path: ReadonlyArray<unknown>): string =>
  path.map((segment) => (typeof segment === "number" ? `${segment + 1}` : String(segment))).join(".")

/** One sentence for each problem. Values are not repeated. */
const problemsOf = (error: Schema.SchemaError): ReadonlyArray<string> =>
  issuesOf(error.issue).issues.map(({ message, path = [] }) => {
    const said = message.charAt(0).toLowerCase() + message.slice(1)
    const place = places(path.map((segment) => (typeof segment === "object" ? segment.key : segment)))
    return place === "" ? said : `${place}: ${said}`
  })

export const read = Effect.fn("PolicyFile.read")(function* <A, I>({
  name,
  objections,
  path,
  schema
}: PolicyFile<A, I>) {
  const files = yield* FileSystem.FileSystem
  const bad = (problems: ReadonlyArray<string>) => new UsageError({ detail: `${name} ${path}: ${problems.join("; ")}` })
  const text = yield* Effect.mapError(files.readFileString(path), ({ reason }) =>
    bad([reason._tag === "NotFound" ? "there is no such file" : `cannot be read (${reason._tag})`])
  )
  const json = yield* Effect.try({ try: () => JSON.parse(text) as unknown, catch: () => bad(["is not JSON"]) })
  const value = yield* Effect.mapError(
    Schema.decodeUnknownEffect(schema)(json, { errors: "all", onExcessProperty: "error" }),
    (error) => bad(problemsOf(error))
  )
  const found = objections(value)
  return found.length === 0 ? value : yield* bad(found)
})
