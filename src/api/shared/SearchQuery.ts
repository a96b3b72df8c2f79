/** Query of a search, at the orchestrator and through the console. */
import { Schema } from "effect"
import { described } from "../../domain/Described.ts"
import { MAX_LENGTH } from "../../domain/SearchTerm.ts"

const message = `expected 1 to ${MAX_LENGTH} characters`

export const searchQuery = {
  q: described(
    Schema.String.check(Schema.isMinLength(1, { message }), Schema.isMaxLength(MAX_LENGTH, { message })),
    "Id of an intent or a batch, hash of a transaction, address, or a link that ends with one of them."
  )
}
