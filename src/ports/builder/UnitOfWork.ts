/** Several changes of one store, made together or not at all. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    /** Runs store operations in one transaction, which a failure of any kind rolls back. Nests. */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>
  }
>()("sweep/ports/UnitOfWork") {}
