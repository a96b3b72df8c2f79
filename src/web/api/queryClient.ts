/** The query cache. It notices when a session or an admin token is no longer accepted. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import * as AdminToken from "./adminToken.ts"
import { isFailure } from "./failures.ts"
import { MUTATIONS } from "./mutations.ts"
import { me, MINE } from "./queries.ts"
import { isRepeated, pauseAfter } from "./retries.ts"

/** First element of the keys of the console's queries and mutations. */
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
    mutations: MUTATIONS,
    queries: {
      staleTime: 15_000,
      retry: isRepeated,
      retryDelay: pauseAfter
    }
  }
})
