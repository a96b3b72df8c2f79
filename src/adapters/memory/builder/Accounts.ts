/** Builders, keys, sessions and nonces in memory, for tests. One layer, as keys and sessions lead to accounts. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { BuilderAccount } from "../../../domain/Builder.ts"
import { ApiKeys, type StoredApiKey } from "../../../ports/builder/ApiKeys.ts"
import { BuilderExists, BuilderNotFound, Builders } from "../../../ports/builder/Builders.ts"
import { Nonces } from "../../../ports/builder/Nonces.ts"
import { Sessions } from "../../../ports/builder/Sessions.ts"

/** Kept for about as long as the database adapter leaves a use unnoted. */
const NOTED_EVERY_MILLIS = 60_000

const builders = (accounts: Map<string, BuilderAccount>) =>
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

const apiKeys = (accounts: Map<string, BuilderAccount>) => {
  const keys = new Map<string, StoredApiKey>()
  return ApiKeys.of({
    replace: (builderId, key) =>
      Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
        keys.set(builderId, { ...key, createdAtMs })
      }),
    resolve: (hash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [builderId, key] of keys) {
          if (key.hash !== hash) continue
          if ((key.lastUsedAtMs ?? 0) <= now - NOTED_EVERY_MILLIS) keys.set(builderId, { ...key, lastUsedAtMs: now })
          return Option.fromUndefinedOr(accounts.get(builderId))
        }
        return Option.none()
      }),
    of: (builderId) => Effect.sync(() => Option.fromUndefinedOr(keys.get(builderId)))
  })
}

const sessions = (accounts: Map<string, BuilderAccount>) => {
  const standing = new Map<string, { readonly builderId: string; readonly expiresAtMs: number }>()
  return Sessions.of({
    create: ({ builderId, expiresAtMs, tokenHash }) =>
      Effect.sync(() => {
        standing.set(tokenHash, { builderId, expiresAtMs })
      }),
    find: (tokenHash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const session = standing.get(tokenHash)
        return session !== undefined && session.expiresAtMs > now
          ? Option.fromUndefinedOr(accounts.get(session.builderId))
          : Option.none()
      }),
    end: (tokenHash) =>
      Effect.sync(() => {
        standing.delete(tokenHash)
      })
  })
}

const nonces = () => {
  const fresh = new Map<string, number>()
  const isFresh = (nonce: string) => Effect.map(Clock.currentTimeMillis, (now) => (fresh.get(nonce) ?? 0) > now)
  return Nonces.of({
    issue: (nonce, expiresAtMs) =>
      Effect.sync(() => {
        fresh.set(nonce, expiresAtMs)
      }),
    isFresh,
    consume: (nonce) => Effect.map(isFresh(nonce), (was) => fresh.delete(nonce) && was)
  })
}

export const layer = Layer.effectContext(
  Effect.sync(() => {
    const accounts = new Map<string, BuilderAccount>()
    return Context.make(Builders, builders(accounts)).pipe(
      Context.add(ApiKeys, apiKeys(accounts)),
      Context.add(Sessions, sessions(accounts)),
      Context.add(Nonces, nonces())
    )
  })
)
