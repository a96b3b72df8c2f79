/** Filters of the audit log. */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { period } from "./AccountSchemas.ts"

const named = (description: string) => described(Schema.optionalKey(Schema.NonEmptyString), description)

/** Query parameters that select records of the audit log. */
export const auditFilter = {
  actor: named("Only changes of this operator or builder. A builder's changes have `builder:` and its id as actor."),
  by: described(
    Schema.optionalKey(Schema.Literals(["operators", "builders"])),
    "Only changes of operators, or only those of builders."
  ),
  action: named("Only changes of this kind, such as `builder.patch`."),
  subject: named("Only changes of the object with this identifier."),
  ...period
}
