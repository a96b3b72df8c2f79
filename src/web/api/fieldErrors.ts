/** Errors of a form by field. */
import { isFailure } from "./failures.ts"

interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

const isIssue = (value: unknown): value is Issue =>
  typeof value === "object" && value !== null && "path" in value && "message" in value && Array.isArray(value.path)

/** Errors by field, from the service. Empty for other failures. */
export const fieldErrors = (error: unknown): Readonly<Record<string, string>> => {
  if (!isFailure(error, "InvalidRequest") || typeof error !== "object" || error === null || !("error" in error))
    return {}
  const body = error.error
  if (typeof body !== "object" || body === null || !("issues" in body) || !Array.isArray(body.issues)) return {}
  return Object.fromEntries(body.issues.filter(isIssue).map(({ message, path }) => [path[0] ?? "", message]))
}
