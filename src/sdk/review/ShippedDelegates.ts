/** Delegates of the deployment for which the package was built. */
import type { Address } from "../model/Address.ts"

/**
 * Delegates by chain id. `./sweep build-client` writes those of the operator's chains here, computed from the operator's settings. Empty in
 * a package that was built without them.
 */
export const SHIPPED_DELEGATES: Readonly<Record<number, Address>> = {}
