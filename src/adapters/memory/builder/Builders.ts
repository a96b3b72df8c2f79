/** Builders' accounts in memory, for tests. */
import { Effect, Layer, Option } from "effect"
import type { BuilderAccount } from "../../../domain/Builder.ts"
import { BuilderExists, BuilderNotFound, Builders } from "../../../ports/builder/Builders.ts"

const make = (accounts: Map<string, BuilderAccount>) =>
  Builders.of({
    create: (account) =>
      Effect.suspend(() => {
        if (accounts.has(account.id)) return Effect.fail(new BuilderExists({ field: "id" }))
        if ([...accounts.values()].some(({ payoutAddress }) => payoutAddress === account.payoutAddress)) {
          return Effect.fail(new BuilderExists({ field: "payoutAddress" }))
        }
        accounts.set(account.id, account)
        return Effect.void
      }),
    byId: (id) => Effect.sync(() => Option.fromUndefinedOr(accounts.get(id))),
    byWallet: (wallet) =>
      Effect.sync(() =>
        Option.fromUndefinedOr([...accounts.values()].find((account) => account.payoutAddress === wallet))
      ),
    list: ({ after = "", limit, search }) =>
      Effect.sync(() =>
        [...accounts.values()]
          .filter(({ id, name, payoutAddress }) => {
            const sought = search?.toLowerCase() ?? ""
            return id > after && [id, name, payoutAddress].some((text) => text.toLowerCase().includes(sought))
          })
          .sort((a, b) => (a.id < b.id ? -1 : 1))
          .slice(0, limit)
      ),
    modify: (id, change) =>
      Effect.gen(function* () {
        const before = accounts.get(id)
        if (before === undefined) return yield* new BuilderNotFound({ id })
        const { createdAtMs, payoutAddress } = before
        const after = { ...(yield* change(before)), id, payoutAddress, createdAtMs }
        accounts.set(id, after)
        return { before, after }
      })
  })

export const layer = Layer.effect(
  Builders,
  Effect.sync(() => make(new Map()))
)
