/** Routers of the deployment for which the package was built. */
import type { Routers } from "./SwapCall.ts"

/**
 * Readers of routers by chain id. `./sweep build-client` writes those of the venues in the operator's chains file here. Empty in a package
 * that was built without them.
 */
export const SHIPPED_ROUTERS: Readonly<Record<number, Routers>> = {}
