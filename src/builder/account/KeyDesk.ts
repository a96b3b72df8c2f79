/** API keys of builders: their creation, their revocation, and what each may do (spec, "Authentication"). */
import { Clock, Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { bytesToHex } from "viem"
import { type KeyScope, MAX_KEYS } from "../../domain/ApiKey.ts"
import type { BuilderAccount } from "../../domain/Builder.ts"
import * as Secret from "../../domain/Secret.ts"
import { ApiKeys, type KeyLimit, type StoredApiKey } from "../../ports/builder/ApiKeys.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { KeyUses } from "./KeyUses.ts"
import * as OwnChanges from "../shared/OwnChanges.ts"

/** The key is malformed, unknown, replaced or revoked. */
export class UnknownKey extends Schema.TaggedError<UnknownKey>()("UnknownKey", {}) {
  override get message(): string {
    return "the API key is unknown"
  }
}

/** The key may not do this. */
export class ScopeMissing extends Schema.TaggedError<ScopeMissing>()("ScopeMissing", { scope: Schema.String }) {
  override get message(): string {
    return `the API key lacks the scope ${this.scope}`
  }
}

/** The builder has no such key. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { id: Schema.String }) {
  override get message(): string {
    return `the builder has no API key ${this.id}`
  }
}

export interface NewKey {
  readonly key: StoredApiKey
  /** Returned once. Only its hash is stored. */
  readonly apiKey: Redacted.Redacted
}

/** Random bytes of a key's id, which is no secret. */
const ID_BYTES = 12

export class KeyDesk extends Context.Service<
  KeyDesk,
  {
    /** Adds a key beside the builder's others. */
    readonly create: (
      builderId: string,
      wanted: Pick<StoredApiKey, "name" | "scopes">,
      actor: string
    ) => Effect.Effect<NewKey, KeyLimit | OwnChanges.TooManyChanges | StoreUnavailable>
    /** Revokes a key. It stops working at once. */
    readonly revoke: (
      builderId: string,
      keyId: string,
      actor: string
    ) => Effect.Effect<void, KeyNotFound | StoreUnavailable>
    /**
     * The builder of a key with the scope, also if it is suspended. Has the use noted; `isQuote` says that it attributes a quote.
     */
    readonly authorize: (
      key: Redacted.Redacted,
      scope: KeyScope,
      isQuote?: boolean
    ) => Effect.Effect<BuilderAccount, UnknownKey | ScopeMissing | StoreUnavailable>
  }
>()("sweep/builder/KeyDesk") {
  static readonly layer = Layer.effect(
    KeyDesk,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const check = yield* OwnChanges.make
      const keys = yield* ApiKeys
      const random = yield* SecureRandom.SecureRandom
      const uses = yield* KeyUses
      const { atomically } = yield* UnitOfWork
      const secret = Effect.map(random.randomBytes(Secret.SECRET_BYTES), Secret.apiKey)

      const create: KeyDesk["Service"]["create"] = Effect.fn("KeyDesk.create")(function* (builderId, wanted, actor) {
        yield* check(actor)
        const apiKey = yield* secret
        const key: StoredApiKey = {
          id: `key_${bytesToHex(yield* random.randomBytes(ID_BYTES)).slice(2)}`,
          name: wanted.name,
          scopes: wanted.scopes,
          hash: Secret.hash(apiKey),
          prefix: Secret.displayPrefix(apiKey),
          createdAtMs: yield* Clock.currentTimeMillis
        }
        yield* keys.add(builderId, key, MAX_KEYS)
        const { id, name, prefix, scopes } = key
        const details = { key: id, name, prefix, scopes: scopes.join(" ") }
        yield* audit.append({ actor, action: "builder.create_key", subject: builderId, details })
        return { key, apiKey }
      }, atomically)

      const revoke: KeyDesk["Service"]["revoke"] = Effect.fn("KeyDesk.revoke")(function* (builderId, keyId, actor) {
        const revoked = yield* keys.revoke(builderId, keyId, Secret.hash(yield* secret))
        if (Option.isNone(revoked)) return yield* new KeyNotFound({ id: keyId })
        const { id, name, prefix } = revoked.value
        const details = { key: id, name, prefix }
        yield* audit.append({ actor, action: "builder.revoke_key", subject: builderId, details })
      }, atomically)

      const authorize: KeyDesk["Service"]["authorize"] = Effect.fn("KeyDesk.authorize")(function* (
        given,
        scope,
        isQuote = false
      ) {
        if (!Secret.isApiKey(given)) return yield* new UnknownKey()
        const found = yield* keys.resolve(Secret.hash(given))
        if (Option.isNone(found)) return yield* new UnknownKey()
        const { builder, key } = found.value
        if (!key.scopes.includes(scope)) return yield* new ScopeMissing({ scope })
        yield* uses.note({ builderId: builder.id, key, isQuote: isQuote && builder.suspendedAtMs === undefined })
        return builder
      })

      return KeyDesk.of({ create, revoke, authorize })
    })
  )
}
