/** The builders' accounts. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** A builder of this id, or one that pays out to this wallet, exists. */
export class BuilderExists extends Schema.TaggedError<BuilderExists>()("BuilderExists", {
  field: Schema.Literals(["id", "payoutAddress"])
}) {
  override get message(): string {
    return `a builder with this ${this.field} is registered`
  }
}

export class BuilderNotFound extends Schema.TaggedError<BuilderNotFound>()("BuilderNotFound", { id: Schema.String }) {
  override get message(): string {
    return `there is no builder ${this.id}`
  }
}

export class Builders extends Context.Service<
  Builders,
  {
    /** However many register one id or one wallet at once, one succeeds. */
    readonly create: (account: BuilderAccount) => Effect.Effect<void, BuilderExists | StoreUnavailable>
    readonly byId: (id: string) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    readonly byWallet: (wallet: Address.Address) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /**
     * Up to `limit` accounts in the order of their ids, from behind `after` on; with `search`, those whose id, name or payout
     * address contains it, whatever its case.
     */
    readonly list: (options: {
      readonly search?: string
      readonly after?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuilderAccount>, StoreUnavailable>
    /** Changes an account that nobody else changes meanwhile; id, wallet and time of creation stay. */
    readonly modify: <E>(
      id: string,
      change: (account: BuilderAccount) => Effect.Effect<BuilderAccount, E>
    ) => Effect.Effect<
      { readonly before: BuilderAccount; readonly after: BuilderAccount },
      E | BuilderNotFound | StoreUnavailable
    >
  }
>()("sweep/ports/Builders") {}
