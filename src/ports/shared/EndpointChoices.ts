/** JSON-RPC endpoints of chains that the operator chose in place of those of the chains file, as this process knows them. */
import { Context, Effect } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { RpcEndpoint } from "../../domain/RpcEndpoint.ts"

/** A choice that did not change is the same array. */
export type Chosen = ReadonlyMap<ChainId, ReadonlyArray<RpcEndpoint>>

/** Default: none. */
export const EndpointChoices = Context.Reference<Effect.Effect<Chosen>>("sweep/ports/EndpointChoices", {
  defaultValue: () => Effect.succeed(new Map())
})
