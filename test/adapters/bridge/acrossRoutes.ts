/** The bridge on local chains, with a fee service that a test chooses. */
import { Effect, Layer } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { Bridge, type BridgeRequest } from "../../../src/ports/orchestrator/Bridge.ts"
import { network } from "./acrossNetwork.ts"

export const fees = layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3 * 3_600 })

export const ORDER_LIFETIME_SECONDS = 720

export const across = Across.layer({ orderLifetimeSeconds: ORDER_LIFETIME_SECONDS }).pipe(
  Layer.provide([fees, UniswapV3.layer])
)

export const shared = across.pipe(Layer.provideMerge(network))

export const refusal = (request: BridgeRequest) =>
  Effect.flatMap(Bridge, (bridge) => Effect.flip(bridge.route(request))).pipe(
    Effect.map((error) => `${error._tag}: ${error.detail}`)
  )
