/** The cache of everything that was read. It notices when a session or an admin token is not accepted any more. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import * as AdminToken from "./adminToken.ts"
import { isFailure } from "./failures.ts"
import { me, MINE } from "./queries.ts"

/** Failures that a second try, a moment later, may not meet. */
const TRANSIENT = ["HttpClientError", "Unavailable", "InternalError", "UpstreamFailed"]

const RETRIES = 2

/** Queries and changes of the console say so with this first part of their key. */
export const CONSOLE = "console"

const onError = (error: unknown, key: ReadonlyArray<unknown> | undefined): void => {
  if (!isFailure(error, "Unauthorized")) return
  if (key?.[0] === CONSOLE) AdminToken.set(undefined)
  if (key?.[0] === MINE) {
    queryClient.setQueryData(me.queryKey, null)
    queryClient.removeQueries({ queryKey: [MINE] })
  }
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, query) => onError(error, query.queryKey) }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => onError(error, mutation.options.mutationKey)
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => count < RETRIES && TRANSIENT.some((tag) => isFailure(error, tag))
    }
  }
})
