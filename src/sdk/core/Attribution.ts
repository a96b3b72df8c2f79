/** Attribution of sweeps to a builder. */

/** Adds the client's API key to a request that has none of its own. An undefined key is none. */
export const attributed = <Request extends { readonly apiKey?: string }>(
  request: Request,
  apiKey: string | undefined
): Request => (apiKey === undefined || request.apiKey !== undefined ? request : { ...request, apiKey })
