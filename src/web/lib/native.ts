/** The chain's native currency in place of a token. */
import type { Address } from "../../domain/Address.ts"

/** As `NATIVE` of the domain, which needs schemas and a hash. */
export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE" as Address
