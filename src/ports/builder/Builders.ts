/** Accounts of builders. */
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** A builder with this id, or with this payout address, is registered. */
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
    /** Registers a builder. Of concurrent registrations with the same id or wallet, one succeeds. */
    readonly create: (account: BuilderAccount) => Effect.Effect<void, BuilderExists | StoreUnavailable>
    /** The builder of this id; ids are case-sensitive. */
    readonly byId: (id: string) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /** The builder whose payout address is `wallet`. */
    readonly byWallet: (wallet: Address.Address) => Effect.Effect<Option.Option<BuilderAccount>, StoreUnavailable>
    /**
     * Up to `limit` builders in the order of their ids; with `after`, those behind that id. `search` selects builders
     * whose id, name or payout address contains it, ignoring case.
     */
    readonly list: (options: {
      readonly search?: string
      readonly after?: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuilderAccount>, StoreUnavailable>
    /**
     * Changes an account under a lock, so that no concurrent change is lost. Id, wallet and creation time cannot
     * change. Fails without a change if `change` fails.
     */
    readonly modify: <E>(
      id: string,
      change: (account: BuilderAccount) => Effect.Effect<BuilderAccount, E>
    ) => Effect.Effect<
      { readonly before: BuilderAccount; readonly after: BuilderAccount },
      E | BuilderNotFound | StoreUnavailable
    >
  }
>()("sweep/ports/Builders") {}
