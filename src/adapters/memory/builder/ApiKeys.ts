/** Builders' API keys in memory, for tests. */
import { Clock, Effect, Layer, Option } from "effect"
import { DEFAULT_KEY, DEFAULT_SCOPES, isUseDue } from "../../../domain/ApiKey.ts"
import type { Hash } from "../../../domain/Hex.ts"
import { ApiKeys, KeyLimit, type StoredApiKey } from "../../../ports/builder/ApiKeys.ts"
import { Builders } from "../../../ports/builder/Builders.ts"

const make = (builders: Builders["Service"]) => {
  const keys = new Map<string, ReadonlyArray<StoredApiKey>>()
  const listOf = (builderId: string) => keys.get(builderId) ?? []
  const isDefault = ({ id }: StoredApiKey) => id === DEFAULT_KEY.id
  const ownerOf = (hash: Hash) => {
    for (const [builderId, own] of keys) {
      const key = own.find((each) => each.hash === hash)
      if (key !== undefined) return { builderId, key }
    }
    return undefined
  }
  return ApiKeys.of({
    replace: (builderId, key) =>
      Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
        const fresh = { ...DEFAULT_KEY, scopes: DEFAULT_SCOPES, ...key, createdAtMs }
        keys.set(builderId, [fresh, ...listOf(builderId).filter((each) => !isDefault(each))])
      }),
    add: (builderId, key, limit) =>
      Effect.suspend(() => {
        const own = listOf(builderId)
        if (own.filter((each) => !isDefault(each)).length >= limit) return Effect.fail(new KeyLimit({ limit }))
        keys.set(builderId, [...own, key])
        return Effect.void
      }),
    revoke: (builderId, id) =>
      Effect.sync(() => {
        const own = listOf(builderId)
        keys.set(
          builderId,
          own.filter((key) => key.id !== id)
        )
        return Option.fromUndefinedOr(own.find((key) => key.id === id))
      }),
    resolve: (hash) =>
      Effect.suspend(() => {
        const found = ownerOf(hash)
        if (found === undefined) return Effect.succeedNone
        return Effect.map(
          builders.byId(found.builderId),
          Option.map((builder) => ({ builder, key: found.key }))
        )
      }),
    noteUse: (hash, atMs) =>
      Effect.sync(() => {
        const found = ownerOf(hash)
        if (found === undefined || !isUseDue(found.key.lastUsedAtMs, atMs)) return
        keys.set(
          found.builderId,
          listOf(found.builderId).map((key) => (key === found.key ? { ...key, lastUsedAtMs: atMs } : key))
        )
      }),
    of: (builderId) => Effect.sync(() => Option.fromUndefinedOr(listOf(builderId).find(isDefault))),
    list: (builderId) => Effect.sync(() => listOf(builderId))
  })
}

export const layer = Layer.effect(ApiKeys, Effect.map(Builders, make))
