import { Effect, Layer } from "effect"
import * as LaneBooks from "../../../../src/adapters/sql/orchestrator/LaneBook.ts"
import * as Overrides from "../../../../src/adapters/sql/shared/Overrides.ts"
import { LaneBook } from "../../../../src/ports/orchestrator/LaneBook.ts"
import { suite } from "../../../ports/shared/Overrides.suite.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

suite(
  "Postgres",
  Layer.mergeAll(LaneBooks.layer, Overrides.layer("orchestrator")).pipe(Layer.provideMerge(freshStores)),
  Effect.flatMap(LaneBook, (book) => Effect.map(book.log(10), (records) => records.map(({ action }) => action)))
)
