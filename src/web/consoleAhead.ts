/** Asks for the data of a console page while its code comes, not after it. */
import * as AdminToken from "./api/adminToken.ts"
import type * as Queries from "./admin/queries.ts"

/**
 * Makes a loader of a route, which the page does not wait for. Nothing is asked for a visitor without a token: the door or a gateway may
 * stop them.
 */
export const ahead =
  <Context>(ask: (queries: typeof Queries, context: Context) => ReadonlyArray<Promise<void>>) =>
  (context: Context): void => {
    if (AdminToken.current() === undefined) return
    // The page reports what fails.
    void import("./admin/queries.ts").then((queries) => ask(queries, context)).catch(() => undefined)
  }
