/**
 * Splits intents into tables by how they change.
 *
 * `intent_terms` and `intent_signatures` are written once. `intent_states` is narrow, and no index has a column that changes
 * while a sweep succeeds, so that updates stay in the page and write no index entries. `open_quotes`, `intent_queue` and
 * `intent_deliveries` hold the intents that wait. The last also holds delivered ones whose transaction is not found yet. Triggers
 * on `intent_states` keep these tables, so they follow from the status, whoever changes it.
 *
 * `number` orders intents by their creation: seconds since 1970 times 2^24, plus a counter. Terms, signatures and history have
 * a partition for each month of it. Ids, digests and order nonces are unique in `intent_states`, which has no partitions.
 *
 * The views `intents` and `intent_events` have the names and columns of the tables before. Nothing can be written through them,
 * so the release before can read, and its writes fail.
 */
import { Effect } from "effect"
import { copied, views } from "./intent-tables/Copy.ts"
import { tables } from "./intent-tables/Tables.ts"
import { counts, triggers } from "./intent-tables/Triggers.ts"

export default Effect.gen(function* () {
  yield* tables
  yield* copied
  yield* views
  yield* triggers
  yield* counts
})
