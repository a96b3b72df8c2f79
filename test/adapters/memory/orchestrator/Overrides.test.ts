import { Effect, Layer } from "effect"
import * as LaneBooks from "../../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as Overrides from "../../../../src/adapters/memory/orchestrator/Overrides.ts"
import { LaneBook } from "../../../../src/ports/orchestrator/LaneBook.ts"
import { suite } from "../../../ports/shared/Overrides.suite.ts"

suite(
  "memory",
  Layer.mergeAll(LaneBooks.layer, Overrides.layer),
  Effect.flatMap(LaneBook, (book) => Effect.map(book.log(10), (records) => records.map(({ action }) => action)))
)
