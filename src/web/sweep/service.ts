/**
 * Reads of the service before anything is signed. The whole client has the reviews and the signing, which are larger than the
 * rest of the page and come while this is read.
 */
import { makeHttp } from "../../sdk/client/Http.ts"
import type { SweepClient } from "../../sdk/index.ts"
import { readChains, readTokens } from "../../sdk/wire/Catalog.ts"
import { readSweepable } from "../../sdk/wire/Portfolio.ts"

export const serviceOf = (orchestratorUrl: string): Pick<SweepClient, "chains" | "tokens" | "sweepable"> => {
  const http = makeHttp({ orchestratorUrl, fetch: (url, init) => fetch(url, init) })
  return {
    chains: (options) => http.get("/chains", readChains, options),
    tokens: (options) => http.get("/tokens", readTokens, options),
    sweepable: (owner, options) => http.get(`/portfolio/${owner}/sweepable`, readSweepable, options)
  }
}
