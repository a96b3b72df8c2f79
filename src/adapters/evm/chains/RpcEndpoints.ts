/** {@link RpcEndpoints} over HTTP. */
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { endpointOf } from "../../../domain/RpcEndpoint.ts"
import { RpcEndpoints } from "../../../ports/orchestrator/RpcEndpoints.ts"
import { isPublicHost } from "../../http/PublicHost.ts"
import type { ChainEndpoints } from "./Chains.ts"
import * as EndpointFacts from "./EndpointFacts.ts"

const hostnameOf = (url: string): string => new URL(url).hostname

export const layer = (chains: ReadonlyArray<Pick<ChainEndpoints, "chain" | "rpcUrls">>) =>
  Layer.effect(
    RpcEndpoints,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const configured = new Map(chains.map(({ chain, rpcUrls }) => [chain.id, rpcUrls.map(endpointOf)]))
      const hostnames = new Set([...configured.values()].flat().map(({ url }) => hostnameOf(url)))
      return RpcEndpoints.of({
        configured: (chainId) => configured.get(chainId) ?? [],
        examine: (endpoints) =>
          Effect.forEach(endpoints, ({ url }) => EndpointFacts.askBriefly(url), { concurrency: "unbounded" }).pipe(
            Effect.flatMap(EndpointFacts.together),
            Effect.provideService(HttpClient.HttpClient, http)
          ),
        isAllowed: (url) => (hostnames.has(hostnameOf(url)) ? Effect.succeed(true) : isPublicHost(url))
      })
    })
  )
