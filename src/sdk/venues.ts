/**
 * Readers for the routers of exchanges beside Uniswap's SwapRouter02, for the `routers` of a review. It needs only the peer `viem`.
 *
 * @example
 * import { createSweepClient } from "token-sweep"
 * import { VENUE_ROUTERS } from "token-sweep/venues"
 *
 * const client = createSweepClient({ orchestratorUrl: "https://sweep.example", review: { routers: VENUE_ROUTERS } })
 */
export { type Routers, readSwapRouter02, type SwapCall, type SwapReader } from "./review/SwapCall.ts"
export { readKyberSwapCall } from "./review/venues/KyberSwap.ts"
export { AGGREGATOR_ROUTERS, readVenueCall, VENUE_ROUTERS, venueRouters } from "./review/venues/KnownVenues.ts"
export { readLiFiCall } from "./review/venues/LiFi.ts"
export { readSlipstreamCall } from "./review/venues/Slipstream.ts"
export { readSolidlyCall } from "./review/venues/Solidly.ts"
export { readUniswapV2Call } from "./review/venues/UniswapV2.ts"
export { readUniswapV3Call } from "./review/venues/UniswapV3.ts"
export { readUniswapV4Call } from "./review/venues/UniswapV4.ts"
export { readZeroExCall } from "./review/venues/ZeroEx.ts"
