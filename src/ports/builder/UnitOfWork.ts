/** Several changes of one store in one transaction. */
import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../shared/Store.ts"

export class UnitOfWork extends Context.Service<
  UnitOfWork,
  {
    /**
     * Runs store operations in one transaction, which any failure rolls back. Calls can be nested; the outermost
     * commits.
     */
    readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StoreUnavailable, R>
  }
>()("sweep/ports/UnitOfWork") {}
