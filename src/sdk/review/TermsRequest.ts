/** A request for one token, on its own or among others. */
import type { SweepRequest } from "../model/Sweep.ts"

/** A request for one token. `max` leaves the amount to the service. */
export type TermsRequest = Omit<SweepRequest, "amountIn"> & { readonly amountIn: bigint | "max" }
