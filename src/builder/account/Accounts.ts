/** Builders' accounts: sign-up, registration, API keys, and changes by operators (spec, "Builder" and "Authentication"). */
import { Clock, Context, Effect, Equal, Layer, Option, type Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type * as Address from "../../domain/Address.ts"
import {
  type Attribution,
  type BuilderAccount,
  isSelfSignupId,
  type PayoutMode,
  selfSignupId
} from "../../domain/Builder.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as Secret from "../../domain/Secret.ts"
import { ApiKeys } from "../../ports/builder/ApiKeys.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { type BuilderExists, BuilderNotFound, Builders } from "../../ports/builder/Builders.ts"
import { Sessions } from "../../ports/builder/Sessions.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { KeyDesk } from "./KeyDesk.ts"
import * as OwnChanges from "../shared/OwnChanges.ts"
import type { SignedWallet } from "./SignIn.ts"

/** A new builder, as an operator describes it. */
export interface Registration {
  readonly id: string
  readonly name: string
  readonly builderBps: number
  readonly maxBuilderBps: number
  readonly payoutAddress: Address.Address
  readonly payoutMode?: PayoutMode
  /** Chain on which a contract wallet signs in. */
  readonly walletChainId?: ChainId
}

/** Changes that an operator may make. Absent fields stay as they are. */
export interface BuilderPatch {
  readonly name?: string
  readonly builderBps?: number
  readonly maxBuilderBps?: number
  readonly payoutMode?: PayoutMode
  readonly suspended?: boolean
  /** Null to forget it: the next sign-in of a contract wallet stores its own. */
  readonly walletChainId?: ChainId | null
}

/** The markup would exceed its cap. */
export class MarkupAboveCap extends Schema.TaggedError<MarkupAboveCap>()("MarkupAboveCap", {
  builderBps: Schema.Int,
  maxBuilderBps: Schema.Int
}) {
  override get message(): string {
    return `builderBps ${this.builderBps} exceeds maxBuilderBps ${this.maxBuilderBps}`
  }
}

/** The id belongs to another wallet: self-signup derives ids from wallets. */
export class ReservedId extends Schema.TaggedError<ReservedId>()("ReservedId", { id: Schema.String }) {
  override get message(): string {
    return `the id ${this.id} is reserved for the wallet it names`
  }
}

export interface NewBuilder {
  readonly builder: BuilderAccount
  /** Returned once. Only its hash is stored. */
  readonly apiKey: Redacted.Redacted
}

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Registers the builder of a wallet that signed in. Concurrent calls for one wallet register it once. */
    readonly signUp: (wallet: SignedWallet, name: string) => Effect.Effect<NewBuilder, BuilderExists | StoreUnavailable>
    readonly register: (
      registration: Registration,
      actor: string
    ) => Effect.Effect<NewBuilder, BuilderExists | MarkupAboveCap | ReservedId | StoreUnavailable>
    /** Gives a builder a new default key. The previous one stops working at once. Its other keys stay. */
    readonly rotateKey: (
      builderId: string,
      actor: string
    ) => Effect.Effect<Redacted.Redacted, BuilderNotFound | OwnChanges.TooManyChanges | StoreUnavailable>
    /**
     * The attribution of an API key; none when the key is unknown, revoked or without the scope `quote`, or its builder is suspended.
     * `isQuote` says that a quote asks, and not somebody who tries the key.
     */
    readonly attribute: (
      key: Redacted.Redacted,
      isQuote?: boolean
    ) => Effect.Effect<Option.Option<Attribution>, StoreUnavailable>
    /**
     * Changes an account. Ends the builder's sessions if it is suspended or its wallet's chain changes. A patch without a change is not
     * recorded.
     */
    readonly patch: (
      builderId: string,
      patch: BuilderPatch,
      actor: string
    ) => Effect.Effect<BuilderAccount, BuilderNotFound | MarkupAboveCap | StoreUnavailable>
  }
>()("sweep/builder/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const builders = yield* Builders
      const check = yield* OwnChanges.make
      const { create, giveKey } = yield* makeRegistrar
      const desk = yield* KeyDesk
      const sessions = yield* Sessions
      const { atomically } = yield* UnitOfWork

      const signUp: Accounts["Service"]["signUp"] = Effect.fn("Accounts.signUp")((wallet, name) => {
        const { address, ...chain } = wallet
        const id = selfSignupId(address)
        return create(
          { id, name, builderBps: 0, maxBuilderBps: 0, payoutAddress: address, ...chain },
          builderActor(id),
          "builder.sign_up"
        )
      })

      const register: Accounts["Service"]["register"] = Effect.fn("Accounts.register")(function* (registration, actor) {
        const { builderBps, id, maxBuilderBps, payoutAddress } = registration
        if (builderBps > maxBuilderBps) return yield* new MarkupAboveCap({ builderBps, maxBuilderBps })
        if (isSelfSignupId(id) && id !== selfSignupId(payoutAddress)) return yield* new ReservedId({ id })
        return yield* create(registration, actor, "builder.register")
      })

      const rotateKey: Accounts["Service"]["rotateKey"] = Effect.fn("Accounts.rotateKey")(function* (builderId, actor) {
        if (Option.isNone(yield* builders.byId(builderId))) return yield* new BuilderNotFound({ id: builderId })
        yield* check(actor, "rotation")
        const key = yield* giveKey(builderId)
        yield* audit.append({
          actor,
          action: "builder.rotate_key",
          subject: builderId,
          details: { prefix: Secret.displayPrefix(key) }
        })
        return key
      }, atomically)

      const attribute: Accounts["Service"]["attribute"] = Effect.fn("Accounts.attribute")(
        function* (key, isQuote) {
          const builder = yield* desk.authorize(key, "quote", isQuote)
          if (builder.suspendedAtMs !== undefined) return Option.none()
          const { builderBps, id, maxBuilderBps, payoutAddress, payoutMode, walletChainId } = builder
          const chain = walletChainId === undefined ? {} : { walletChainId }
          return Option.some({ builderId: id, builderBps, maxBuilderBps, payoutAddress, payoutMode, ...chain })
        },
        Effect.catchTags({ UnknownKey: () => Effect.succeedNone, ScopeMissing: () => Effect.succeedNone })
      )

      const patch: Accounts["Service"]["patch"] = Effect.fn("Accounts.patch")(function* (builderId, wanted, actor) {
        const now = yield* Clock.currentTimeMillis
        const { after, before } = yield* builders.modify(builderId, (account) => {
          const { suspendedAtMs, walletChainId: stored, ...rest } = account
          const { suspended = suspendedAtMs !== undefined, walletChainId = stored ?? null, ...fields } = wanted
          const changed = { ...rest, ...fields, ...(walletChainId === null ? {} : { walletChainId }) }
          return changed.builderBps > changed.maxBuilderBps
            ? Effect.fail(new MarkupAboveCap({ builderBps: changed.builderBps, maxBuilderBps: changed.maxBuilderBps }))
            : Effect.succeed(suspended ? { ...changed, suspendedAtMs: suspendedAtMs ?? now } : changed)
        })
        if (Equal.equals(before, after)) return after
        const isMoved = before.walletChainId !== after.walletChainId
        const isSuspended = before.suspendedAtMs === undefined && after.suspendedAtMs !== undefined
        // On another chain the wallet may have another holder.
        if (isMoved || isSuspended) yield* sessions.endAll(builderId)
        const { walletChainId, ...fields } = wanted
        const chain = walletChainId === undefined ? {} : { walletChainId: walletChainId ?? "none" }
        yield* audit.append({ actor, action: "builder.patch", subject: builderId, details: { ...fields, ...chain } })
        return after
      }, atomically)

      return Accounts.of({ signUp, register, rotateKey, attribute, patch })
    })
  )
}

/** The actor of a builder's own actions in the audit log. */
const builderActor = (id: string): string => `builder:${id}`

/** Makes `create`, which stores a new builder with its first key, and `giveKey`, which replaces its default key. */
const makeRegistrar = Effect.gen(function* () {
  const audit = yield* AuditLog
  const builders = yield* Builders
  const keys = yield* ApiKeys
  const random = yield* SecureRandom.SecureRandom
  const { atomically } = yield* UnitOfWork

  const giveKey = Effect.fnUntraced(function* (builderId: string) {
    const key = Secret.apiKey(yield* random.randomBytes(Secret.SECRET_BYTES))
    yield* keys.replace(builderId, { hash: Secret.hash(key), prefix: Secret.displayPrefix(key) })
    return key
  })

  const create = Effect.fnUntraced(function* (registration: Registration, actor: string, action: string) {
    const { walletChainId } = registration
    const chain = walletChainId === undefined ? {} : { walletChainId }
    const builder: BuilderAccount = {
      id: registration.id,
      name: registration.name,
      builderBps: registration.builderBps,
      maxBuilderBps: registration.maxBuilderBps,
      payoutAddress: registration.payoutAddress,
      payoutMode: registration.payoutMode ?? "onchain",
      createdAtMs: yield* Clock.currentTimeMillis,
      ...chain
    }
    yield* builders.create(builder)
    const apiKey = yield* giveKey(builder.id)
    const { builderBps, maxBuilderBps, name, payoutAddress, payoutMode } = builder
    yield* audit.append({
      actor,
      action,
      subject: builder.id,
      details: { name, builderBps, maxBuilderBps, payoutAddress, payoutMode, ...chain }
    })
    return { builder, apiKey }
  }, atomically)

  return { create, giveKey }
})
