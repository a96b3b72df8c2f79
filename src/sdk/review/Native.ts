/** The native currency of a chain, as a token. */
import { type Address, sameAddress } from "../model/Address.ts"

/** Address that stands for the native currency of any chain. */
export const NATIVE: Address = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"

export const isNative = (token: Address): boolean => sameAddress(token, NATIVE)
