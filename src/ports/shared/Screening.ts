/** Sanctions screening by address. Fails closed: an error, a timeout or an unknown result blocks. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"

/**
 * The request must not go on. `listed`: an address is sanctioned. `unavailable`: no source could clear every address.
 * The error carries no address, so that none reaches a client.
 */
export class ScreeningBlocked extends Schema.TaggedError<ScreeningBlocked>()("ScreeningBlocked", {
  cause: Schema.Literals(["listed", "unavailable"])
}) {
  override get message(): string {
    return "request blocked by sanctions screening"
  }
}

export class Screening extends Context.Service<
  Screening,
  {
    /**
     * Succeeds only if every address is known to be clear. Asks the sources each time. While they do not answer, an
     * implementation may rely on a recent clearance. An empty list is clear.
     */
    readonly clear: (
      chainId: ChainId,
      addresses: ReadonlyArray<Address.Address>
    ) => Effect.Effect<void, ScreeningBlocked>
  }
>()("sweep/ports/Screening") {}
