/**
 * EIP-712 domain name of the deployment for which the package was built. `./sweep build-client` writes that of the operator's settings here.
 * Here it is the name of the specification.
 */
export const DEFAULT_DOMAIN_NAME: string = "Service"
