/**
 * Knows which endpoints take block overrides as the fourth parameter of `eth_call`, as geth does. One small call tells: code that
 * returns the block's number runs in a block of another number.
 */
import { Effect } from "effect"
import type { Endpoint } from "./JsonRpc.ts"
import * as OverrideProbe from "./OverrideProbe.ts"

/** Any address without code. */
const ACCOUNT = "0x626c6f636b2d6f766572726964652d2d70726f62"

/** NUMBER, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN. */
const RETURN_NUMBER = "0x4360005260206000f3"

/** A number that no chain has reached. */
const NUMBER = "0x2a2a2a2a2a2a"
const EXPECTED = `0x${"2a2a2a2a2a2a".padStart(64, "0")}`

/** All that simulations override, since a node that does not know one of them may refuse the call. */
const OVERRIDES = {
  number: NUMBER,
  time: NUMBER,
  baseFeePerGas: "0x1",
  feeRecipient: ACCOUNT,
  prevRandao: EXPECTED
}

const PARAMS = [{ to: ACCOUNT, data: "0x" }, "latest", { [ACCOUNT]: { code: RETURN_NUMBER } }, OVERRIDES]

export interface BlockOverrides {
  /** True if the endpoint takes them. The answer is kept for an hour, and a refusal for five minutes. False while it does not answer. */
  readonly areTaken: (endpoint: Endpoint) => Effect.Effect<boolean>
}

export const make = Effect.fnUntraced(function* (endpoints: ReadonlyArray<Endpoint>) {
  const checks = yield* OverrideProbe.make(endpoints, PARAMS, EXPECTED)
  return {
    areTaken: (endpoint) => Effect.catch(checks.get(endpoint) ?? Effect.succeed(false), () => Effect.succeed(false))
  } satisfies BlockOverrides
})
