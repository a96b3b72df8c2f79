/** Sanctions screening by address. Fails closed: an error, a timeout or an unknown answer blocks. */
import { Context, type Effect, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"

/** Blocked, because listed or because nobody could say otherwise. Never carries an address towards a client. */
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
    /** Succeeds only when every address is known to be clear, freshly asked on `chainId`. */
    readonly clear: (
      chainId: ChainId,
      addresses: ReadonlyArray<Address.Address>
    ) => Effect.Effect<void, ScreeningBlocked>
  }
>()("sweep/ports/Screening") {}
