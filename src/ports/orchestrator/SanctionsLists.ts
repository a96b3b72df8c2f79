/** The sanctions lists that this service keeps itself, beside the sources that it asks for each address. */
import { Context, type Effect, type Option, Schema } from "effect"

/** The list could not be read, or it does not replace the last good one, which stays in use. */
export class RefreshFailed extends Schema.TaggedError<RefreshFailed>()("RefreshFailed", { detail: Schema.String }) {
  override get message(): string {
    return `the sanctions list was not refreshed: ${this.detail}`
  }
}

/** Age of the newest list in use. */
export interface ListAge {
  /** UNIX milliseconds at which the list was last read from its source. Undefined: never. */
  readonly checkedAt: number | undefined
  /** Reason for which a newer copy does not make the list younger. Absent if there is none. */
  readonly detail?: string
}

export class SanctionsLists extends Context.Service<
  SanctionsLists,
  {
    /** None if no list is configured. */
    readonly age: Effect.Effect<Option.Option<ListAge>>
    /**
     * Reads the list from its source, and returns the number of its addresses. None if no source is configured. The last good list
     * stays in use until a better one has been read completely.
     */
    readonly refresh: Effect.Effect<Option.Option<number>, RefreshFailed>
  }
>()("sweep/ports/SanctionsLists") {}
