/** Default options of mutations, for every query client of the web app. */

/**
 * A mutation without a connection fails at once. By default, TanStack Query keeps it and runs it when the connection is back: after the user
 * has given up, with values that have changed since.
 */
export const MUTATIONS = { networkMode: "always" } as const
