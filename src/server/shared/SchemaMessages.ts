/**
 * Text of a validation error: the problems with the names of their fields, joined with `"; "` (spec, "Errors"). The wording is
 * part of the interface. It never shows type names of the service, or the input.
 */
import { SchemaAST, SchemaIssue } from "effect"

const literal = (ast: SchemaAST.AST): string | undefined => (ast._tag === "Literal" ? String(ast.literal) : undefined)

const expected = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
      return "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Objects":
      return "an object"
    case "Arrays":
      return "an array"
    case "Literal":
      return String(ast.literal)
    case "Union": {
      const literals = ast.types.map(literal)
      return literals.every((value) => value !== undefined)
        ? `one of ${literals.join(", ")}`
        : ast.types.map(expected).join(" or ")
    }
    default:
      return "another value"
  }
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** Message of a failed check. */
const checkMessage = (issue: SchemaIssue.Filter): string | undefined => {
  const stated = SchemaIssue.defaultCheckHook(issue)
  const wanted = text(issue.filter.annotations?.["expected"])
  return stated ?? (wanted === undefined ? undefined : `expected ${wanted}`)
}

/** Message of the schema that a union adds null to, as optional fields of requests do. */
const besidesNull = (ast: SchemaAST.AST): string | undefined => {
  const [only, ...others] = ast._tag === "Union" ? ast.types.filter(({ _tag }) => _tag !== "Null") : []
  return only === undefined || others.length > 0 ? undefined : text(SchemaAST.toEncoded(only).annotations?.["message"])
}

const mismatch = (ast: SchemaAST.AST): string =>
  text(ast.annotations?.["message"]) ?? besidesNull(ast) ?? `expected ${expected(ast)}`

export interface Problem {
  readonly path: ReadonlyArray<PropertyKey>
  readonly message: string
}

/** The leaves of an issue. The message of an outer check replaces the messages inside it. */
export const problems = (
  issue: SchemaIssue.Issue,
  path: ReadonlyArray<PropertyKey>,
  override?: string
): ReadonlyArray<Problem> => {
  switch (issue._tag) {
    case "Filter":
      return problems(issue.issue, path, override ?? checkMessage(issue))
    case "Encoding":
      return problems(issue.issue, path, override)
    case "Pointer":
      return problems(issue.issue, [...path, ...issue.path], override)
    case "Composite":
      return issue.issues.flatMap((inner) => problems(inner, path, override))
    case "AnyOf":
      return issue.issues.length === 0 || issue.ast.annotations?.["message"] !== undefined
        ? [{ path, message: override ?? mismatch(issue.ast) }]
        : issue.issues.flatMap((inner) => problems(inner, path, override))
    case "MissingKey":
      return [{ path, message: "missing" }]
    case "InvalidType":
      return [{ path, message: override ?? mismatch(issue.ast) }]
    default:
      return [{ path, message: override ?? SchemaIssue.defaultLeafHook(issue) }]
  }
}

/** Maximum number of problems that a text names. */
const MAX_LINES = 20

/**
 * One line per problem, in the order of the schema's fields; `root` names the whole value, e.g. `body`. The last line counts the
 * problems above the maximum.
 */
export const messages = (issue: SchemaIssue.Issue, root: string): ReadonlyArray<string> => {
  const lines = new Set(
    problems(issue, []).map(
      ({ message, path }) => `${path.length === 0 ? root : path.map(String).join(".")}: ${lowerFirst(message)}`
    )
  )
  const named = [...lines].slice(0, MAX_LINES)
  return lines.size > MAX_LINES ? [...named, `and ${lines.size - MAX_LINES} more`] : named
}

export const format = (issue: SchemaIssue.Issue, root: string): string => messages(issue, root).join("; ")
