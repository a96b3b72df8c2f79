/** Methods of each path, matched in the same way as the router matches routes. Distinguishes 404 from 405. */
import { FindMyWay, type HttpRouter } from "effect/http"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"

/**
 * Path matching of the router and of this table. Case matters (RFC 3986, section 6.2.2.1). Parameters may be long, so that the
 * schema answers a malformed one instead of the router.
 */
export const ROUTER_CONFIG = { caseSensitive: true, maxParamLength: 16_384 } as const

export interface Entry {
  /** Path as it is declared, such as `/intents/:id`. */
  readonly pattern: string
  readonly methods: ReadonlySet<string>
  /** Absent for routes outside the contract, such as the documentation. */
  readonly endpoint?: HttpApiEndpoint.Top
}

export interface RouteTable {
  /** The entry at the path of a request target such as `/intents/1?x=y`. */
  readonly find: (target: string) => Entry | undefined
}

const isPath = (path: string): path is `/${string}` => path.startsWith("/")

export const make = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  /** Paths outside the contract that answer GET. */
  others: ReadonlyArray<HttpRouter.PathInput>
): RouteTable => {
  const entries = new Map<string, Entry & { readonly methods: Set<string> }>()
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }) => {
      const entry = entries.get(endpoint.path)
      if (entry === undefined) {
        const { method, path: pattern } = endpoint
        entries.set(pattern, { pattern, methods: new Set([method]), endpoint })
      } else entry.methods.add(endpoint.method)
    }
  })
  for (const path of others) entries.set(path, { pattern: path, methods: new Set(["GET"]) })

  const router = FindMyWay.make<Entry>(ROUTER_CONFIG)
  for (const [path, entry] of entries) {
    if (entry.methods.has("GET")) entry.methods.add("HEAD")
    if (isPath(path)) router.on("GET", path, entry)
  }
  return { find: (target) => router.find("GET", target)?.handler }
}
