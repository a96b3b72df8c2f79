/**
 * The TypeScript client of the sweep service, for browsers, Node and Bun. `viem` is its only dependency, as a peer.
 *
 * ```ts
 * const client = createSweepClient({ orchestratorUrl: "https://…" })
 * const result = await client.sweep(
 *   { owner: account.address, tokenIn, amountIn: 25_000000n, tokenOut, destChainId: 8453 },
 *   account,
 *   { confirm: (review) => askTheUser(review), onProgress: ({ status }) => show(status) }
 * )
 * ```
 */
export type { RetryOptions } from "./attempts.ts"
export { readBridgeCall, type BridgeCall } from "./bridge.ts"
export {
  createSweepClient,
  type SweepClient,
  type SweepClientOptions,
  type SweepOptions,
  type SweepResult
} from "./client.ts"
export type { Delegation, Node, NodeCall, NodeClient, RevocationSender, RevokeOptions } from "./delegation.ts"
export * from "./errors.ts"
export type { Fetch } from "./http.ts"
export { KNOWN_BRIDGES, type KnownBridge, type KnownBridges } from "./knownBridges.ts"
export { type Guarantee, reviewOrder, type ReviewOptions, type SweepReview } from "./review.ts"
export { type AuthorizationSignature, fromProvider, type Provider, type SweepSigner } from "./signer.ts"
export { signReviewed } from "./sign.ts"
export { DEFAULT_DOMAIN_NAME, ORDER_TYPES, type OrderTypedData, orderTypedData, toJson } from "./typedData.ts"
export type * from "./types.ts"
export type { WaitOptions } from "./wait.ts"
