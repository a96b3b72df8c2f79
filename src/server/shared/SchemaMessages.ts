/**
 * What a client reads when a request has the wrong shape: every problem, each naming its field, joined with `"; "`
 * (spec, "Errors"). The wording is part of the interface, so it never shows the service's own type names or the input.
 */
import { type SchemaAST, SchemaIssue } from "effect"

const literal = (ast: SchemaAST.AST): string | undefined => (ast._tag === "Literal" ? String(ast.literal) : undefined)

const expected = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
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

const leaf = (issue: SchemaIssue.Leaf): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "missing"
    case "InvalidType":
      return typeof issue.ast.annotations?.["message"] === "string"
        ? issue.ast.annotations["message"]
        : `expected ${expected(issue.ast)}`
    default:
      return lowerFirst(SchemaIssue.defaultLeafHook(issue))
  }
}

const toStandard = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leaf })

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

/** One line per problem, in the order of the schema's fields; `root` names the whole value, e.g. `body`. */
export const messages = (issue: SchemaIssue.Issue, root: string): ReadonlyArray<string> => {
  const lines = toStandard(issue).issues.map(({ message, path = [] }) => {
    const name = path.length === 0 ? root : path.map(segment).join(".")
    return `${name}: ${lowerFirst(message)}`
  })
  return [...new Set(lines)]
}

export const format = (issue: SchemaIssue.Issue, root: string): string => messages(issue, root).join("; ")
