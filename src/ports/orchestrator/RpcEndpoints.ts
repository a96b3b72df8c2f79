/** JSON-RPC endpoints as the chains file lists them, and questions to endpoints that an operator wants to use. */
import { Context, type Effect } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { ChainFacts } from "../../domain/doctor/Endpoints.ts"
import type { RpcEndpoint } from "../../domain/RpcEndpoint.ts"

export class RpcEndpoints extends Context.Service<
  RpcEndpoints,
  {
    /** `rpcUrls` of the chain, preferred first. */
    readonly configured: (chainId: ChainId) => ReadonlyArray<RpcEndpoint>
    /**
     * Asks endpoints of one chain for the id of their chain, their head and state overrides, all at once and within three seconds. The facts are in
     * the order of the endpoints.
     */
    readonly examine: (
      endpoints: ReadonlyArray<RpcEndpoint>
    ) => Effect.Effect<Pick<ChainFacts, "commonHeight" | "endpoints">>
    /** True if all addresses of the URL's host are public, or if the chains file names the host. */
    readonly isAllowed: (url: string) => Effect.Effect<boolean>
  }
>()("sweep/ports/RpcEndpoints") {}
