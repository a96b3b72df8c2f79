/** Facts about the arrival of a bridged sweep that differ from what the request says, and that the owner should know. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { described } from "./Described.ts"

const Instead = Schema.Struct({
  token: described(Address.Address, "Token on the destination chain."),
  minAmount: described(Uint256, "Minimum amount in the smallest unit of the token.")
}).annotate({ identifier: "ArrivesInstead" })

/** Fields of a quote. Absent if there is nothing to tell. */
export const fields = {
  outputUnwraps: described(
    Schema.optionalKey(Schema.Boolean),
    "True if tokenOut is the wrapped native token and arrives as native currency, since the bridge unwraps it for accounts without code. An addition to the specification."
  ),
  arrivesInsteadIfSwapFails: described(
    Schema.optionalKey(Instead),
    "The bridge does not carry tokenOut. It carries this token, which is swapped into tokenOut on arrival. If that swap fails, this token arrives, at least in this amount. An addition to the specification."
  )
}

const Facts = Schema.Struct(fields)
export type ArrivalFacts = typeof Facts.Type
